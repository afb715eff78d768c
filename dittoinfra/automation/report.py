"""What one run of the engine did, in the engine's own numbers and words."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any

from dittoinfra.automation.differences import Difference
from dittoinfra.automation.interrupted import Mark
from dittoinfra.automation.objects import ObjectReference

if TYPE_CHECKING:  # whatever is imported here is waited for before the CLI starts
    from dittoinfra.program import RunRecord


@dataclass(frozen=True, slots=True)
class Changes:
    """The engine's count of resources by what becomes of them."""

    creates: int = 0
    updates: int = 0
    deletes: int = 0
    replaces: int = 0
    sames: int = 0

    @property
    def any(self) -> bool:
        """Whether anything is not as it was."""
        return bool(self.creates or self.updates or self.deletes or self.replaces)

    @property
    def total(self) -> int:
        """Every resource that was looked at."""
        return self.creates + self.updates + self.deletes + self.replaces + self.sames

    def followed_by(self, later: "Changes") -> "Changes":
        """Both together; what stayed as it was is counted at the end."""
        return Changes(
            creates=self.creates + later.creates,
            updates=self.updates + later.updates,
            deletes=self.deletes + later.deletes,
            replaces=self.replaces + later.replaces,
            sames=later.sames,
        )


@dataclass(frozen=True, slots=True)
class Step:
    """One thing the engine does to one resource."""

    operation: str
    type: str
    name: str
    urn: str
    changed: tuple[str, ...] = ()
    """Paths of the properties that differ, as the provider names them."""
    differences: tuple[Difference, ...] = ()
    """The same with their values, as far as they may be shown."""
    object: ObjectReference | None = None
    """The Kubernetes object; None where the resource is none."""
    server: str | None = None
    """The server that it is declared for."""
    failed: bool = False
    """Whether the engine tried and could not."""
    done: bool = False
    """Whether the engine did it; a preview never does."""


_REPLACEMENT = frozenset(
    {
        "replace",
        "create-replacement",
        "delete-replaced",
        "discard-replaced",
        "import-replacement",
        "read-replacement",
        "remove-pending-replace",
    }
)
"""The engine's operations that a replacement consists of."""

_OLD_PARTS = frozenset({"delete-replaced", "discard-replaced", "remove-pending-replace"})
"""Those of them that are about what is replaced, and not about what takes its place."""


def whole_steps(steps: Iterable[Step]) -> tuple[Step, ...]:
    """The steps as people count them: the engine tells a replacement in several, of which one is made."""
    together: dict[str | int, list[Step]] = {}
    for number, step in enumerate(steps):
        together.setdefault(step.urn if step.operation in _REPLACEMENT else number, []).append(step)
    return tuple(_replacement(parts) if isinstance(key, str) else parts[0] for key, parts in together.items())


def _replacement(parts: Sequence[Step]) -> Step:
    # What the new one is called, people will find; the old one may go without a word about what differs.
    step = next((part for part in parts if part.operation not in _OLD_PARTS), parts[0])
    return replace(
        step,
        operation="replace",
        changed=next((part.changed for part in parts if part.changed), ()),
        differences=next((part.differences for part in parts if part.differences), ()),
        failed=any(part.failed for part in parts),
        done=any(part.done for part in parts),
    )


@dataclass(frozen=True, slots=True)
class Diagnostic:
    """One message of a run."""

    severity: str
    text: str


@dataclass(frozen=True, slots=True)
class RunReport:
    """A whole run."""

    changes: Changes
    steps: tuple[Step, ...]
    """Everything that is not left as it was."""
    diagnostics: tuple[Diagnostic, ...]
    exit_code: int
    outputs: Mapping[str, Any] = field(default_factory=dict)
    decided: "RunRecord | None" = None
    """What the program heard and decided; None where it did not come so far, or was not run."""
    pending: tuple[str, ...] = ()
    """URNs of resources that an earlier run was interrupted at, and that the state still calls unfinished."""
    missed: tuple[str, ...] = ()
    """Those of them that this run did not bring to an end either."""
    lost: tuple[Mark, ...] = ()
    """Creations that failed because the provider was gone: nobody knows whether the object was made."""
    stale_lock: bool = False
    """Whether the run was refused because of a lock whose holder has ended."""

    @classmethod
    def failed(cls, why: str, exit_code: int) -> "RunReport":
        """A run that did not even begin."""
        return cls(Changes(), (), (Diagnostic("error", why),), exit_code)

    @property
    def ok(self) -> bool:
        """Whether the run came to its end."""
        return self.exit_code == 0

    def followed_by(self, later: "RunReport") -> "RunReport":
        """This run and a later one as one: what both did and said, and what the later one ended in."""
        new = (said for said in later.diagnostics if said not in self.diagnostics)
        return replace(
            later,
            changes=self.changes.followed_by(later.changes),
            steps=(*self.steps, *later.steps),
            diagnostics=(*self.diagnostics, *new),
        )

    def saying(self, *more: Diagnostic) -> "RunReport":
        """The same run, with something to be said about it that the engine does not know."""
        return replace(self, diagnostics=(*self.diagnostics, *more))

    def lines(self, *severities: str) -> list[str]:
        """Messages of these severities, line by line."""
        return [
            line for d in self.diagnostics if d.severity in severities for line in d.text.splitlines() if line
        ]


NOTHING_DONE = RunReport(Changes(), (), (), 0)
"""A run that had nothing to do."""
