"""The command as a person types it."""

import subprocess
import sys
from pathlib import Path

import pytest
from pulumi.automation import PulumiCommand

from dittoinfra import __version__


def dittoinfra(*arguments: str) -> "subprocess.CompletedProcess[str]":
    """Run the command in a process of its own, as a shell would."""
    program = "import sys; sys.argv[0] = 'dittoinfra'; from dittoinfra.cli import main; main()"
    return subprocess.run(
        [sys.executable, "-c", program, *arguments], capture_output=True, text=True, timeout=120, check=False
    )


def test_version(pulumi_cli: PulumiCommand) -> None:
    done = dittoinfra("--version")

    assert done.returncode == 0
    ours, engine = done.stdout.splitlines()
    assert ours == f"dittoinfra {__version__}"
    assert engine == f"pulumi v{pulumi_cli.version} ({pulumi_cli.command})"


@pytest.mark.parametrize("arguments", [["--help"], ["-h"], ["demo", "--help"], ["engine", "--help"]])
def test_help(arguments: list[str]) -> None:
    done = dittoinfra(*arguments)

    assert done.returncode == 0
    assert "Usage:" in done.stdout


def test_every_command_has_a_place_and_examples() -> None:
    from dittoinfra.cli.app import LOOK, PREPARE, RUN, TRY, app

    for command in app.registered_commands:
        assert command.rich_help_panel in (RUN, LOOK, PREPARE, TRY)
        assert command.callback is not None
        assert "Examples:" in (command.callback.__doc__ or ""), command.callback.__name__


@pytest.mark.parametrize("arguments", [["dmeo"], ["demo", "--jsn"], ["demo", "--folder"]])
def test_a_wrong_word_is_said_in_words(arguments: list[str]) -> None:
    done = dittoinfra(*arguments)

    assert done.returncode == 2
    assert "Traceback" not in done.stderr
    assert arguments[-1] in done.stderr


def test_a_folder_that_is_taken_is_one_line(tmp_path: Path) -> None:
    (tmp_path / "thesis.tex").touch()

    done = dittoinfra("demo", "--folder", str(tmp_path))

    assert done.returncode == 1
    assert done.stderr.splitlines()[-1].startswith(f"error: {tmp_path} is not empty")


def test_the_engine_at_hand_is_named() -> None:
    done = dittoinfra("engine")

    assert done.returncode == 0
    cli, provider = done.stdout.splitlines()
    assert cli.startswith("pulumi CLI: /")
    assert provider.startswith("Kubernetes provider: ")
