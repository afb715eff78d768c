"""The pipeline for GitLab: its form, its caution, and its commands as they run."""

import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
import yaml
from pulumi.automation import PulumiCommand

from lab.bed.credentials import credential
from tests import ROOT
from tests.engine.cli.fleet_bed import fleet
from tests.repository.pipelines.gitlab_api import STRANGER, gitlab
from tests.repository.pipelines.shell import Shell

PIPELINE = ROOT / "pipelines" / "gitlab" / "gitlab-ci.yml"
EXAMPLES = sorted((ROOT / "examples" / "stacks").glob("Pulumi.*.yaml"))
RUNNER = ("-e", "-o", "pipefail")
TOKEN = credential("glpat")


def load() -> dict[str, Any]:
    pipeline = yaml.safe_load(PIPELINE.read_text())
    assert isinstance(pipeline, dict)
    return pipeline


def script(job: str) -> str:
    """A job's own lines; those that install come before them."""
    return "\n".join(load()[job]["script"])


def stacks() -> str:
    """The stacks that the jobs are about, unless others are set."""
    return str(load()[".dittoinfra"]["variables"]["STACKS"])


@pytest.fixture
def shell(pulumi_cli: PulumiCommand, tmp_path: Path) -> Iterator[Shell]:
    """A GitLab runner's, in a project with the stacks dev and prod."""
    with fleet(tmp_path, pulumi_cli) as project:
        project.add_stacks("dev", "prod")
        yield Shell(project, {"STACKS": stacks()})


def test_gitlab_would_take_it() -> None:
    checker = Path(sys.executable).parent / "check-jsonschema"
    done = subprocess.run(
        [checker, "--builtin-schema", "vendor.gitlab-ci", "--data-transform", "gitlab-ci", PIPELINE],
        capture_output=True,
        text=True,
        check=False,
    )

    assert done.returncode == 0, done.stdout


def test_whatever_is_extended_is_there() -> None:
    pipeline = load()
    for name, job in pipeline.items():
        if isinstance(job, dict) and not name.startswith("."):
            parents = job["extends"] if isinstance(job["extends"], list) else [job["extends"]]
            assert set(parents) <= pipeline.keys()
            assert job["stage"] in pipeline["stages"]


@pytest.mark.parametrize("job", ["plan", "deploy", "scheduled"])
def test_runs_wait_for_each_other(job: str) -> None:
    assert load()[job]["resource_group"] == "dittoinfra"


def test_it_names_no_stack_of_anybody() -> None:
    assert stacks() == "--all"
    assert not any(path.name.split(".")[1] in PIPELINE.read_text().split() for path in EXAMPLES)


@pytest.mark.parametrize("job", ["preview", "plan", "deploy", "scheduled"])
def test_the_report_is_kept_when_the_job_fails(job: str) -> None:
    artifacts = load()[job]["artifacts"]

    assert artifacts["when"] == "always"
    assert "report.md" in artifacts["paths"]
    assert "--report-md report.md" in script(job)


def test_the_code_of_forks_never_runs_with_secrets() -> None:
    jobs = {name: job for name, job in load().items() if isinstance(job, dict) and "rules" in job}
    asked = {name: [rule["if"] for rule in job["rules"]] for name, job in jobs.items()}

    assert asked.pop("preview") == [
        '$CI_PIPELINE_SOURCE == "merge_request_event"'
        " && $CI_MERGE_REQUEST_SOURCE_PROJECT_ID == $CI_MERGE_REQUEST_PROJECT_ID"
    ]
    assert set(asked) == {"plan", "deploy", "scheduled", "drift"}
    assert all(
        rule.startswith(
            (
                '$CI_PIPELINE_SOURCE == "push" && $CI_COMMIT_BRANCH == $CI_DEFAULT_BRANCH',
                '$CI_PIPELINE_SOURCE == "schedule"',
            )
        )
        for rules in asked.values()
        for rule in rules
    )


