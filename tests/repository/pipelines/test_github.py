"""The workflows for GitHub: their form, their caution, and their commands as they run."""

import json
import re
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
import yaml
from pulumi.automation import PulumiCommand

from tests import ROOT
from tests.engine.cli.fleet_bed import fleet
from tests.repository.pipelines.github_commands import commands
from tests.repository.pipelines.shell import Shell

FOLDER = ROOT / "pipelines" / "github"
WORKFLOWS = sorted(path.name for path in FOLDER.glob("*.yml"))

GH = """#!/usr/bin/env bash
printf '%s\\n' "$*" >> gh.log
case "$*" in
  *--paginate*--jq*) jq --raw-output "${@: -1}" comments.json ;;
esac
"""
"""Stands for GitHub's own command: says which comments there are, and notes what it was told."""


def load(name: str) -> dict[str, Any]:
    workflow = yaml.safe_load((FOLDER / name).read_text())
    assert isinstance(workflow, dict)
    return workflow


def steps(name: str) -> Iterator[tuple[str, dict[str, Any]]]:
    for job, content in load(name)["jobs"].items():
        for step in content["steps"]:
            yield job, step


def lines(name: str, job: str, step: str) -> str:
    """The script of one step."""
    [found] = [s["run"] for j, s in steps(name) if j == job and s.get("name") == step]
    return str(found)


@pytest.fixture
def shell(pulumi_cli: PulumiCommand, tmp_path: Path) -> Iterator[Shell]:
    """A GitHub runner's, in a project with the stacks dev and prod."""
    with fleet(tmp_path, pulumi_cli) as project:
        project.add_stacks("dev", "prod")
        files = {
            name: str(tmp_path / name) for name in ("GITHUB_OUTPUT", "GITHUB_STEP_SUMMARY", "GITHUB_ENV")
        }
        shell = Shell(
            project, {**files, "GITHUB_REPOSITORY": "files/dittoinfra", "RUNNER_TEMP": str(tmp_path)}
        )
        shell.program("gh", GH)
        yield shell


@pytest.mark.parametrize("name", WORKFLOWS)
def test_github_would_take_it(name: str) -> None:
    checker = Path(sys.executable).parent / "check-jsonschema"
    done = subprocess.run(
        [checker, "--builtin-schema", "vendor.github-workflows", FOLDER / name],
        capture_output=True,
        text=True,
        check=False,
    )

    assert done.returncode == 0, done.stdout


@pytest.mark.parametrize("name", WORKFLOWS)
def test_it_may_no_more_than_it_must(name: str) -> None:
    workflow = load(name)

    assert workflow["permissions"] == {}
    for job in workflow["jobs"].values():
        writes = {scope for scope, access in job["permissions"].items() if access == "write"}
        assert writes <= {"pull-requests"}
        assert (writes != set()) is (name == "preview.yml")
        assert job["timeout-minutes"] <= 60


@pytest.mark.parametrize("name", WORKFLOWS)
def test_actions_are_pinned_and_no_secret_or_title_gets_into_a_script(name: str) -> None:
    for _, step in steps(name):
        if "uses" in step:
            assert re.fullmatch(r"actions/[a-z-]+@[0-9a-f]{40}", step["uses"])
        # What is put into a script by the runner is read as part of it; what comes by the environment is not.
        assert "${{" not in step.get("run", "")


@pytest.mark.parametrize("name", WORKFLOWS)
def test_the_linter_has_nothing_to_say(name: str) -> None:
    zizmor = Path(sys.executable).parent / "zizmor"

    done = subprocess.run(
        [zizmor, "--offline", "--no-config", "--no-progress", FOLDER / name],
        capture_output=True,
        text=True,
        check=False,
    )

    assert done.returncode == 0, done.stdout + done.stderr


def test_a_commit_of_an_action_has_its_version_beside_it() -> None:
    lines = [
        line for name in WORKFLOWS for line in (FOLDER / name).read_text().splitlines() if "uses:" in line
    ]
    pinned = [re.fullmatch(r" +- uses: (\S+)@(\S+) # (v\d+\.\d+\.\d+)", line) for line in lines]

    assert all(pinned), lines
    assert len({found.group(1) for found in pinned if found}) == len(
        {found.groups() for found in pinned if found}
    ), "one action, one version"


