"""When a watched stack is run, and what is said about it."""

import asyncio
import ssl
from pathlib import Path

import pytest

from dittoinfra.changes import Changes
from dittoinfra.model import RememberedAdapter
from dittoinfra.settings import ServerSettings
from dittoinfra.stacks.result import Diagnostic, RunReport
from dittoinfra.watch.adapter_changes import AdapterChange
from dittoinfra.watch.cluster_follower import ClusterFollower
from dittoinfra.watch.confirmation import Confirmation
from dittoinfra.watch.stack_runner import RunResult
from dittoinfra.watch.watch_events import EventKind
from lab.simulator import SimulatedDittoFS
from tests.pure.decide.make import answer, serving
from tests.unit.status.make import record
from tests.unit.watch.stage import PASSWORD, Stage, failed, held, settings


@pytest.fixture
def stage(tmp_path: Path, dittofs: SimulatedDittoFS) -> Stage:
    return Stage(tmp_path, [settings(dittofs)])


def test_a_stack_is_run_once_and_then_only_asked(stage: Stage) -> None:
    async def script(stage: Stage) -> None:
        await stage.polls(10)

    stage.play(script)

    assert stage.runs == ["up"]
    assert stage.said() == ["up to date: nothing to change"]


def test_a_change_is_followed_by_one_run(stage: Stage, dittofs: SimulatedDittoFS) -> None:
    async def script(stage: Stage) -> None:
        await stage.polls(2)
        dittofs.set_adapter("nfs", port=12050)
        await stage.until(lambda: len(stage.runs) == 2)
        await stage.polls(5)

    stage.play(script)

    assert stage.runs == ["up", "up"]
    assert stage.said(EventKind.CHANGED) == ["media/nfs moved from port 12049 to 12050"]


def test_an_absence_is_counted_by_runs_until_the_adapter_goes(
    stage: Stage, dittofs: SimulatedDittoFS
) -> None:
    async def script(stage: Stage) -> None:
        await stage.polls(1)
        dittofs.remove_adapter("smb")
        await stage.until(lambda: len(stage.runs) == 4)
        await stage.polls(5)

    stage.play(script)

    assert stage.runs == ["up"] * 4
    assert stage.said(EventKind.CHANGED) == [f"media/smb is absent {count}/3" for count in (1, 2, 3)]
    assert set(stage.held["media"]) == {"nfs"}


def test_a_removal_that_the_same_run_takes_back_is_reported_as_kept(stage: Stage) -> None:
    [media] = stage.servers
    memory = {"media": {"smb": RememberedAdapter("smb", 12445, absences=2)}}
    removes = record([media], memory, {"media": answer(serving("nfs", 12049))})
    keeps = record([media], memory, {"media": answer(serving("nfs", 12049), serving("smb", 12445))})
    stage.decisions = [removes, removes, keeps]

    async def script(stage: Stage) -> None:
        await stage.until(lambda: stage.said(EventKind.UPDATED))

    stage.play(script)

    assert stage.said(EventKind.REMOVING, EventKind.WARNED) == [
        "media/smb is absent 3/3: its Service is removed",
        "media/smb is kept after all: the stack changed since it was read",
    ]


def test_what_is_over_before_it_has_lasted_is_no_change(stage: Stage, dittofs: SimulatedDittoFS) -> None:
    stage.debounce = 1.0

    async def script(stage: Stage) -> None:
        await stage.polls(1)
        # A moved port stops its adapter for a moment: seen once, and over when looked at again.
        dittofs.remove_adapter("nfs")
        await stage.until(lambda: stage.absent())
        dittofs.set_adapter("nfs", port=12049)
        await stage.polls(4)

    stage.play(script)

    assert stage.runs == ["up"]
    assert stage.said(EventKind.CHANGED) == []


def test_silence_is_one_line_and_no_run(stage: Stage, dittofs: SimulatedDittoFS) -> None:
    async def script(stage: Stage) -> None:
        await stage.polls(1)
        dittofs.stop()
        await stage.polls(3)
        dittofs.start()
        await stage.until(lambda: stage.said(EventKind.ANSWERING))
        await stage.polls(3)

    stage.play(script)

    assert stage.runs == ["up"]
    [silent] = stage.said(EventKind.SILENT)
    assert silent.startswith("media is unreachable: ")
    assert silent.endswith("; its adapters stay as they are")
    assert stage.said(EventKind.ANSWERING) == ["media answers again"]


