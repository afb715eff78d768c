"""Runs that follow on each other within seconds, on the real engine."""

import asyncio
from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from pulumi.automation import PulumiCommand

from dittoinfra.program.survey import RunRecord
from dittoinfra.stacks.project import Project
from dittoinfra.stacks.project_stack import ProjectStack
from dittoinfra.stacks.recovery import settle
from dittoinfra.stacks.result import RunReport
from dittoinfra.stacks.stack_survey import StoredStack, read_stack
from dittoinfra.watch import stack_runner
from dittoinfra.watch.stack_runner import FinishedRun, RunResult, StackRunner
from dittoinfra.watch.stack_watch import planned_removals
from tests.engine.cli.fleet_bed import Fleet, fleet


def updating(record: RunRecord) -> None:
    """What makes a run an update rather than a preview."""


def up(runs: StackRunner, *, counts: bool = True) -> FinishedRun:
    return asyncio.run(runs.run("prod", updating, counts_absences=counts))


def held(run: FinishedRun) -> Mapping[str, tuple[int | None, int]]:
    assert run.targets is not None
    return {name: (a.port, a.absences) for name, a in run.targets.memory_after()["media"].items()}


def runner(command: PulumiCommand, project: Fleet, *, reads_ahead: bool) -> StackRunner:
    return StackRunner(Project(project.root, command, project.environment), 4, reads_ahead=reads_ahead)


def test_a_run_that_may_not_count_follows_everything_else(pulumi_cli: PulumiCommand, tmp_path: Path) -> None:
    with fleet(tmp_path, pulumi_cli) as project:
        project.add_stack("prod")
        dittofs = project.server("prod")
        dittofs.set_adapter("smb", port=12445)
        runs = runner(pulumi_cli, project, reads_ahead=False)
        up(runs)
        dittofs.remove_adapter("smb")
        assert held(up(runs)) == {"nfs": (12049, 0), "smb": (12445, 1)}
        dittofs.set_adapter("nfs", port=12050)

        moved = up(runs, counts=False)
        same = up(runs, counts=False)
        gone = [held(up(runs)) for _ in range(2)]

    assert held(moved) == {"nfs": (12050, 0), "smb": (12445, 1)}
    assert (same.result, held(same)) == (RunResult.UNCHANGED, held(moved))
    assert gone == [{"nfs": (12050, 0), "smb": (12445, 2)}, {"nfs": (12050, 0)}]


def test_a_run_that_fails_at_a_step_is_not_repeated_at_once_and_counts_once(
    pulumi_cli: PulumiCommand, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def settled_and_failed(*given: Any) -> RunReport:  # noqa: ANN401 - those of `settle`
        report = settle(*given)
        tried = tuple(replace(step, done=False, failed=True) for step in report.steps)
        return replace(report, steps=tried, exit_code=1)

    with fleet(tmp_path, pulumi_cli) as project:
        project.add_stack("prod")
        dittofs = project.server("prod")
        dittofs.set_adapter("smb", port=12445)
        runs = runner(pulumi_cli, project, reads_ahead=True)
        up(runs)
        dittofs.remove_adapter("smb")
        with monkeypatch.context() as failing:
            # The count is stored, and then an object cannot be updated.
            failing.setattr(stack_runner, "settle", settled_and_failed)
            assert up(runs).result is RunResult.FAILED
        after = up(runs, counts=False)
        asyncio.run(runs.stop())

    assert held(after) == {"nfs": (12049, 0), "smb": (12445, 1)}


def test_a_stack_that_was_read_ahead_is_read_again_where_it_has_changed(
    pulumi_cli: PulumiCommand, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    reads: list[str] = []

    def counted(stack: ProjectStack) -> StoredStack:
        reads.append(stack.name)
        return read_stack(stack)

    with fleet(tmp_path, pulumi_cli) as project:
        project.add_stack("prod")
        dittofs = project.server("prod")
        runs = runner(pulumi_cli, project, reads_ahead=True)
        monkeypatch.setattr(stack_runner, "read_stack", counted)
        assert up(runs).result is RunResult.CHANGED
        dittofs.set_adapter("nfs", port=12050)
        followed = up(runs)
        # Another run updates the stack meanwhile: what was read ahead does not hold any more.
        dittofs.set_adapter("nfs", port=12051)
        assert project.run("up", "prod", "--yes").returncode == 0
        dittofs.set_adapter("nfs", port=12052)
        again = up(runs)
        asyncio.run(runs.stop())

    assert (followed.result, held(followed)) == (RunResult.CHANGED, {"nfs": (12050, 0)})
    assert (again.result, held(again)) == (RunResult.CHANGED, {"nfs": (12052, 0)})
    # For the first run; ahead of the second, of the third and of one that never came; for the third again.
    assert len(reads) == 5


def test_an_edited_configuration_decides_once_and_by_itself(
    pulumi_cli: PulumiCommand, tmp_path: Path
) -> None:
    decisions: list[list[str]] = []

    with fleet(tmp_path, pulumi_cli) as project:
        project.add_stack("prod", absencePolls=1)
        dittofs = project.server("prod")
        dittofs.set_adapter("smb", port=12445)
        runs = runner(pulumi_cli, project, reads_ahead=True)
        up(runs)
        dittofs.remove_adapter("smb")
        project.add_stack("prod", absencePolls=3)
        run = asyncio.run(
            runs.run("prod", lambda this: decisions.append([text for _, text in planned_removals(this)]))
        )
        asyncio.run(runs.stop())

    assert decisions == [[]]
    assert held(run) == {"nfs": (12049, 0), "smb": (12445, 1)}
