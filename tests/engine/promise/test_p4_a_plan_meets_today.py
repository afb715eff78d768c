"""A saved plan is held against what the servers say on the day it is applied."""

import subprocess
from pathlib import Path

import pytest

from tests.engine.cli.fleet_bed import Fleet
from tests.engine.promise.counted import absences, up

SMB = "media-adapter-smb"


@pytest.fixture
def served(fleet: Fleet) -> Fleet:
    """The stack `prod` with nfs and smb."""
    fleet.server("prod").set_adapter("smb", port=12445)
    fleet.add_stack("prod")
    up(fleet, "prod")
    return fleet


def _saved(fleet: Fleet) -> Path:
    path = fleet.root / "the.plan"
    done = fleet.run("preview", "prod", "--save", str(path))
    assert done.returncode == 0, done.stderr
    return path


def _applied(fleet: Fleet, plan: Path) -> "subprocess.CompletedProcess[str]":
    return fleet.run("up", "--plan", str(plan), "--yes")


def _assert_refused(done: "subprocess.CompletedProcess[str]", *words: str) -> None:
    assert done.returncode == 5, done.stderr
    [line] = [line for line in done.stdout.splitlines() if "does not hold any more" in line]
    assert all(each in line for each in (*words, "make a new one with `dittoinfra preview --save FILE`")), (
        line
    )


def test_a_planned_removal_of_what_serves_again_is_refused(served: Fleet) -> None:
    served.server("prod").disable("smb")
    plan = _saved(served)
    served.server("prod").set_adapter("smb", port=12445)

    _assert_refused(
        _applied(served, plan), "media says today that it is serving", "removal of smb is planned"
    )
    assert SMB in absences(served, "prod")


def test_a_planned_removal_whose_server_gives_no_answer_is_refused(served: Fleet) -> None:
    served.server("prod").disable("smb")
    plan = _saved(served)
    served.server("prod").stop()

    _assert_refused(_applied(served, plan), "media gives no answer today (unreachable: ", "removal of smb")
    assert SMB in absences(served, "prod")


def test_a_planned_port_that_is_not_said_any_more_is_refused(served: Fleet) -> None:
    served.server("prod").set_adapter("smb", port=13445)
    plan = _saved(served)
    served.server("prod").set_adapter("smb", port=14445)

    _assert_refused(_applied(served, plan), "smb of media is planned on port 13445", "on port 14445 today")
    assert served.services("prod")[SMB]["spec"]["ports"][0]["targetPort"] == 12445


def test_what_is_new_since_then_waits_for_the_next_run(served: Fleet) -> None:
    served.server("prod").disable("smb")
    plan = _saved(served)
    served.server("prod").set_adapter("s3", port=9000)

    done = _applied(served, plan)

    assert done.returncode == 0, done.stderr
    assert "media: s3 changed since the plan was made; the next run sees to it" in done.stderr
    assert set(absences(served, "prod")) == {"media-adapter-nfs"}
    up(served, "prod")
    assert set(absences(served, "prod")) == {"media-adapter-nfs", "media-adapter-s3"}


def test_a_planned_addition_needs_no_second_answer(served: Fleet) -> None:
    served.server("prod").set_adapter("s3", port=9000)
    plan = _saved(served)
    served.server("prod").stop()

    done = _applied(served, plan)

    assert done.returncode == 0, done.stderr
    assert "media-adapter-s3" in absences(served, "prod")
