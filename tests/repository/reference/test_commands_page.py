"""The page on commands has every command, with what `--help` says about it."""

import re
import shlex

import pytest
import typer
from typer.core import TyperCommand, TyperGroup

from dittoinfra.cli.app import app
from tests.repository.documents.command_line import complaint
from tools.reference.commands import commands_page
from tools.reference.page import anchor

GROUP = typer.main.get_command(app)
assert isinstance(GROUP, TyperGroup)
COMMANDS = [command for command in GROUP.commands.values() if isinstance(command, TyperCommand)]


def section(command: TyperCommand) -> str:
    _, _, rest = commands_page().partition(f"### `dittoinfra {command.name}`\n")
    return re.split(r"^##", rest, maxsplit=1, flags=re.MULTILINE)[0]


@pytest.mark.parametrize("command", COMMANDS, ids=lambda command: str(command.name))
def test_every_option_and_argument_of_a_command_has_a_row(command: TyperCommand) -> None:
    shown = section(command)

    for parameter in command.params:
        names = [str(parameter.metavar)] if parameter.param_type_name == "argument" else parameter.opts
        rows = [line for line in shown.splitlines() if line.startswith("| `")]
        assert all(any(re.search(rf"`\[?{re.escape(name)}\b", row) for row in rows) for name in names), names


@pytest.mark.parametrize("command", COMMANDS, ids=lambda command: str(command.name))
def test_every_command_has_examples_that_it_understands(command: TyperCommand) -> None:
    _, *examples = re.findall(r"^```\n(.*?)^```", section(command), flags=re.MULTILINE | re.DOTALL)

    assert examples
    for line in "".join(examples).splitlines():
        # What an example does stands behind it, after several spaces.
        typed = re.split(r" {2,}", line[line.index("dittoinfra") :])[0]
        words = shlex.split(re.split(r" [|>]", typed)[0])
        assert complaint(words[1:]) is None, line


def test_every_link_leads_somewhere() -> None:
    headings = {anchor(title) for title in re.findall(r"^##+ (.+)$", commands_page(), flags=re.MULTILINE)}

    assert set(re.findall(r"\]\(#([^)]+)\)", commands_page())) <= headings


def test_what_is_typed_is_code_because_a_site_makes_dashes_of_hyphens() -> None:
    code = r"^```.*?^```|`[^`\n]+(?:\n[^`\n]+)?`|<!--.*?-->"
    text = re.sub(code, "", commands_page(), flags=re.MULTILINE | re.DOTALL)

    assert re.findall(r"--[a-z]+|\w_\w|'[^' ]+\*", text) == []
