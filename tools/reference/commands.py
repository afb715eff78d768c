"""`docs/commands.md`: every command with its arguments, options and examples, as `--help` has them."""

import re
from collections.abc import Iterable, Iterator, Sequence
from importlib import resources
from itertools import groupby
from textwrap import dedent
from typing import Any

import typer
from typer.core import TyperCommand, TyperGroup, TyperOption

from dittoinfra.cli.app import app
from dittoinfra.exitcodes import ExitCode
from tools.reference.page import anchor

_OPTIONS = "Options"
_CODE = re.compile(r"(`[^`]+`)")
_LITERAL = re.compile(r"'[^' ]*\*[^' ]*'|--[a-z][a-z-]+|\b\w*_\w+(?:\.\w+)?")
"""What is typed, in text that does not mark it: patterns in quotes, options, names with underscores."""
_PAGE = re.compile(r"\bdocs/([\w-]+\.md)\b")


def commands_page() -> str:
    """The whole page."""
    group = typer.main.get_command(app)
    if not isinstance(group, TyperGroup):  # pragma: no cover - typer makes one of several commands
        raise TypeError("the command line has no commands")
    commands = [command for command in group.commands.values() if isinstance(command, TyperCommand)]
    panels = [(panel, list(each)) for panel, each in groupby(commands, lambda one: str(one.rich_help_panel))]
    template = resources.files(__package__).joinpath("commands.md").read_text(encoding="utf-8")
    parts = {
        "contents": "\n".join(_contents(panels)),
        "options": "\n".join(_table("option", group.params)),
        "commands": "\n\n".join(_panel(panel, members) for panel, members in panels),
        "exit codes": "\n".join(
            ("| code | meaning |", "|---|---|", *(f"| {code} | {_text(code.meaning)} |" for code in ExitCode))
        ),
    }
    for name, text in parts.items():
        template = template.replace(f"<!-- {name} -->", text)
    return template


def _contents(panels: Iterable[tuple[str, Sequence[TyperCommand]]]) -> Iterator[str]:
    for panel, commands in panels:
        links = " · ".join(f"[`{each.name}`](#{anchor(_title(each))})" for each in commands)
        yield f"- [{panel}](#{anchor(panel)}): {links}"


def _panel(title: str, commands: Iterable[TyperCommand]) -> str:
    return "\n\n".join([f"## {title}", *(_section(command) for command in commands)])


def _title(command: TyperCommand) -> str:
    return f"dittoinfra {command.name}"


def _section(command: TyperCommand) -> str:
    arguments = [each for each in command.params if each.param_type_name == "argument"]
    options = [each for each in command.params if isinstance(each, TyperOption) and not each.hidden]
    usage = " ".join([_title(command), *(["[OPTIONS]"] if options else []), *map(_placeholder, arguments)])
    parts = [f"### `{_title(command)}`", f"```\n{usage}\n```", *_paragraphs(command.help or "")]
    if arguments:
        parts.append("\n".join(_table("argument", arguments)))
    by_panel: dict[str, list[TyperOption]] = {}
    for option in options:
        by_panel.setdefault(option.rich_help_panel or _OPTIONS, []).append(option)
    for panel, members in by_panel.items():
        parts.append("\n".join(_table("option" if panel == _OPTIONS else panel.lower(), members)))
    return "\n\n".join(parts)


def _paragraphs(text: str) -> Iterator[str]:
    """A command's help: what is indented is shown as it is."""
    for paragraph in text.strip().split("\n\n"):
        indented = paragraph.startswith(" ")
        yield f"```\n{dedent(paragraph).rstrip()}\n```" if indented else _text(paragraph)


def _placeholder(argument: Any) -> str:  # noqa: ANN401 - typer has no public type for it
    named = str(argument.metavar).strip("[]{}.")
    required = named if argument.required else f"[{named}]"
    return f"{required}..." if argument.nargs == -1 else required


def _table(kind: str, parameters: Iterable[Any]) -> Iterator[str]:
    yield from (f"| {kind} | meaning |", "|---|---|")
    for each in parameters:
        meaning = _text(" ".join(str(each.help).split()))
        yield f"| {_named(each)} | {meaning}{_default(each)} |".replace("FILE|-", r"FILE\|-")


def _named(parameter: Any) -> str:  # noqa: ANN401
    if parameter.param_type_name == "argument":
        return f"`{_placeholder(parameter)}`"
    value = f" {parameter.metavar}" if parameter.metavar else ""
    names = ", ".join(f"`{name}{value}`" for name in parameter.opts)
    return f"{names}{''.join(f' / `{name}`' for name in parameter.secondary_opts)}"


def _default(parameter: Any) -> str:  # noqa: ANN401
    if isinstance(parameter.show_default, str):
        return f" Default: {_text(parameter.show_default)}"
    given = parameter.default
    if parameter.show_default is not True or given is None or isinstance(given, bool):
        return ""
    return f" Default: `{given}`"


def _text(text: str) -> str:
    """Plain text as Markdown, where two hyphens are a dash; pages of the documentation are linked."""
    parts = _CODE.split(text)
    parts[::2] = [_PAGE.sub(r"[\1](\1)", _LITERAL.sub(r"`\g<0>`", part)) for part in parts[::2]]
    return "".join(parts)
