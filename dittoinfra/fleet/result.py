"""What came of an operation on each of several stacks."""

from dataclasses import dataclass
from enum import StrEnum

from dittoinfra.automation import RunReport


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


@dataclass(frozen=True, slots=True)
class FleetResult:
    """All of them, in the order in which the stacks were named."""

    results: tuple[StackResult, ...]

    @property
    def exit_code(self) -> int:
        """The code of the only failure, the common code of several, or else 1; 0 where none failed."""
        codes = {result.report.exit_code for result in self.results} - {0}
        return codes.pop() if len(codes) == 1 else int(bool(codes))
