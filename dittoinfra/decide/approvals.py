"""What `approveRemovals` has to name for a run to go on, and what it names. Pure."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass

from dittoinfra.model import Note, Removal


@dataclass(frozen=True, slots=True)
class Approvals:
    """The removals of a run, beside those that are approved."""

    given: tuple[str, ...]
    adapters: tuple[str, ...]
    """Adapters whose Service loses its identity: exactly these have to be approved, where any has to be."""
    workloads: Mapping[str, str]
    """Servers whose workload goes, each with the name that approves it."""

    @classmethod
    def of(
        cls, given: Iterable[str], removals: Iterable[Removal], workloads: Mapping[str, str] | None = None
    ) -> "Approvals":
        """The approvals that are given for these removals."""
        return cls(tuple(given), tuple(this.name for this in removals), workloads or {})

    @property
    def exact(self) -> bool:
        """Whether all removals of adapters are approved, and no adapter that stays."""
        only_workloads = set(self.workloads.values()).difference(self.adapters)
        return set(self.given) - only_workloads == set(self.adapters)

    @property
    def needed(self) -> tuple[str, ...]:
        """What lets the whole run through."""
        return tuple(dict.fromkeys((*self.adapters, *self.workloads.values())))

    @property
    def stale(self) -> tuple[Note, ...]:
        """Approvals that this run does not need: left in place, they would approve a later accident."""
        return tuple(
            Note(
                name.partition("/")[0],
                f"the removal of {name} is approved, but nothing removes it; drop it from approveRemovals",
                warning=True,
            )
            for name in self.given
            if name not in self.needed
        )
