"""What an operation reports: its progress, and what came of it on each stack."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from enum import StrEnum
from typing import TYPE_CHECKING, Any, Protocol

from dittoinfra.changes import Change, Changes
from dittoinfra.exitcodes import ExitCode
from dittoinfra.request import Operation
from dittoinfra.stacks.cli_errors import Lock
from dittoinfra.stacks.interrupted import PendingOperation
from dittoinfra.stacks.shown_values import Difference, ObjectReference

if TYPE_CHECKING:  # an import here would delay the start of the CLI
    from dittoinfra.program.plan import StackPlan
    from dittoinfra.program.run_errors import RunStopped
    from dittoinfra.program.survey import RunRecord


@dataclass(frozen=True, slots=True)
class Step:
    """One operation of the engine on one resource."""

    operation: str
    type: str
    name: str
    urn: str
    changed: tuple[str, ...] = ()
    """Paths of the properties that differ, as the provider names them."""
    differences: tuple[Difference, ...] = ()
    """Those properties with their values, as far as they may be shown."""
    object: ObjectReference | None = None
    """The Kubernetes object; None where the resource is none."""
    server: str | None = None
    """The server that it is declared for."""
    failed: bool = False
    """Whether the engine tried it and failed."""
    done: bool = False
    """Whether the engine did it; always false in a preview."""

    @property
    def change(self) -> Change:
        """What becomes of the resource; every operation with another name is part of a replacement."""
        return _CHANGES.get(self.operation, Change.REPLACE)


_CHANGES: Mapping[str, Change] = {
    "create": Change.CREATE,
    "import": Change.UPDATE,
    "update": Change.UPDATE,
    "delete": Change.DELETE,
}

_REPLACEMENT = "replac"
"""In the names of all operations that a replacement consists of: replace, create-replacement and others."""

_OLD_PARTS = frozenset({"delete-replaced", "discard-replaced", "remove-pending-replace"})
"""Those of them that are about the old resource, and not about its replacement."""


def whole_steps(steps: Iterable[Step]) -> tuple[Step, ...]:
    """The steps as users count them: the engine reports a replacement as several, which become one here."""
    together: dict[str | int, list[Step]] = {}
    for number, step in enumerate(steps):
        together.setdefault(step.urn if _REPLACEMENT in step.operation else number, []).append(step)
    return tuple(_replacement(parts) if isinstance(key, str) else parts[0] for key, parts in together.items())


def _replacement(parts: Sequence[Step]) -> Step:
    # The user will find the new name; the step about the old resource may not say what differs.
    step = next((part for part in parts if part.operation not in _OLD_PARTS), parts[0])
    return replace(
        step,
        operation="replace",
        changed=next((part.changed for part in parts if part.changed), ()),
        differences=next((part.differences for part in parts if part.differences), ()),
        failed=any(part.failed for part in parts),
        done=any(part.done for part in parts),
    )


def changed_objects(steps: Iterable[Step], *, planned: bool) -> tuple[Step, ...]:
    """One step for every Kubernetes object that changes.

    Unless they are planned, only steps count that were done or tried: a run may have ended before the others.
    """
    together: dict[str, list[Step]] = {}
    for step in whole_steps(steps):
        if step.object is not None and (planned or step.done or step.failed):
            together.setdefault(step.urn, []).append(step)
    return tuple(map(_one_change, together.values()))


def _one_change(parts: Sequence[Step]) -> Step:
    changes = [part.change for part in parts]
    change = changes[-1]
    if Change.REPLACE in changes:
        change = Change.REPLACE
    elif changes[0] is Change.CREATE and change is Change.UPDATE:
        change = Change.CREATE
    return replace(
        parts[0],
        operation=change.value,
        differences=next((part.differences for part in parts if part.differences), ()),
        failed=any(part.failed for part in parts),
    )


NOTHING_NEW = frozenset({"update failed", "preview failed", "refresh failed", "destroy failed"})
"""What the engine adds to an error that it has reported already."""


@dataclass(frozen=True, slots=True)
class Diagnostic:
    """One message of a run."""

    severity: str
    text: str


@dataclass(frozen=True, slots=True)
class RunReport:
    """A whole run."""

    changes: Changes
    """The engine's count of resources."""
    steps: tuple[Step, ...]
    """Every step that changes something."""
    diagnostics: tuple[Diagnostic, ...]
    exit_code: int
    outputs: Mapping[str, Any] = field(default_factory=dict)
    decided: "RunRecord | None" = None
    """What the program heard and decided; None where it did not get that far, or was not run."""
    reasons: Mapping[str, str] = field(default_factory=dict)
    """Why the Service of each adapter is changed, by its name in the engine's state."""
    pending: tuple[str, ...] = ()
    """URNs of resources at which an earlier run was interrupted, and that are still pending in the state."""
    missed: tuple[str, ...] = ()
    """Those of them that this run did not complete either."""
    lost: tuple[PendingOperation, ...] = ()
    """Creations that failed because the provider crashed: whether the object was created is unknown."""
    plugins: tuple[str, ...] = ()
    """Messages of the engine about its own plugins, which concern no stack."""
    cluster_changed: bool = False
    """Whether the program stopped because objects in the cluster differ from the state."""
    outdated: bool = False
    """Whether the program stopped because the state or the configuration is not the one it was given."""
    lock: Lock | None = None
    """The lock of another run, where that kept this one from beginning."""

    @classmethod
    def completed(cls) -> "RunReport":
        """A run without trouble, of which nothing else is known."""
        return cls(Changes(), (), (), ExitCode.DONE)

    @classmethod
    def failed(cls, why: str, exit_code: int, lock: Lock | None = None) -> "RunReport":
        """A run that did not begin."""
        return cls(Changes(), (), (Diagnostic("error", why),), exit_code, lock=lock)

    @classmethod
    def stopped(cls, stopped: "RunStopped") -> "RunReport":
        """A run that stopped before it needed an engine."""
        lines = tuple(Diagnostic("error", str(reason)) for reason in stopped.reasons)
        return cls(Changes(), (), lines, stopped.exit_code, decided=stopped.record)

    @property
    def ok(self) -> bool:
        """Whether the run completed."""
        return self.exit_code == 0

    def followed_by(self, later: "RunReport") -> "RunReport":
        """This run and a later one as one: what both did and reported, and the later one's result."""
        new = (said for said in later.diagnostics if said not in self.diagnostics)
        return replace(
            later,
            changes=self.changes.followed_by(later.changes),
            steps=(*self.steps, *later.steps),
            diagnostics=(*self.diagnostics, *new),
            plugins=tuple(dict.fromkeys((*self.plugins, *later.plugins))),
            # The later one changes only what the earlier one did not decide on.
            reasons={**later.reasons, **self.reasons},
        )

    def objects(self, *, planned: bool) -> tuple[Step, ...]:
        """Every Kubernetes object that changes, as one step each."""
        return changed_objects(self.steps, planned=planned)

    def object_changes(self, *, planned: bool) -> Changes:
        """The count of them that people are told everywhere; what failed is not counted."""
        return Changes.of(step.change for step in self.objects(planned=planned) if not step.failed)

    @property
    def errors(self) -> tuple[str, ...]:
        """Every error, line by line, without what the engine adds to one."""
        lines = self.lines("error")
        return tuple([line for line in lines if line not in NOTHING_NEW] or lines)

    def saying(self, *more: Diagnostic) -> "RunReport":
        """This report, with more messages that the engine does not know."""
        return replace(self, diagnostics=(*self.diagnostics, *more))

    def lines(self, *severities: str) -> list[str]:
        """Messages of these severities, line by line."""
        return [
            line for d in self.diagnostics if d.severity in severities for line in d.text.splitlines() if line
        ]


