"""What one run of the engine did, in the engine's own numbers and words."""

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import Any

from dittoinfra.automation.differences import Difference
from dittoinfra.automation.objects import ObjectReference
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
    decided: RunRecord | None = None
    """What the program heard and decided; None where it did not come so far, or was not run."""
    pending: tuple[str, ...] = ()
    """URNs of resources that an earlier run was interrupted at, and that the state still calls unfinished."""

    @classmethod
    def failed(cls, why: str, exit_code: int) -> "RunReport":
        """A run that did not even begin."""
        return cls(Changes(), (), (Diagnostic("error", why),), exit_code)

    @property
    def ok(self) -> bool:
        """Whether the run came to its end."""
        return self.exit_code == 0

    def followed_by(self, later: "RunReport") -> "RunReport":
        """This run and a later one as one: what both did, and what the later one said and ended in."""
        return replace(
            later,
            changes=self.changes.followed_by(later.changes),
            steps=(*self.steps, *later.steps),
        )

    def lines(self, *severities: str) -> list[str]:
        """Messages of these severities, line by line."""
        return [
            line for d in self.diagnostics if d.severity in severities for line in d.text.splitlines() if line
        ]
