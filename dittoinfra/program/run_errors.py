"""Why a run stops. Where the engine sees one of these, it becomes a `pulumi.RunError`: that has no traceback.

RunStopped
├── ConfigurationRefused   the stack's configuration cannot be used
├── StateUnreadable        the engine cannot tell what the stack holds
├── ClusterChanged         objects were deleted or edited in the cluster, and a refresh has to come first
├── PlanOutdated           something has changed since the answers to be used were given
└── RunRefused             the decision says that this run must not go on
"""

from collections.abc import Sequence
from typing import TYPE_CHECKING, Self

from dittoinfra.decide.refusals import Refusal, ServerUnanswered
from dittoinfra.exitcodes import ExitCode
from dittoinfra.model import Denied

if TYPE_CHECKING:
    from dittoinfra.program.survey import RunRecord

_SAVED = ("the plan", "make a new one with `dittoinfra preview --save FILE`")
_PREVIEWED = ("what was previewed", "run again")
_SHOWN = 10


class RunStopped(Exception):  # noqa: N818 - most are decisions, and no errors
    """A run that ends before anything is declared; one line for each reason."""

    exit_code = ExitCode.GENERIC
    record: "RunRecord | None" = None
    """The run, where it got as far as its decision."""

    def __init__(self, reasons: Sequence[object]) -> None:
        self.reasons = tuple(reasons)
        super().__init__("\n".join(map(str, reasons)))

    def of(self, record: "RunRecord") -> Self:
        """This error, with the run that it stopped."""
        self.record = record
        return self


class ConfigurationRefused(RunStopped):
    """The stack's configuration cannot be used."""

    exit_code = ExitCode.CONFIGURATION


class StateUnreadable(RunStopped):
    """The engine cannot tell what the stack holds, so nothing can be decided."""

    def __init__(self, why: object) -> None:
        super().__init__(
            [
                f"the stack's own state cannot be read: {why}; nothing is declared without it; run again, "
                "and if that fails again, check the backend with `pulumi stack export`"
            ]
        )


class ClusterChanged(RunStopped):
    """Objects were deleted or edited in the cluster: without a refresh the engine does not notice."""

    def __init__(self, changed: Sequence[object]) -> None:
        super().__init__([f"{this} is not in the cluster as the state has it" for this in changed])


class PlanOutdated(RunStopped):
    """Something has changed since the answers to be used were given, in a saved plan or in this command."""

    exit_code = ExitCode.POLICY

    def __init__(self, differences: Sequence[str], *, saved: bool) -> None:
        what, then = _SAVED if saved else _PREVIEWED
        shown = [*differences[:_SHOWN]]
        if len(differences) > _SHOWN:
            shown.append(f"{len(differences) - _SHOWN} more differences")
        super().__init__([f"{what} does not hold any more: {difference}; {then}" for difference in shown])


class RunRefused(RunStopped):
    """The decision says that this run must not go on."""

    def __init__(self, refusals: Sequence[Refusal]) -> None:
        super().__init__(refusals)
        self.refusals = tuple(refusals)
        self.exit_code = min(map(_exit_code, refusals), default=ExitCode.GENERIC)


def _exit_code(refusal: Refusal) -> ExitCode:
    denied = isinstance(refusal, ServerUnanswered) and isinstance(refusal.outcome, Denied)
    return ExitCode.AUTHENTICATION if denied else refusal.exit_code
