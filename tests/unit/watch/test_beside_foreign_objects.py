"""What a run leaves out because of objects of other managers is tried again by the clock alone."""

import asyncio
from dataclasses import replace
from pathlib import Path

import pytest

from dittoinfra.changes import Changes
from dittoinfra.decide.set_aside import SetAside
from dittoinfra.model import Nonsense, RememberedAdapter
from dittoinfra.stacks.result import Diagnostic, RunReport
from dittoinfra.watch.server_poller import PollTargets
from dittoinfra.watch.stack_runner import RunResult
from dittoinfra.watch.watch_events import EventKind
from lab.simulator import SimulatedDittoFS
from tests.pure.decide.make import answer, server, serving
from tests.unit.status.make import record
from tests.unit.watch.stage import Stage, settings

WITHOUT_SMB = SetAside(adapters={"media": frozenset({"smb"})})
HELD = SetAside(held={"media": Nonsense("Service media-adapter-nfs exists already")})


@pytest.fixture
def stage(tmp_path: Path, dittofs: SimulatedDittoFS) -> Stage:
    return Stage(tmp_path, [settings(dittofs)], aside=WITHOUT_SMB)


def test_an_adapter_that_was_left_out_is_no_change_and_is_tried_again_after_growing_waits(
    stage: Stage,
) -> None:
    async def script(stage: Stage) -> None:
        began = asyncio.get_running_loop().time()
        await stage.until(lambda: len(stage.runs) == 4)
        # Each wait is twice the one before: 1 + 2 + 4 intervals, less what the dice took off.
        assert asyncio.get_running_loop().time() - began > 7 * 0.9 * stage.interval
        assert set(stage.held["media"]) == {"nfs"}

    stage.play(script)

    assert stage.said(EventKind.CHANGED) == []


def test_it_is_followed_as_any_other_once_nothing_is_in_its_way(
    stage: Stage, dittofs: SimulatedDittoFS
) -> None:
    async def script(stage: Stage) -> None:
        await stage.until(lambda: len(stage.runs) == 2)
        stage.aside = SetAside()
        await stage.until(lambda: "smb" in stage.held["media"])
        runs = len(stage.runs)
        await stage.polls(10)
        assert len(stage.runs) == runs, "nothing is left out any more"
        dittofs.set_adapter("smb", port=12446)
        await stage.until(lambda: len(stage.runs) == runs + 1)

    stage.play(script)

    assert stage.said(EventKind.CHANGED) == ["media/smb moved from port 12445 to 12446"]


def test_the_other_adapters_of_its_server_need_not_wait(stage: Stage, dittofs: SimulatedDittoFS) -> None:
    stage.interval = 0.4

    async def script(stage: Stage) -> None:
        await stage.until(lambda: len(stage.runs) == 4)
        # The fourth run is over when its servers are polled again; the next try is due in 3.2 s.
        await stage.polls(2)
        dittofs.set_adapter("nfs", port=12050)
        await stage.until(lambda: len(stage.runs) == 5)

    stage.play(script)

    # It is what the fifth run was for.
    assert stage.said(EventKind.CHANGED) == ["media/nfs moved from port 12049 to 12050"]


def test_a_try_waits_for_a_server_whose_silence_would_stop_it(
    tmp_path: Path, dittofs: SimulatedDittoFS
) -> None:
    stage = Stage(tmp_path, [settings(dittofs, onUnreachable="fail")], interval=0.2, aside=WITHOUT_SMB)

    async def script(stage: Stage) -> None:
        dittofs.stop()
        await stage.until(lambda: stage.said(EventKind.SILENT))
        runs = len(stage.runs)
        await stage.polls(3)
        assert len(stage.runs) == runs
        dittofs.start()
        await stage.until(lambda: len(stage.runs) > runs)

    stage.play(script)

    assert stage.said(EventKind.WAITING, EventKind.CHANGED) == []


def test_a_server_that_is_held_is_not_asked(tmp_path: Path, dittofs: SimulatedDittoFS) -> None:
    stage = Stage(tmp_path, [settings(dittofs), settings(dittofs, "other")], aside=HELD)

    async def script(stage: Stage) -> None:
        await stage.polls(3, "other")
        assert stage.polled("media") == 0
        stage.aside = SetAside()
        await stage.polls(2, "media")

    stage.play(script)

    assert stage.said(EventKind.CHANGED, EventKind.SILENT) == []
    assert set(stage.held["media"]) == {"nfs", "smb"}


def test_that_a_server_is_held_is_told_once(tmp_path: Path, dittofs: SimulatedDittoFS) -> None:
    media, why = settings(dittofs), HELD.held["media"]
    decided = record([media], {}, {"media": why})
    decided = replace(decided, decision=replace(decided.decision, aside=HELD))
    [line] = map(str, decided.decision.adapters.notes)
    report = RunReport(Changes(), (), (Diagnostic("warning", line),), 0, decided=decided)
    stage = Stage(tmp_path, [media], aside=HELD, outcomes=[(RunResult.UNCHANGED, report)] * 3)

    async def script(stage: Stage) -> None:
        await stage.until(lambda: len(stage.runs) == 3)

    stage.play(script)

    assert stage.said(EventKind.WARNED) == [line]
    assert line.startswith("media: nonsense: Service media-adapter-nfs exists already")


def test_what_another_engine_has_made_all_the_same_is_not_left_out() -> None:
    run = record([server()], {}, {"media": answer(serving("nfs", 12049))})
    run = replace(run, decision=replace(run.decision, aside=WITHOUT_SMB))
    targets = PollTargets(run, {})

    assert targets.left_out("media", {}) == WITHOUT_SMB
    assert targets.left_out("media", {"media": {"smb": RememberedAdapter("smb", 12445)}}).adapters == {
        "media": frozenset()
    }
    assert not any(targets.left_out("other", {}).adapters.values())
