"""The line with the number of faults, histories and crashes that were tried."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

from lab.bed.result_counts import ResultCounts
from tests import ROOT


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

    assert tally.line() == "tried 1 crashes: none broke a rule"


def test_a_test_that_ends_its_worker_is_broken_and_of_its_kind_if_that_is_known() -> None:
    tally = ResultCounts()
    tally.pytest_runtest_logreport(report("a", "own_side", when="setup"))
    tally.pytest_runtest_logreport(report("b", "own_side"))
    # As xdist reports it: without markers.
    tally.pytest_runtest_logreport(report("a", outcome="failed", when="???"))

    assert tally.line() == "tried 2 histories of our own side: 1 broke a rule"


def test_a_worker_that_ends_before_its_test_is_counted_too(tmp_path: Path) -> None:
    (tmp_path / "conftest.py").write_text(
        "from lab.bed.result_counts import ResultCounts\n"
        "def pytest_configure(config):\n"
        "    if not hasattr(config, 'workerinput'):\n"
        "        config.pluginmanager.register(ResultCounts())\n"
    )
    (tmp_path / "test_ending.py").write_text("import os\ndef test_ending(): os._exit(3)\n")
    command = [sys.executable, "-m", "pytest", "-n1", "--max-worker-restart=0", str(tmp_path)]

    run = subprocess.run(
        command, cwd=tmp_path, env={**os.environ, "PYTHONPATH": str(ROOT)}, capture_output=True, text=True
    )

    assert "tried 1 tests that ended their worker: 1 broke a rule" in run.stdout.splitlines()
