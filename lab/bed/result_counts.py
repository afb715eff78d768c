"""Counts how many faults, histories and crashes a run has tried, and how many broke a rule."""

from collections import Counter
from typing import Final

import pytest

KINDS: Final = {
    "fault": "faults",
    "history": "histories",
    "own_side": "histories of our own side",
    "crash": "crashes",
}
"""Markers of tests that each try one thing, and what several of those are called."""


class ResultCounts:
    """A pytest plugin that counts the reports of all workers."""

    def __init__(self) -> None:
        self._tried: dict[str, str] = {}
        self._broken: set[str] = set()

    def pytest_runtest_logreport(self, report: pytest.TestReport) -> None:
        """Count a test once."""
        kind = next((kind for kind in KINDS if kind in report.keywords), None)
        if kind is None:
            return
        self._tried[report.nodeid] = kind
        if report.failed:
            self._broken.add(report.nodeid)

    def pytest_terminal_summary(self, terminalreporter: pytest.TerminalReporter) -> None:
        """Print the line."""
        if self._tried:
            terminalreporter.write_line(self.line())

    def line(self) -> str:
        """The counts in one line."""
        counts = Counter(self._tried.values())
        tried = ", ".join(f"{counts[kind]} {plural}" for kind, plural in KINDS.items())
        broken = f"{len(self._broken)} broke a rule" if self._broken else "none broke a rule"
        return f"tried {tried}: {broken}"
