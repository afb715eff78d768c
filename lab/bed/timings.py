"""Prints how long the steps of a test took, at the end of the run; no test depends on it."""

from collections.abc import Iterable
from typing import Final

import pytest

TIMINGS: Final = "timings"
"""The property by which a test hands its lines over, from whichever worker it runs in."""


def timing_lines(title: str, steps: Iterable[tuple[str, float]]) -> tuple[str, ...]:
    """A table: one line for each step, and one for the total."""
    took = tuple(steps)
    rows = (*took, ("together", sum(seconds for _, seconds in took)))
    wide = max(len(step) for step, _ in rows)
    return (f"{title}:", *(f"  {step:<{wide}}  {seconds:6.1f} s" for step, seconds in rows))


class Timings:
    """A pytest plugin that collects the timings of all workers."""

    def __init__(self) -> None:
        self._lines: list[str] = []

    def pytest_runtest_logreport(self, report: pytest.TestReport) -> None:
        """Keep the lines of a finished test."""
        if report.when == "call":
            for name, lines in report.user_properties:
                if name == TIMINGS and isinstance(lines, Iterable):
                    self._lines.extend(map(str, lines))

    def pytest_terminal_summary(self, terminalreporter: pytest.TerminalReporter) -> None:
        """Print the lines."""
        for line in self._lines:
            terminalreporter.write_line(line)
