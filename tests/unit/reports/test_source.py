"""Where a run comes from, as far as git and the environment of CI say so."""

import os
import subprocess
import sys
from datetime import UTC, datetime
from pathlib import Path

import pytest

from dittoinfra.reports.build import build_report
from dittoinfra.reports.report_formats import markdown, page
from dittoinfra.reports.result_model import RunSource
from dittoinfra.reports.run_source import run_source
from dittoinfra.request import Operation
from tests.unit.reports.make import Stack, result

QUIET = {"PATH": os.environ["PATH"], "GIT_CONFIG_GLOBAL": os.devnull, "GIT_CONFIG_SYSTEM": os.devnull}


@pytest.fixture
def repository(tmp_path: Path) -> Path:
    """One with a commit of Ann's on the branch `work`."""
    ann = ["-c", "user.name=Ann", "-c", "user.email=ann@example.com"]
    for command in (["init", "-q", "-b", "work"], [*ann, "commit", "-q", "--allow-empty", "-m", "first"]):
        subprocess.run(["git", *command], cwd=tmp_path, env=QUIET, check=True)
    return tmp_path


def test_a_commit_is_named_with_its_author_and_branch(
    repository: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(sys, "argv", ["/somewhere/dittoinfra", "up", "prod-*"])

    source = run_source(repository, QUIET)

    assert source.command == "dittoinfra up 'prod-*'"
    assert (source.author, source.branch, source.ci_url) == ("Ann", "work", None)
    assert source.commit is not None
    assert len(source.commit) == 40


def test_a_folder_without_a_repository_has_none(tmp_path: Path) -> None:
    source = run_source(tmp_path, {**QUIET, "GIT_CEILING_DIRECTORIES": str(tmp_path.parent)})

    assert (source.commit, source.author, source.branch) == (None, None, None)


@pytest.mark.parametrize(
    ("environ", "url"),
    [
        (
            {"GITHUB_SERVER_URL": "https://github.com", "GITHUB_REPOSITORY": "a/b", "GITHUB_RUN_ID": "7"},
            "https://github.com/a/b/actions/runs/7",
        ),
        ({"CI_JOB_URL": "https://gitlab.example.com/job/7"}, "https://gitlab.example.com/job/7"),
        ({"BUILD_URL": "javascript:alert(1)"}, None),
        ({}, None),
    ],
)
def test_the_page_of_the_ci_run(tmp_path: Path, environ: dict[str, str], url: str | None) -> None:
    assert run_source(tmp_path, QUIET | environ).ci_url == url


def test_reports_name_it() -> None:
    source = RunSource(command="dittoinfra up", commit="abc" * 10, author="Ann", ci_url="https://ci/7")
    report = build_report(
        result(Stack("prod"), operation=Operation.UP),
        datetime(2026, 1, 2, tzinfo=UTC),
        source,
        {"prod": "https://api:6443"},
    )

    shown = page(report)
    for part in ("dittoinfra up", "abcabcabcabc", "Ann", '<a href="https://ci/7"', "https://api:6443"):
        assert part in shown
    assert "commit `abcabcabcabc` by `Ann`, [CI run](https://ci/7)" in markdown(report)