def test_a_run_is_told_which_servers_are_silent(stage: Stage, dittofs: SimulatedDittoFS) -> None:
    def configure(namespace: str) -> None:
        (stage.root / "Pulumi.prod.yaml").write_text(f"config: {{dittoinfra:namespace: {namespace}}}")

    async def script(stage: Stage) -> None:
        await stage.polls(1)
        dittofs.stop()
        await stage.until(lambda: stage.said(EventKind.SILENT))
        configure("one")
        await stage.until(lambda: len(stage.runs) == 2)
        dittofs.start()
        await stage.until(lambda: stage.said(EventKind.ANSWERING))
        configure("two")
        await stage.until(lambda: len(stage.runs) == 3)

    stage.play(script)

    assert stage.silent[:3] == [frozenset(), {"media"}, frozenset()]


def test_a_server_that_changed_while_it_was_silent_is_followed(
    stage: Stage, dittofs: SimulatedDittoFS
) -> None:
    async def script(stage: Stage) -> None:
        await stage.polls(1)
        dittofs.stop()
        await stage.until(lambda: stage.said(EventKind.SILENT))
        dittofs.disable("smb")
        dittofs.start()
        await stage.until(lambda: len(stage.runs) == 2)

    stage.play(script)

    assert stage.said(EventKind.CHANGED) == ["media/smb is disabled"]


def test_a_failed_run_is_tried_again_later_and_told_once(stage: Stage) -> None:
    stage.outcomes = [(RunResult.FAILED, failed("the cluster went away"))] * 3

    async def script(stage: Stage) -> None:
        began = asyncio.get_running_loop().time()
        await stage.until(lambda: len(stage.runs) == 4)
        # Each wait is twice the one before: 1 + 2 + 4 intervals, less what the dice took off.
        assert asyncio.get_running_loop().time() - began > 7 * 0.9 * stage.interval
        await stage.polls(2)

    stage.play(script)

    assert stage.said() == ["the cluster went away", "up to date: nothing to change"]


def test_a_warning_is_told_when_it_is_new(stage: Stage, dittofs: SimulatedDittoFS) -> None:
    warned = RunReport(Changes(), (), (Diagnostic("warning", "media: ServiceMonitor is unknown"),), 0)
    stage.outcomes = [(RunResult.UNCHANGED, warned), (RunResult.UNCHANGED, warned)]

    async def script(stage: Stage) -> None:
        await stage.polls(1)
        dittofs.set_adapter("nfs", port=12050)
        await stage.until(lambda: len(stage.said(EventKind.UPDATED)) == 2)

    stage.play(script)

    assert stage.said(EventKind.WARNED) == ["media: ServiceMonitor is unknown"]


def test_a_locked_stack_is_waited_for(stage: Stage) -> None:
    stage.outcomes = [(RunResult.LOCKED, failed("the stack is currently locked by 1 lock(s)"))] * 3

    async def script(stage: Stage) -> None:
        await stage.until(lambda: len(stage.runs) == 4)
        await stage.polls(1)

    stage.play(script)

    assert stage.said() == [
        "is locked by another run: waiting for its end",
        "up to date: nothing to change",
    ]


def test_a_changed_configuration_is_a_run_and_need_not_wait_for_a_retry(stage: Stage) -> None:
    stage.interval = 0.5
    stage.outcomes = [(RunResult.FAILED, failed("dittoinfra:servers: is wrong", 2))] * 6

    async def script(stage: Stage) -> None:
        await stage.until(lambda: len(stage.outcomes) == 2)
        began = asyncio.get_running_loop().time()
        del stage.outcomes[:]
        (stage.root / "Pulumi.prod.yaml").write_text("config: {dittoinfra:namespace: one}")
        await stage.until(lambda: len(stage.runs) == 5)
        assert asyncio.get_running_loop().time() - began < 3, "the next retry was due in 4 s"
        await stage.polls(1)
        (stage.root / "Pulumi.prod.yaml").write_text("config: {dittoinfra:namespace: two}")
        await stage.until(lambda: len(stage.runs) == 6)

    stage.play(script)

    assert stage.said(EventKind.CHANGED) == ["its configuration changed"]


def test_a_server_whose_silence_stops_a_run_is_waited_for(tmp_path: Path, dittofs: SimulatedDittoFS) -> None:
    with SimulatedDittoFS(admin_password=PASSWORD) as other:
        stage = Stage(tmp_path, [settings(dittofs), settings(other, "strict", onUnreachable="fail")])

        async def script(stage: Stage) -> None:
            await stage.polls(1)
            other.stop()
            await stage.until(lambda: stage.said(EventKind.SILENT))
            dittofs.set_adapter("nfs", port=12050)
            await stage.until(lambda: stage.said(EventKind.WAITING))
            await stage.polls(5)
            assert stage.runs == ["up"]
            other.start()
            await stage.until(lambda: len(stage.runs) == 2)

        stage.play(script)

    assert stage.said(EventKind.WAITING) == [
        "changed, but strict does not answer (onUnreachable: fail): waiting for it"
    ]


