"""Runs beside the watch's loop, on the real engine."""

import asyncio
import threading
from collections.abc import Collection, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest
from pulumi.automation import PulumiCommand

from dittoinfra.exitcodes import ExitCode
from dittoinfra.program.survey import RunRecord, survey
from dittoinfra.stacks.project import Project
from dittoinfra.stacks.project_stack import ProjectStack
from dittoinfra.stacks.result import RunReport
from dittoinfra.watch import stack_runner
from dittoinfra.watch.stack_runner import RunResult, ServerLocks, StackRunner, Stopped
from tests.engine.cli.fleet_bed import Fleet, fleet


def updating(record: RunRecord) -> None:
    """What makes a run an update rather than a preview."""


def runner(command: PulumiCommand, project: Fleet) -> StackRunner:
    return StackRunner(Project(project.root, command, project.environment), at_once=4)


def test_a_run_says_what_the_watch_has_to_know(pulumi_cli: PulumiCommand, tmp_path: Path) -> None:
    with fleet(tmp_path, pulumi_cli) as project:
        project.add_stack("prod")
        runs = runner(pulumi_cli, project)
        previewed = asyncio.run(runs.run("prod", None))
        updated = asyncio.run(runs.run("prod", updating))
        again = asyncio.run(runs.run("prod", updating))
        messages = [entry["message"] for entry in project.stack("prod").history()]

    assert messages[1] == (
        "dittoinfra watch: 1 to create\ncreate Service media/nfs: served, not in the stack yet"
    )
    assert [ran.result for ran in (previewed, updated, again)] == [
        RunResult.CHANGED,
        RunResult.CHANGED,
        RunResult.UNCHANGED,
    ]
    assert previewed.targets is not None
    assert previewed.targets.memory.get("media", {}) == {}
    assert updated.targets is not None
    assert again.targets is not None
    assert updated.targets.memory_after() == again.targets.memory == again.targets.memory_after()
    assert again.targets.memory_after()["media"]["nfs"].port == 12049


def test_a_configuration_that_is_edited_while_servers_are_asked_is_read_again(
    pulumi_cli: PulumiCommand, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    announced: list[list[str]] = []

    def decided(record: RunRecord) -> None:
        announced.append([removal.name for removal in record.decision.adapters.removals])

    with fleet(tmp_path, pulumi_cli) as project:
        project.server("prod").set_adapter("smb", port=12445)
        project.add_stack("prod")
        runs = runner(pulumi_cli, project)
        asyncio.run(runs.run("prod", updating))
        project.server("prod").disable("smb")

        def edited_meanwhile(*given: Any, **named: Any) -> RunRecord:  # noqa: ANN401 - as it is called
            record = survey(*given, **named)
            project.set_values("prod", {"dittoinfra:removal": "never"})
            return record

        monkeypatch.setattr(stack_runner, "survey", edited_meanwhile)
        run = asyncio.run(runs.run("prod", decided))

    assert run.report.ok, run.report
    assert announced == [[]], "the removal that only the former configuration leads to"


def test_a_server_that_is_known_to_be_silent_is_asked_once(pulumi_cli: PulumiCommand, tmp_path: Path) -> None:
    with fleet(tmp_path, pulumi_cli) as project:
        project.add_stack("prod")
        runs, server = runner(pulumi_cli, project), project.server("prod")
        server.delay(30)

        def requests(silent: frozenset[str]) -> int:
            server.forget_requests()
            asyncio.run(runs.run("prod", None, silent=silent))
            return len(server.requests)

        assert requests(frozenset()) > 1
        assert requests(frozenset({"media"})) == 1


def test_a_run_that_was_cancelled_elsewhere_has_failed(
    pulumi_cli: PulumiCommand, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(ProjectStack, "up", lambda stack: RunReport.failed("cancelled", ExitCode.CANCELLED))
    runs = StackRunner(Project(tmp_path, pulumi_cli, {}), at_once=1)

    assert asyncio.run(runs.run("prod", updating)).result is RunResult.FAILED, "and is tried again"


def test_two_stacks_of_one_server_take_turns(
    pulumi_cli: PulumiCommand, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    asked: list[frozenset[str]] = []
    holders: list[str] = []
    both_asked, overlapping, created = threading.Event(), threading.Event(), list[bool]()
    held = ServerLocks.held

    @contextmanager
    def noted(locks: ServerLocks, servers: Collection[str]) -> Iterator[None]:
        asked.append(frozenset(servers))
        if len(asked) == 2:
            both_asked.set()
        with held(locks, servers):
            holders.append(threading.current_thread().name)
            if len(holders) > 1:
                overlapping.set()
            yield
            holders.pop()

    def at_work(operation: str, urn: str) -> str | None:
        if operation == "create":
            # The first stack goes on when the second one wants the server, too.
            created.append(both_asked.wait(60) and len(holders) == 1)
        return None

    async def both(runs: StackRunner) -> list[RunResult]:
        ran = await asyncio.gather(runs.run("one", updating), runs.run("two", updating))
        return [each.result for each in ran]

    monkeypatch.setattr(ServerLocks, "held", noted)
    with fleet(tmp_path, pulumi_cli, fail_on=at_work) as project:
        block = project.block("one")
        project.add_stack("one", block)
        project.add_stack("two", block)
        results = asyncio.run(both(runner(pulumi_cli, project)))

    assert results == [RunResult.CHANGED, RunResult.CHANGED]
    assert asked == [{project.server("one").url}] * 2
    assert created == [True, True], "each Service is made while one run alone has the server"
    assert not overlapping.is_set()


def test_a_run_that_does_not_stop_in_time_is_killed(
    pulumi_cli: PulumiCommand, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(stack_runner, "STOP_SECONDS", 1.0)
    reached, go_on = threading.Event(), threading.Event()

    def hold(operation: str, urn: str) -> str | None:
        if operation == "create":
            reached.set()
            go_on.wait(60)
        return None

    async def stopped_in_the_middle(runs: StackRunner) -> Stopped:
        run = asyncio.create_task(runs.run("prod", updating))
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
