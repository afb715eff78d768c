"""What came of an operation on each of several stacks."""

from collections.abc import Iterable
from dataclasses import dataclass
from enum import StrEnum

from dittoinfra import program
from dittoinfra.automation import RunReport
from dittoinfra.exitcodes import ExitCode


class Operation(StrEnum):
    """What is done to a stack."""

    PREVIEW = "preview"
    UP = "up"
    REFRESH = "refresh"
    DESTROY = "destroy"


@dataclass(frozen=True, slots=True)
class StackResult:
    """One operation on one stack, as far as it came."""

    stack: str
    operation: Operation
    report: RunReport
    seconds: float
    printed: tuple[str, ...] = ()
    """What the engine itself printed."""
    plan: "program.StackPlan | None" = None
    """What a preview promises, where a plan was asked for and the preview came to its end."""

    @property
    def cancelled(self) -> bool:
        """Whether somebody stopped it."""
        return self.report.exit_code == ExitCode.CANCELLED


@dataclass(frozen=True, slots=True)
class FleetResult:
    """All of them, in the order in which the stacks were named."""

    results: tuple[StackResult, ...]

    @property
    def held_by_the_dead(self) -> tuple[str, ...]:
        """Stacks that nothing was done to because of a lock whose holder has ended."""
        return tuple(result.stack for result in self.results if result.report.stale_lock)

    def followed_by(self, later: "FleetResult") -> "FleetResult":
        """The same, with what came of another attempt on some of the stacks."""
        again = {result.stack: result for result in later.results}
        return FleetResult(tuple(again.get(result.stack, result) for result in self.results))

    @property
    def exit_code(self) -> int:
        """One for all of them."""
        return common_exit_code(result.report.exit_code for result in self.results)


def common_exit_code(codes: Iterable[int]) -> int:
    """The code of the only failure, the common code of several, or else 1; 0 where none failed.

    Whoever stops a run knows that it was stopped, whatever else went wrong before: that is the code then.
    """
    failures = set(codes) - {0}
    if ExitCode.CANCELLED in failures:
        return ExitCode.CANCELLED
    return failures.pop() if len(failures) == 1 else int(bool(failures))
