"""Every line of shell that others are to run, under a linter."""

import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest
import yaml

from tools.locked import ROOT

SHELLCHECK = Path(sys.executable).parent / "shellcheck"


def scripts() -> Iterator[tuple[str, str]]:
    """The scripts of the pipelines, each with its place."""
    for path in sorted((ROOT / "pipelines" / "github").glob("*.yml")):
        for name, job in yaml.safe_load(path.read_text())["jobs"].items():
            for step in job["steps"]:
                if "run" in step:
                    yield f"{path.name} {name} {step['name']}", step["run"]
    for name, job in yaml.safe_load((ROOT / "pipelines" / "gitlab" / "gitlab-ci.yml").read_text()).items():
        for key in ("before_script", "script"):
            if isinstance(job, dict) and key in job:
                yield f"gitlab-ci.yml {name} {key}", "\n".join(job[key])
    yield ".ci/run", (ROOT / ".ci" / "run").read_text()


SCRIPTS = dict(scripts())


def lint(script: str) -> str:
    done = subprocess.run(
        [SHELLCHECK, "--norc", "--shell=bash", "-"], input=script, capture_output=True, text=True, check=False
    )
    return done.stdout + done.stderr


@pytest.mark.parametrize("place", SCRIPTS)
def test_the_linter_has_nothing_to_say(place: str) -> None:
    assert lint(SCRIPTS[place]) == ""


def test_the_linter_would_see_a_word_that_falls_apart() -> None:
    assert "SC2086" in lint("dittoinfra up $STACK --yes\n")
