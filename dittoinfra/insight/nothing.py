"""A run that ended before it could tell anything. Pure."""

from dittoinfra.automation import RunReport
from dittoinfra.exitcodes import ExitCode


def told_nothing(report: RunReport) -> tuple[tuple[str, ...], int]:
    """What people are told instead, and the exit code."""
    if report.exit_code == ExitCode.CANCELLED:
        return ("cancelled",), ExitCode.CANCELLED
    said = tuple(report.lines("error")) or ("the engine failed without a word",)
    return said, report.exit_code or int(ExitCode.GENERIC)
