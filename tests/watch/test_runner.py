"""Runs beside the watch's loop, on the real engine."""

import asyncio
import threading
from pathlib import Path

import pytest
from pulumi.automation import PulumiCommand

from dittoinfra.automation import Project, ProjectStack, RunReport
from dittoinfra.exitcodes import ExitCode
from dittoinfra.watch import runner as runner_module
from dittoinfra.watch.runner import Result, Runner, Stopped
from tests.cli.fleet_bed import Fleet, fleet


def runner(command: PulumiCommand, project: Fleet) -> Runner:
    return Runner(Project(project.root, command, project.environment), at_once=4)


def test_a_run_says_what_the_watch_has_to_know(pulumi_cli: PulumiCommand, tmp_path: Path) -> None:
    with fleet(tmp_path, pulumi_cli) as project:
        project.add_stack("prod")
        runs = runner(pulumi_cli, project)
        previewed = asyncio.run(runs.preview("prod"))
        updated = asyncio.run(runs.up("prod"))
        again = asyncio.run(runs.up("prod"))

    assert [ran.result for ran in (previewed, updated, again)] == [
        Result.CHANGED,
        Result.CHANGED,
        Result.UNCHANGED,
    ]
    assert previewed.heard is not None
    assert previewed.heard.held_before() == {"media": {}}
    assert updated.heard is not None
    assert again.heard is not None
    assert updated.heard.held_after() == again.heard.held_before() == again.heard.held_after()
    assert again.heard.held_after()["media"]["nfs"].port == 12049


def test_a_run_that_somebody_else_cancelled_has_failed(
    pulumi_cli: PulumiCommand, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(ProjectStack, "up", lambda stack: RunReport.failed("cancelled", ExitCode.CANCELLED))
    runs = Runner(Project(tmp_path, pulumi_cli, {}), at_once=1)

    assert asyncio.run(runs.up("prod")).result is Result.FAILED, "and is tried again"


def test_two_stacks_of_one_server_take_turns(pulumi_cli: PulumiCommand, tmp_path: Path) -> None:
    first, overlapping = threading.Event(), threading.Event()

    def at_work(operation: str, urn: str) -> str | None:
        if operation == "create":
            stack = urn.split("::")[0]
            if not first.is_set():
                first.set()
                owners.append(stack)
                # The other one would be here within a second or two, if it did not have to wait.
                overlapping.wait(5)
            elif stack != owners[0] and not done.is_set():
                overlapping.set()
        return None

    owners: list[str] = []
    done = threading.Event()

    async def both(runs: Runner) -> list[Result]:
        async def one(stack: str) -> Result:
            ran = await runs.up(stack)
            if stack in owners[0]:
                done.set()
            return ran.result

        return list(await asyncio.gather(one("one"), one("two")))

    with fleet(tmp_path, pulumi_cli, fail_on=at_work) as project:
        block = project.block("one")
        project.add_stack("one", block)
        project.add_stack("two", block)
        results = asyncio.run(both(runner(pulumi_cli, project)))

    assert results == [Result.CHANGED, Result.CHANGED]
    assert not overlapping.is_set()


def test_a_run_that_does_not_stop_in_time_is_killed(
    pulumi_cli: PulumiCommand, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(runner_module, "STOP_SECONDS", 1.0)
    reached, go_on = threading.Event(), threading.Event()

    def hold(operation: str, urn: str) -> str | None:
        if operation == "create":
            reached.set()
            go_on.wait(60)
        return None

    async def stopped_in_the_middle(runs: Runner) -> Stopped:
        run = asyncio.create_task(runs.up("prod"))
        while not reached.is_set():
            await asyncio.sleep(0.01)
        run.cancel()
        stopped = await runs.stop()
        await asyncio.gather(run, return_exceptions=True)
        return stopped

    with fleet(tmp_path, pulumi_cli, fail_on=hold) as project:
        project.add_stack("prod")
        stopped = asyncio.run(stopped_in_the_middle(runner(pulumi_cli, project)))
        go_on.set()

    assert stopped == Stopped(interrupted=(), killed=("prod",))