@dataclass(frozen=True, slots=True)
class StackResult:
    """The result of one operation on one stack."""

    stack: str
    operation: Operation
    report: RunReport
    seconds: float
    printed: tuple[str, ...] = ()
    """What the engine itself printed."""
    plan: "StackPlan | None" = None
    """What a preview would change, where a plan was requested and the preview completed."""

    @property
    def cancelled(self) -> bool:
        """Whether the user interrupted it."""
        return self.report.exit_code == ExitCode.CANCELLED


@dataclass(frozen=True, slots=True)
class FleetResult:
    """All of them, in the order in which the stacks were named."""

    results: tuple[StackResult, ...]

    @property
    def with_stale_lock(self) -> tuple[str, ...]:
        """Stacks that were not operated on because of a lock whose holder has ended."""
        return tuple(result.stack for result in self.results if result.report.lock is Lock.STALE)

    def followed_by(self, later: "FleetResult") -> "FleetResult":
        """These results, with those of another attempt on some of the stacks in their place."""
        again = {result.stack: result for result in later.results}
        return FleetResult(tuple(again.get(result.stack, result) for result in self.results))

    @property
    def plugins(self) -> tuple[str, ...]:
        """Messages of the engine about its own plugins, each once for all stacks."""
        return tuple(dict.fromkeys(line for result in self.results for line in result.report.plugins))

    @property
    def exit_code(self) -> int:
        """The exit code for all stacks."""
        return common_exit_code(result.report.exit_code for result in self.results)


def common_exit_code(codes: Iterable[int]) -> int:
    """The code of the only failure, the common code of several, or else 1; 0 where none failed.

    An interrupt takes precedence over all other codes: the user who interrupts a run expects its code.
    """
    failures = set(codes) - {0}
    if ExitCode.CANCELLED in failures:
        return ExitCode.CANCELLED
    return failures.pop() if len(failures) == 1 else int(bool(failures))


class Phase(StrEnum):
    """The current phase of a stack."""

    PREVIEWING = "previewing"
    UPDATING = "updating"
    WAITING = "waiting for servers"
    REFRESHING = "refreshing"
    DESTROYING = "destroying"


class ProgressListener(Protocol):
    """Receives progress, from many threads at once."""

    def began(self, stack: str, phase: Phase) -> None:
        """A stack has entered a phase."""

    def progressed(self, stack: str, done: int, total: int | None) -> None:
        """How many resources the engine has completed, and of how many, as far as that is known."""

    def said(self, stack: str, message: Diagnostic) -> None:
        """A message for the user; the same one may come again in a later phase."""

    def previewed(self, result: StackResult) -> None:
        """The preview of a stack has completed."""

    def ended(self, result: StackResult) -> None:
        """The operation on a stack has ended."""
