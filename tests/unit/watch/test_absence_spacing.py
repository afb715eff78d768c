"""However often servers are asked, and whatever makes a stack run, absences are not counted any faster."""

import asyncio
from itertools import pairwise
from pathlib import Path

from dittoinfra.watch.stack_runner import RunResult
from dittoinfra.watch.watch_events import EventKind
from lab.simulator import SimulatedDittoFS
from tests.unit.watch.stage import PASSWORD, Stage, failed, settings

LONG = 3600.0
"""Seconds between two counts: longer than any test, so nothing may be counted twice."""


def counted(stage: Stage) -> dict[str, int]:
    return {name: adapter.absences for name, adapter in stage.held["media"].items()}


def test_many_answers_count_once(tmp_path: Path, dittofs: SimulatedDittoFS) -> None:
    stage = Stage(tmp_path, [settings(dittofs)], absence=LONG)
    stage.initial = False

    async def script(stage: Stage) -> None:
        await stage.until(lambda: stage.said(EventKind.UPDATED))
        dittofs.remove_adapter("smb")
        await stage.polls(20)

    stage.play(script)

    assert stage.runs == ["preview", "up"], "the first update has used up the right to count"
    assert counted(stage) == {"nfs": 0, "smb": 0}


def test_an_absence_is_counted_once_in_an_interval_and_then_again(
    tmp_path: Path, dittofs: SimulatedDittoFS
) -> None:
    stage = Stage(tmp_path, [settings(dittofs)], absence=0.6)
    counts: list[float] = []

    async def script(stage: Stage) -> None:
        await stage.polls(1)
        dittofs.remove_adapter("smb")
        for number in (2, 3, 4):
            await stage.until(lambda: len(stage.said(EventKind.UPDATED)) == number)  # noqa: B023 - awaited here
            counts.append(asyncio.get_running_loop().time())

    stage.play(script)

    assert stage.said(EventKind.CHANGED) == [f"media/smb is absent {count}/3" for count in (1, 2, 3)]
    assert all(later - sooner >= 0.55 for sooner, later in pairwise(counts)), counts
    assert set(stage.held["media"]) == {"nfs"}


def test_runs_for_other_changes_count_nothing_meanwhile(tmp_path: Path, dittofs: SimulatedDittoFS) -> None:
    with SimulatedDittoFS(admin_password=PASSWORD) as other:
        other.set_adapter("nfs", port=12049)
        stage = Stage(tmp_path, [settings(dittofs), settings(other, "other")], absence=LONG)

        async def script(stage: Stage) -> None:
            await stage.polls(1)
            dittofs.remove_adapter("smb")
            for port in range(12050, 12055):
                runs = len(stage.runs)
                other.set_adapter("nfs", port=port)
                await stage.until(lambda: len(stage.runs) > runs)  # noqa: B023 - awaited here
                await stage.polls(2)

        stage.play(script)

    assert stage.counting == [True, *[False] * 5]
    assert counted(stage) == {"nfs": 0, "smb": 0}
    port = stage.held["other"]["nfs"].port
    assert port == 12054, "what is served is followed at once"


def test_the_same_server_may_move_and_disable_while_one_of_its_adapters_is_absent(
    tmp_path: Path, dittofs: SimulatedDittoFS
) -> None:
    stage = Stage(tmp_path, [settings(dittofs)], absence=LONG)

    async def script(stage: Stage) -> None:
        await stage.polls(1)
        dittofs.remove_adapter("smb")
        await stage.polls(3)
        dittofs.set_adapter("nfs", port=12050)
        await stage.until(lambda: len(stage.said(EventKind.UPDATED)) == 2)
        dittofs.disable("nfs")
        await stage.until(lambda: len(stage.runs) == 3)
        await stage.polls(3)

    stage.play(script)

    assert stage.said(EventKind.CHANGED) == [
        "media/nfs moved from port 12049 to 12050",
        "media/nfs is disabled",
    ]
    assert counted(stage) == {"smb": 0}


def test_runs_that_fail_and_are_tried_again_count_nothing_more(
    tmp_path: Path, dittofs: SimulatedDittoFS
) -> None:
    stage = Stage(tmp_path, [settings(dittofs)], absence=LONG)
    stage.outcomes = [(RunResult.FAILED, failed("the cluster went away"))] * 3

    async def script(stage: Stage) -> None:
        dittofs.remove_adapter("smb")
        await stage.until(lambda: len(stage.runs) == 4)

    stage.play(script)

    assert stage.counting == [True, False, False, False]


def test_a_run_that_is_refused_has_counted_nothing_and_is_refused_again(
    tmp_path: Path, dittofs: SimulatedDittoFS
) -> None:
    stage = Stage(tmp_path, [settings(dittofs)], absence=LONG, refused=True)
    stage.outcomes = [(RunResult.FAILED, failed("brake"))] * 4

    async def script(stage: Stage) -> None:
        await stage.until(lambda: len(stage.runs) == 4)

    stage.play(script)

    assert stage.counting == [True] * 4, "one that may not count would succeed, and end the refusal"
    assert stage.said(EventKind.FAILED) == ["brake"]


def test_a_run_by_another_engine_waits_while_an_absence_must_not_be_counted(
    tmp_path: Path, dittofs: SimulatedDittoFS
) -> None:
    stage = Stage(tmp_path, [settings(dittofs)], absence=LONG, always_counts=True)

    async def script(stage: Stage) -> None:
        await stage.polls(1)
        dittofs.remove_adapter("smb")
        await stage.until(stage.absent)
        dittofs.set_adapter("nfs", port=12050)
        await stage.polls(10)
        assert stage.runs == ["up"], "the operator's run would count"
        dittofs.set_adapter("smb", port=12445)
        await stage.until(lambda: len(stage.runs) == 2)

    stage.play(script)

    assert stage.said(EventKind.CHANGED) == ["media/nfs moved from port 12049 to 12050"]
