"""The line with the number of faults, histories and crashes that were tried."""

import pytest

from lab.bed.result_counts import ResultCounts


def report(test: str, *markers: str, outcome: str = "passed", when: str = "call") -> pytest.TestReport:
    return pytest.TestReport(
        nodeid=test,
        location=("", 0, test),
        keywords=dict.fromkeys(markers, 1),
        outcome=outcome,  # type: ignore[arg-type]  # one of pytest's three words
        longrepr=None,
        when=when,  # type: ignore[arg-type]  # likewise
    )


def test_each_test_counts_once_and_a_failure_in_any_part_of_it_breaks_a_rule() -> None:
    tally = ResultCounts()
    for when in ("setup", "call", "teardown"):
        tally.pytest_runtest_logreport(report("a", "fault", when=when))
    tally.pytest_runtest_logreport(report("b", "fault", outcome="failed", when="setup"))
    tally.pytest_runtest_logreport(report("c", "history", outcome="failed"))
    tally.pytest_runtest_logreport(report("c", "history", outcome="failed", when="teardown"))
    tally.pytest_runtest_logreport(report("d", "crash", "long"))
    tally.pytest_runtest_logreport(report("f", "own_side"))
    tally.pytest_runtest_logreport(report("e", "long", outcome="failed"))

    assert (
        tally.line() == "tried 2 faults, 1 histories, 1 histories of our own side, 1 crashes: 2 broke a rule"
    )


def test_nothing_broken_is_said_as_such() -> None:
    tally = ResultCounts()
    tally.pytest_runtest_logreport(report("a", "crash"))

    assert tally.line() == (
        "tried 0 faults, 0 histories, 0 histories of our own side, 1 crashes: none broke a rule"
    )
