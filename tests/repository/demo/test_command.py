"""`python -m lab.demo`, as `make demo` starts it."""

import subprocess
import sys
from pathlib import Path

import pytest
from pulumi.automation import PulumiCommand

from tests import ROOT


def demo(*arguments: str) -> "subprocess.CompletedProcess[str]":
    """Run it in a process of its own, as a shell would."""
    command = [sys.executable, "-m", "lab.demo", *arguments]
    return subprocess.run(command, cwd=ROOT, capture_output=True, text=True, timeout=120, check=False)


@pytest.mark.parametrize("arguments", [["--jsn"], ["--folder"], ["more"]])
def test_a_wrong_word_is_said_in_words(arguments: list[str]) -> None:
    done = demo(*arguments)

    assert done.returncode == 2
    assert "Traceback" not in done.stderr
    assert arguments[-1] in done.stderr


def test_a_folder_that_is_taken_is_one_line(pulumi_cli: PulumiCommand, tmp_path: Path) -> None:
    (tmp_path / "thesis.tex").touch()

    done = demo("--folder", str(tmp_path))

    assert done.returncode == 1
    assert done.stderr.splitlines()[-1].startswith(f"error: {tmp_path} is not empty")
