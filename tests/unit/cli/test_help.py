"""What the command says of itself, and of a wrong word."""

import re

import pytest

from dittoinfra.cli.app import app
from dittoinfra.exitcodes import ExitCode
from tests import ROOT
from tests.unit.cli.command import dittoinfra


@pytest.mark.parametrize("arguments", [["--help"], ["-h"], ["up", "--help"], ["engine", "--help"]])
def test_help(arguments: list[str]) -> None:
    done = dittoinfra(*arguments)

    assert done.returncode == 0
    assert "Usage:" in done.stdout


def test_every_command_has_a_place_and_examples() -> None:
    for command in app.registered_commands:
        assert command.rich_help_panel is not None
        assert command.callback is not None
        assert "Examples:" in (command.callback.__doc__ or ""), command.callback.__name__


def test_commands_stand_in_the_order_of_use() -> None:
    shown = re.findall(r"^│ (\w+) ", dittoinfra("--help").stdout, re.MULTILINE)

    assert shown[:2] == ["init", "doctor"]
    assert [name for name in shown if name in ("preview", "up", "status")] == ["preview", "up", "status"]
    assert shown[-1] == "destroy"


@pytest.mark.parametrize("command", ["", "init", "up", "watch", "explain"])
def test_help_shows_no_names_of_types(command: str) -> None:
    shown = dittoinfra(*command.split(), "--help").stdout

    assert "--help" in shown
    assert not re.search(r"<\w", shown)


def test_help_and_the_documents_say_every_exit_code() -> None:
    shown = re.findall(r"^ (\d)  (\S.*\S) *$", dittoinfra("--help").stdout, re.MULTILINE)
    page = (ROOT / "docs/exit-codes.md").read_text()
    documented = re.findall(r"^\| (\d) \| (.*) \|$", page, re.MULTILINE)

    assert shown == documented == [(str(code), code.meaning) for code in ExitCode]


@pytest.mark.parametrize("arguments", [["docotr"], ["status", "--jsn"], ["status", "--tag"]])
def test_a_wrong_word_is_said_in_words(arguments: list[str]) -> None:
    done = dittoinfra(*arguments)

    assert done.returncode == 2
    assert "Traceback" not in done.stderr
    assert arguments[-1] in done.stderr
