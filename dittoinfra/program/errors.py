"""Why a run stops, in a form that the engine shows without a traceback.

RunStopped
├── ConfigurationRefused   the stack's configuration cannot be used
├── PlanOutdated           something has moved since the plan was made
└── RunRefused             the decision says that this run must not go on
"""

from collections.abc import Sequence

import pulumi

from dittoinfra.decide import BrakePulled, FoundTwice, Refusal, ServerUnanswered, WorkloadReplaced
from dittoinfra.decide.refusals import AdoptionImpossible, ExistsAlready, NameRefused, TakeoverForbidden
from dittoinfra.exitcodes import ExitCode
from dittoinfra.model import Denied
from dittoinfra.settings import Problem


class RunStopped(pulumi.RunError):
    """A run that ends before anything is declared; one line for each reason."""

    exit_code = ExitCode.GENERIC

    def __init__(self, reasons: Sequence[object]) -> None:
        self.reasons = tuple(reasons)
        super().__init__("\n".join(map(str, reasons)))


class ConfigurationRefused(RunStopped):
    """The stack's configuration cannot be used."""

    exit_code = ExitCode.CONFIGURATION

    def __init__(self, problems: Sequence[Problem]) -> None:
        super().__init__(problems)


class PlanOutdated(RunStopped):
    """Something has moved since the plan was made."""

    exit_code = ExitCode.POLICY

    def __init__(self, differences: Sequence[str]) -> None:
        super().__init__([f"the plan does not hold any more: {difference}" for difference in differences])


class RunRefused(RunStopped):
    """The decision says that this run must not go on."""

    def __init__(self, refusals: Sequence[Refusal]) -> None:
        super().__init__(refusals)
        self.exit_code = min(map(_exit_code, refusals), default=ExitCode.GENERIC)


def _exit_code(refusal: Refusal) -> ExitCode:
    match refusal:
        case BrakePulled() | WorkloadReplaced() | AdoptionImpossible() | ExistsAlready():
            return ExitCode.POLICY
        case TakeoverForbidden() | FoundTwice() | NameRefused():
            return ExitCode.CONFIGURATION
        case ServerUnanswered(outcome=Denied()):
            return ExitCode.AUTHENTICATION
        case _:
            return ExitCode.GENERIC