def test_a_run_that_silence_stopped_is_tried_when_the_server_answers(
    tmp_path: Path, dittofs: SimulatedDittoFS
) -> None:
    stage = Stage(tmp_path, [settings(dittofs, onUnreachable="fail")])
    stage.outcomes = [(RunResult.FAILED, failed("media: unreachable"))]
    dittofs.stop()

    async def script(stage: Stage) -> None:
        await stage.polls(3)
        assert stage.runs == ["up"]
        dittofs.start()
        await stage.until(lambda: len(stage.runs) == 2)

    stage.play(script)

    assert stage.said(EventKind.FAILED) == ["media: unreachable"]


def test_a_run_stopped_by_a_server_that_cannot_be_asked_is_tried_again_by_the_clock(tmp_path: Path) -> None:
    nowhere = ServerSettings.model_validate({"name": "media", "onUnreachable": "fail"})
    stage = Stage(tmp_path, [nowhere], outcomes=[(RunResult.FAILED, failed("media: is not asked"))] * 3)

    async def script(stage: Stage) -> None:
        began = asyncio.get_running_loop().time()
        await stage.until(lambda: len(stage.runs) == 4)
        assert asyncio.get_running_loop().time() - began > 7 * 0.9 * stage.interval

    stage.play(script)

    assert stage.said(EventKind.FAILED) == ["media: is not asked"]


def test_without_a_first_update_only_what_changed_since_the_last_one_is_a_reason(
    stage: Stage, dittofs: SimulatedDittoFS
) -> None:
    stage.initial = False
    held(stage, stage.servers[0], answer(serving("nfs", 12049)))

    async def script(stage: Stage) -> None:
        await stage.until(lambda: len(stage.runs) == 2)
        await stage.polls(3)

    stage.play(script)

    assert stage.runs == ["preview", "up"]
    assert stage.said(EventKind.CHANGED) == ["media/smb is new on port 12445"]
    assert stage.said(EventKind.STARTED) == ["followed from here on; an update would find: nothing to change"]


def test_an_interrupted_run_ends_the_watch_of_its_stack(stage: Stage) -> None:
    stage.outcomes = [(RunResult.INTERRUPTED, failed("cancelled", 8))]

    async def script(stage: Stage) -> None:
        await stage.until(lambda: False)  # fails, unless the watch ends before

    stage.play(script)

    assert (stage.runs, stage.said()) == (["up"], [])


def test_a_server_that_left_the_configuration_is_forgotten(tmp_path: Path, dittofs: SimulatedDittoFS) -> None:
    with SimulatedDittoFS(admin_password=PASSWORD) as other:
        stage = Stage(tmp_path, [settings(dittofs), settings(other, "other")])

        async def script(stage: Stage) -> None:
            await stage.polls(2, "other")
            del stage.servers[1]
            (stage.root / "Pulumi.prod.yaml").write_text("config: {dittoinfra:namespace: one}")
            await stage.until(lambda: len(stage.runs) == 2)
            await stage.polls(3)

        stage.play(script)

    assert stage.polled("other") == 0


def test_a_configuration_that_vanishes_is_no_change_and_starts_no_run(
    stage: Stage, dittofs: SimulatedDittoFS
) -> None:
    file = stage.root / "Pulumi.prod.yaml"
    file.write_text("config: {dittoinfra:namespace: one}\n")

    async def script(stage: Stage) -> None:
        await stage.polls(1)
        file.unlink()
        await stage.until(lambda: stage.said(EventKind.WARNED))
        dittofs.set_adapter("nfs", port=12050)
        await stage.polls(5)
        file.write_text("encryptionsalt: v1:abc\n")
        await stage.polls(5)
        assert stage.runs == ["up"]
        file.write_text("config: {dittoinfra:namespace: one}\n")
        await stage.until(lambda: len(stage.runs) == 2)

    stage.play(script)

    assert stage.said(EventKind.WARNED) == [
        f"{file} is gone: the stack stays as it is, and is not run until the file is back"
    ]
    assert stage.said(EventKind.RESTORED) == ["its configuration can be read again"]
    assert stage.said(EventKind.CHANGED) == ["media/nfs moved from port 12049 to 12050"]


def test_a_configuration_that_is_back_as_it_was_is_no_reason_for_a_run(stage: Stage) -> None:
    text = "config: {dittoinfra:namespace: one}\n"
    (stage.root / "Pulumi.prod.yaml").write_text(text)

    async def script(stage: Stage) -> None:
        await stage.polls(1)
        (stage.root / "Pulumi.prod.yaml").unlink()
        await stage.until(lambda: stage.said(EventKind.WARNED))
        (stage.root / "Pulumi.prod.yaml").write_text(f"# written anew\n{text}")
        await stage.until(lambda: stage.said(EventKind.RESTORED))
        await stage.polls(5)

    stage.play(script)

    assert stage.runs == ["up"]


