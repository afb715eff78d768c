"""Whether `dittoinfra` would understand a command, without running it."""

from collections.abc import Sequence

import typer
from typer.core import TyperCommand, TyperGroup

from dittoinfra.cli.app import app

USAGE_ERROR: type[Exception] = typer.BadParameter.__bases__[0]
"""Whatever a command line can be wrong with; typer has no public name for it."""


def command_names() -> set[str]:
    """Every command that there is."""
    group = typer.main.get_command(app)
    assert isinstance(group, TyperGroup)
    return set(group.commands)


def complaint(words: Sequence[str]) -> str | None:
    """What is wrong with the words behind `dittoinfra`; None where nothing is."""
    group = typer.main.get_command(app)
    assert isinstance(group, TyperGroup)
    context = typer.Context(group, info_name="dittoinfra")
    try:
        _, rest, _ = group.make_parser(context).parse_args(list(words))
        if not rest:
            return None
        name, *arguments = rest
        command = group.commands.get(name)
        if command is None:
            return f"no such command: {name}"
        assert isinstance(command, TyperCommand)
        return _complaint(command, arguments, context)
    except USAGE_ERROR as error:
        return str(error)


def _complaint(command: TyperCommand, arguments: list[str], parent: typer.Context) -> str | None:
    context = typer.Context(command, info_name=command.name, parent=parent)
    values, surplus, _ = command.make_parser(context).parse_args(arguments)
    if surplus:
        return f"too many arguments: {' '.join(surplus)}"
    if "help" in values:
        return None
    for parameter in command.params:
        if parameter.required and not values.get(parameter.name):
            return f"missing argument: {parameter.name}"
    return None