@pytest.mark.parametrize(
    ("name", "job", "step", "variables"),
    [
        ("preview.yml", "preview", "Preview", {}),
        ("deploy.yml", "plan", "Plan", {"STACK": "prod"}),
        ("scheduled.yml", "deploy", "Deploy", {"STACK": "prod"}),
    ],
)
def test_what_a_server_says_is_no_command_to_the_runner(
    shell: Shell, name: str, job: str, step: str, variables: dict[str, str]
) -> None:
    hostile = "##[add-mask]a\n::error::b\r##[set-output name=stacks]c"
    shell.project.server("prod").answer_with(418, hostile, "text/plain")

    done = shell.run(lines(name, job, step), variables)

    assert "##[add-mask]" in done.stdout + done.stderr, "it is told all the same"
    assert commands(done.stdout + done.stderr) == ["stop-commands"]


def test_a_plan_that_is_refused_gives_the_runner_no_commands(shell: Shell) -> None:
    shell.must(lines("deploy.yml", "plan", "Plan"), {"STACK": "prod"})
    plan = shell.file("plan.json")
    plan.write_text(plan.read_text().replace('"project": "dittoinfra"', '"project": "##[add-mask]a"'))

    done = shell.run(lines("deploy.yml", "deploy", "Deploy"))

    assert done.returncode != 0
    assert "##[add-mask]a" in done.stderr
    assert commands(done.stdout + done.stderr) == ["stop-commands"]


@pytest.mark.parametrize(
    ("name", "job"), [("deploy.yml", "deploy"), ("deploy.yml", "plan"), ("scheduled.yml", "deploy")]
)
def test_runs_of_a_stack_wait_for_each_other_and_those_of_others_do_not(name: str, job: str) -> None:
    assert load(name)["jobs"][job]["concurrency"] == {"group": "dittoinfra-${{ matrix.stack }}"}


def test_the_code_of_forks_never_runs_with_secrets() -> None:
    workflows = {name: load(name) for name in WORKFLOWS}
    # YAML 1.1 reads the key `on` as true.
    asked = {name: workflow[True] for name, workflow in workflows.items()}  # type: ignore[index]

    assert [name for name, triggers in asked.items() if "pull_request" in triggers] == ["preview.yml"]
    assert not any(
        "pull_request_target" in triggers or "workflow_run" in triggers for triggers in asked.values()
    )
    assert workflows["preview.yml"]["jobs"]["preview"]["if"] == (
        "github.event.pull_request.head.repo.full_name == github.repository"
    )


def test_schedules_are_off_the_full_hour() -> None:
    for name in ("scheduled.yml", "drift.yml"):
        # YAML 1.1 reads the key `on` as true.
        [schedule] = load(name)[True]["schedule"]  # type: ignore[index]
        assert schedule["cron"].split()[0] not in {"0", "*"}


def test_the_kubeconfig_is_readable_by_its_owner_only(shell: Shell) -> None:
    script = lines("deploy.yml", "deploy", "Kubeconfig")

    shell.must(script, {"KUBECONFIG_CONTENT": "apiVersion: v1\n"})

    written = shell.file("kubeconfig")
    assert (written.read_text(), written.stat().st_mode & 0o777) == ("apiVersion: v1\n", 0o600)
    assert shell.file("GITHUB_ENV").read_text() == f"KUBECONFIG={written}\n"


@pytest.mark.parametrize("name", ["deploy.yml", "scheduled.yml"])
def test_the_stacks_are_those_that_have_a_file(shell: Shell, name: str) -> None:
    shell.must(lines(name, "stacks", "List the stacks"))

    assert shell.file("GITHUB_OUTPUT").read_text() == 'stacks=["dev","prod"]\n'


def test_a_merge_is_planned_and_exactly_the_plan_is_deployed(shell: Shell) -> None:
    shell.must(lines("deploy.yml", "plan", "Plan"), {"STACK": "prod"})
    assert "prod" in shell.file("GITHUB_STEP_SUMMARY").read_text()
    assert shell.project.services("prod") == {}

    shell.must(lines("deploy.yml", "deploy", "Deploy"))
    assert set(shell.project.services("prod")) == {"media-adapter-nfs"}
    assert shell.project.services("dev") == {}


