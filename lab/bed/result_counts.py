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

UNKNOWN: Final = "tests that ended their worker"
"""Failed reports without a marker: a worker that is gone cannot say what its test was."""


class ResultCounts:
    """A pytest plugin that counts the reports of all workers."""

    def __init__(self) -> None:
        self._tried: dict[str, str] = {}
        """What each test has tried, by its id."""
        self._broken: set[str] = set()

    def pytest_runtest_logreport(self, report: pytest.TestReport) -> None:
        """Count a test once."""
        what = self._what(report)
        if what is None:
            return
        self._tried[report.nodeid] = what
        if report.failed:
            self._broken.add(report.nodeid)

    def _what(self, report: pytest.TestReport) -> str | None:
        """What a test tries; None if it is not counted."""
        for kind, plural in KINDS.items():
            if kind in report.keywords:
                return plural
        # xdist reports for a worker that has ended, and knows no markers. An earlier part of the test may.
        unknown = report.failed and not report.keywords
        return self._tried.get(report.nodeid, UNKNOWN) if unknown else None

    def pytest_terminal_summary(self, terminalreporter: pytest.TerminalReporter) -> None:
        """Print the line."""
        if self._tried:
            terminalreporter.write_line(self.line())

    def line(self) -> str:
        """The counts in one line, without the kinds of which there were none."""
        counts = Counter(self._tried.values())
        tried = ", ".join(f"{counts[what]} {what}" for what in (*KINDS.values(), UNKNOWN) if counts[what])
        broken = f"{len(self._broken)} broke a rule" if self._broken else "none broke a rule"
        return f"tried {tried}: {broken}"