def test_a_merge_is_planned_and_exactly_the_plan_is_deployed(shell: Shell) -> None:
    shell.must(script("plan"), {}, *RUNNER)
    assert shell.project.services("prod") == {}

    shell.must(script("deploy"), {}, *RUNNER)
    for stack in ("dev", "prod"):
        assert set(shell.project.services(stack)) == {"media-adapter-nfs"}


def test_a_plan_that_fails_stops_no_other_and_is_in_the_report(shell: Shell) -> None:
    shell.project.config_file("prod").write_text("config: {dittoinfra:servres: []}\n")

    assert shell.run(script("plan"), {}, *RUNNER).returncode == 2
    assert "servres" in shell.file("report.md").read_text()

    shell.must(script("deploy"), {}, *RUNNER)
    assert set(shell.project.services("dev")) == {"media-adapter-nfs"}
    assert shell.project.services("prod") == {}


def test_a_schedule_deploys_and_a_job_may_be_for_one_stack(shell: Shell) -> None:
    shell.must(script("scheduled"), {"STACKS": "dev"}, *RUNNER)

    assert set(shell.project.services("dev")) == {"media-adapter-nfs"}
    assert shell.project.services("prod") == {}


def test_a_merge_request_gets_one_note_that_is_written_anew(shell: Shell) -> None:
    from dittoinfra.reports.report_formats import MARKER

    with gitlab() as server:
        variables = {
            "CI_API_V4_URL": server.url,
            "CI_PROJECT_ID": "1",
            "CI_MERGE_REQUEST_IID": "7",
            "DITTOINFRA_GITLAB_TOKEN": TOKEN,
        }
        server.notes[1] = f"{MARKER} somebody else's"
        server.authors[1] = STRANGER
        shell.must(script("preview"), variables, *RUNNER)
        first = dict(server.notes)
        shell.project.server("prod").set_adapter("smb", port=12445)
        shell.must(script("preview"), variables, *RUNNER)

    assert list(server.notes) == [1, 2]
    assert server.notes[1] == f"{MARKER} somebody else's"
    assert server.notes[2].startswith(MARKER)
    assert server.notes[2] != first[2]
    assert {token for _, _, token in server.requests} == {TOKEN}
    assert [method for method, _, _ in server.requests] == ["GET", "GET", "POST", "GET", "GET", "PUT"]


def test_a_preview_that_fails_is_red_after_its_note(shell: Shell) -> None:
    shell.project.config_file("prod").write_text("config: {dittoinfra:servres: []}\n")
    with gitlab() as server:
        variables = {
            "CI_API_V4_URL": server.url,
            "CI_PROJECT_ID": "1",
            "CI_MERGE_REQUEST_IID": "7",
            "DITTOINFRA_GITLAB_TOKEN": TOKEN,
        }
        done = shell.run(script("preview"), variables, *RUNNER)

    assert done.returncode == 2
    assert "servres" in server.notes[1]


def test_without_a_token_there_is_no_note_and_the_job_ends_as_the_preview_does(shell: Shell) -> None:
    with gitlab() as server:
        variables = {"CI_API_V4_URL": server.url, "CI_PROJECT_ID": "1", "CI_MERGE_REQUEST_IID": "7"}
        green = shell.must(script("preview"), variables, *RUNNER)
        shell.project.config_file("prod").write_text("config: {dittoinfra:servres: []}\n")
        red = shell.run(script("preview"), variables, *RUNNER)

    assert "no note: DITTOINFRA_GITLAB_TOKEN is not set" in green
    assert red.returncode == 2
    assert "servres" in shell.file("report.md").read_text()
    assert server.requests == []


def test_a_morning_with_drift_is_red(shell: Shell) -> None:
    shell.project.render("dev", "prod")
    shell.must("dittoinfra up --all --yes")
    shell.must(script("drift"), {}, *RUNNER)

    shell.project.server("prod").set_adapter("smb", port=12445)
    red = shell.run(script("drift"), {}, *RUNNER)
    assert red.returncode == 7
    assert "smb" in red.stdout, "the log says what has drifted"
