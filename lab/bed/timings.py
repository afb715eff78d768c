"""How long steps of a test took, told at the end of the run and never asserted: machines differ."""

from collections.abc import Iterable
from typing import Final

import pytest

TIMINGS: Final = "timings"
"""The property by which a test hands its lines over, from whichever worker it runs in."""


def timing_lines(title: str, steps: Iterable[tuple[str, float]]) -> tuple[str, ...]:
    """A table: one line for each step, and one for all of them."""
    took = tuple(steps)
    rows = (*took, ("together", sum(seconds for _, seconds in took)))
    wide = max(len(step) for step, _ in rows)
    return (f"{title}:", *(f"  {step:<{wide}}  {seconds:6.1f} s" for step, seconds in rows))


class Timings:
    """Listens to the reports of all workers."""

    def __init__(self) -> None:
        self._lines: list[str] = []

    def pytest_runtest_logreport(self, report: pytest.TestReport) -> None:
        """Keep the lines of a test that ran to its end."""
        if report.when == "call":
            for name, lines in report.user_properties:
                if name == TIMINGS and isinstance(lines, Iterable):
                    self._lines.extend(map(str, lines))

    def pytest_terminal_summary(self, terminalreporter: pytest.TerminalReporter) -> None:
        """Show them."""
        for line in self._lines:
            terminalreporter.write_line(line)
