"""What a shell offers at the press of a key: names from the project's files, and no CLI is asked."""

from collections.abc import Iterator
from pathlib import Path
from typing import Annotated, Any

import typer


def stack_names(context: typer.Context, incomplete: str) -> list[str]:
    """Stacks that have a configuration file."""
    from dittoinfra.projectfile import NoProjectError, configured_stacks

    try:
        names = configured_stacks(_root(context))
    except (NoProjectError, OSError, ValueError):
        return []
    return [name for name in names if name.startswith(incomplete)]


def server_names(context: typer.Context, incomplete: str) -> list[str]:
    """Servers that the configuration of the stack before them names."""
    return [name for name in _servers(context) if name.startswith(incomplete)]


Stack = Annotated[
    str,
    typer.Argument(
        metavar="STACK", help="Name of the stack.", autocompletion=stack_names, show_default=False
    ),
]
Servers = Annotated[
    list[str] | None,
    typer.Argument(
        metavar="SERVER",
        help="Servers of the stack. Without any: all of them.",
        autocompletion=server_names,
        show_default=False,
    ),
]


def _servers(context: typer.Context) -> Iterator[str]:
    import yaml

    from dittoinfra.projectfile import NoProjectError, stack_file

    try:
        content: Any = yaml.safe_load(stack_file(_root(context), str(context.params["stack"])).read_text())
        listed = content["config"]["dittoinfra:servers"]
        yield from (str(server["name"]) for server in listed)
    except (NoProjectError, OSError, ValueError, LookupError, TypeError, yaml.YAMLError):
        return


def _root(context: typer.Context) -> Path:
    from dittoinfra.projectfile import find_project

    # The application's own callback does not run for a completion, but its options are read.
    return find_project(Path(context.find_root().params.get("cwd") or Path()).absolute())
