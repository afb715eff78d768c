"""What a shell offers, asked as a shell asks."""

import subprocess
import sys
from pathlib import Path

import pytest

from tests import ROOT
from tests.engine.cli.fleet_bed import PROGRAM


@pytest.fixture
def project(tmp_path: Path) -> Path:
    """Nothing but files: no CLI, no backend, no passphrase."""
    (tmp_path / "Pulumi.yaml").write_text("name: dittoinfra\nstackConfigDir: stacks\n")
    (tmp_path / "stacks").mkdir()
    for stack in ("prod-east", "prod-west", "lab"):
        servers = "[{name: media}, {name: archive}]"
        (tmp_path / "stacks" / f"Pulumi.{stack}.yaml").write_text(
            f"config: {{'dittoinfra:servers': {servers}}}\n"
        )
    return tmp_path


def offered(typed: str, folder: Path) -> list[str]:
    environment = {
        "PATH": "/usr/bin:/bin",
        "PYTHONPATH": str(ROOT),
        "_DITTOINFRA_COMPLETE": "complete_bash",
        "COMP_WORDS": typed,
        "COMP_CWORD": str(len(typed.split()) - (0 if typed.endswith(" ") else 1)),
    }
    done = subprocess.run(
        [sys.executable, "-c", PROGRAM],
        cwd=folder,
        env=environment,
        capture_output=True,
        text=True,
        timeout=120,
        check=False,
    )
    assert done.stderr == ""
    return done.stdout.split()


def test_stacks_and_servers_are_offered_from_the_projects_files(project: Path) -> None:
    assert offered("dittoinfra render prod", project) == ["prod-east", "prod-west"]
    assert offered("dittoinfra doctor ", project) == ["lab", "prod-east", "prod-west"]
    assert offered("dittoinfra adopt lab me", project) == ["media"]
    assert offered(f"dittoinfra -C {project} render l", Path("/")) == ["lab"]


def test_where_there_is_no_project_nothing_is_offered_and_nothing_breaks(tmp_path: Path) -> None:
    assert offered("dittoinfra render ", tmp_path) == []
    assert offered("dittoinfra adopt lab ", tmp_path) == []