def test_half_of_a_configuration_is_not_acted_on(stage: Stage) -> None:
    stage.debounce = 0.5
    file = stage.root / "Pulumi.prod.yaml"
    file.write_text("config:\n  dittoinfra:namespace: one\n  dittoinfra:absencePolls: 3\n")

    async def script(stage: Stage) -> None:
        whole = file.read_text()
        await stage.polls(1)
        file.write_text(whole[:-30])
        await stage.polls(3)
        file.write_text(whole)
        await stage.polls(30)

    stage.play(script)

    assert stage.runs == ["up"]


def test_a_run_that_failed_is_tried_again_at_once_when_a_server_says_something_else(
    stage: Stage, dittofs: SimulatedDittoFS
) -> None:
    stage.interval = 0.2
    stage.outcomes = [(RunResult.FAILED, failed("brake: this run would remove media/smb (absent)"))] * 6

    async def script(stage: Stage) -> None:
        await stage.until(lambda: len(stage.outcomes) == 2)
        del stage.outcomes[:]
        runs = len(stage.runs)
        dittofs.set_adapter("nfs", port=12050)
        began = asyncio.get_running_loop().time()
        await stage.until(lambda: len(stage.runs) > runs)
        assert asyncio.get_running_loop().time() - began < 2, "the next retry was due in 3.2 s"

    stage.play(script)

    assert stage.said(EventKind.FAILED) == ["brake: this run would remove media/smb (absent)"]


def test_what_changes_again_and_again_does_not_make_failed_runs_back_to_back(
    stage: Stage, monkeypatch: pytest.MonkeyPatch
) -> None:
    relabelled = {"media": (AdapterChange("media has other labels"),)}
    monkeypatch.setattr(ClusterFollower, "changes", lambda _: relabelled)
    stage.interval = 0.2
    stage.outcomes = [(RunResult.FAILED, failed("brake: this run would remove media/smb (absent)"))] * 6
    began: list[float] = []

    async def script(stage: Stage) -> None:
        for number in range(1, 6):
            await stage.until(lambda: len(stage.runs) >= number)  # noqa: B023 - awaited here
            began.append(asyncio.get_running_loop().time())

    stage.play(script)

    # The first change is tried at once; from then on the waits are those that earlier changes have shortened.
    assert began[4] - began[0] > (1 + 4) * 0.9 * stage.interval


def test_a_server_is_followed_on_when_its_certificate_could_not_be_read(
    stage: Stage, dittofs: SimulatedDittoFS
) -> None:
    async def script(stage: Stage) -> None:
        await stage.polls(1)
        dittofs.stop()
        await stage.until(lambda: stage.said(EventKind.SILENT))
        stage.access_fails = ssl.SSLError("[SSL] PEM lib")
        await stage.polls(3)
        stage.access_fails = None
        dittofs.set_adapter("nfs", port=12050)
        dittofs.start()
        await stage.until(lambda: len(stage.runs) == 2)

    stage.play(script)

    assert stage.said(EventKind.CHANGED) == ["media/nfs moved from port 12049 to 12050"]


def test_a_certificate_that_cannot_be_read_after_a_run_is_a_silence(stage: Stage) -> None:
    stage.access_fails_after_runs = ssl.SSLError("[SSL] PEM lib")

    async def script(stage: Stage) -> None:
        await stage.until(lambda: stage.said(EventKind.SILENT))
        stage.access_fails = None
        await stage.until(lambda: stage.said(EventKind.ANSWERING))

    stage.play(script)

    assert stage.runs == ["up"]
    [silent] = stage.said(EventKind.SILENT)
    assert silent == (
        "media is unreachable: api: internal error: SSLError; please report it; its adapters stay as they are"
    )


def test_a_fault_of_ours_while_following_is_told_once_and_the_server_is_asked_again(
    stage: Stage, dittofs: SimulatedDittoFS, monkeypatch: pytest.MonkeyPatch
) -> None:
    async def script(stage: Stage) -> None:
        await stage.polls(1)
        with monkeypatch.context() as broken:
            broken.setattr(Confirmation, "heard", lambda *_: 1 / 0)
            await stage.polls(3)
        dittofs.set_adapter("nfs", port=12050)
        await stage.until(lambda: len(stage.runs) == 2)

    stage.play(script)

    assert stage.said(EventKind.FAILED) == [
        "media: internal error: ZeroDivisionError; please report it; it is asked again"
    ]