@pytest.mark.parametrize(
    ("name", "job", "step"),
    [
        ("deploy.yml", "plan", "Plan"),
        ("scheduled.yml", "deploy", "Deploy"),
        ("preview.yml", "preview", "Preview"),
    ],
)
def test_the_summary_tells_of_a_run_that_failed(shell: Shell, name: str, job: str, step: str) -> None:
    shell.project.config_file("prod").write_text("config: {dittoinfra:servres: []}\n")

    assert shell.run(lines(name, job, step), {"STACK": "prod"}).returncode == 2

    assert "servres" in shell.file("GITHUB_STEP_SUMMARY").read_text()


def test_the_summary_tells_of_a_plan_that_is_not_applied_any_more(shell: Shell) -> None:
    shell.must(lines("deploy.yml", "plan", "Plan"), {"STACK": "prod"})
    shell.file("GITHUB_STEP_SUMMARY").unlink()
    shell.project.server("prod").disable("nfs")

    assert shell.run(lines("deploy.yml", "deploy", "Deploy")).returncode != 0

    assert "prod" in shell.file("GITHUB_STEP_SUMMARY").read_text()
    assert shell.project.services("prod") == {}


def test_a_repository_without_a_stack_has_nothing_to_do(shell: Shell) -> None:
    for stack in ("dev", "prod"):
        shell.project.config_file(stack).unlink()

    shell.must(lines("deploy.yml", "stacks", "List the stacks"))

    assert shell.file("GITHUB_OUTPUT").read_text() == "stacks=[]\n"
    for name, jobs in {"deploy.yml": ("plan", "deploy"), "scheduled.yml": ("deploy",)}.items():
        assert all("needs.stacks.outputs.stacks != '[]'" in load(name)["jobs"][job]["if"] for job in jobs)


def test_a_runner_with_a_kubeconfig_of_its_own_keeps_it(shell: Shell) -> None:
    shell.must(lines("deploy.yml", "deploy", "Kubeconfig"), {"KUBECONFIG_CONTENT": ""})

    assert not shell.file("kubeconfig").exists()
    assert not shell.file("GITHUB_ENV").exists()


def test_a_schedule_deploys_one_stack(shell: Shell) -> None:
    shell.must(lines("scheduled.yml", "deploy", "Deploy"), {"STACK": "dev"})

    assert set(shell.project.services("dev")) == {"media-adapter-nfs"}
    assert shell.project.services("prod") == {}


def test_a_pull_request_gets_one_comment_that_is_written_anew(shell: Shell) -> None:
    from dittoinfra.reports.report_formats import MARKER

    def by(author: str, number: int, body: str) -> dict[str, Any]:
        return {"id": number, "body": body, "user": {"login": author}}

    shell.must(lines("preview.yml", "preview", "Preview"))
    assert shell.file("report.md").read_text().startswith(MARKER)
    assert shell.file("GITHUB_STEP_SUMMARY").read_text() == shell.file("report.md").read_text()
    comment = lines("preview.yml", "preview", "Comment")
    # Everyone who may comment can write the marker, too.
    others = [by("mallory", 4710, f"{MARKER} mine"), by("github-actions[bot]", 4711, "of another job")]
    ours = [by("github-actions[bot]", number, f"{MARKER} a report") for number in (4712, 4713)]

    shell.file("comments.json").write_text(json.dumps(others))
    shell.must(comment, {"PULL_REQUEST": "7"})
    shell.file("comments.json").write_text(json.dumps([*others, *ours]))
    shell.must(comment, {"PULL_REQUEST": "7"})

    told = [line for line in shell.file("gh.log").read_text().splitlines() if "--method" in line]
    assert told == [
        "api --method POST repos/files/dittoinfra/issues/7/comments --field body=@report.md --silent",
        "api --method PATCH repos/files/dittoinfra/issues/comments/4712 --field body=@report.md --silent",
    ]


def test_a_morning_with_drift_is_red(shell: Shell) -> None:
    script = lines("drift.yml", "drift", "Drift")
    shell.project.render("dev", "prod")
    shell.must("dittoinfra up --all --yes")
    shell.must(script)

    shell.project.server("prod").set_adapter("smb", port=12445)
    red = shell.run(script)
    assert red.returncode == 7
    assert "prod" in red.stdout, "the log says what has drifted"
    assert "smb" in red.stdout
    summary = shell.file("GITHUB_STEP_SUMMARY").read_text().splitlines()
    assert any("smb" in line for line in summary)
    assert all(line.startswith("    ") for line in summary), (
        "a server's words are text there, and no Markdown"
    )
