"""`dittoinfra explain`: where each effective value of a server comes from."""

import json
from collections.abc import Sequence
from typing import TYPE_CHECKING, Annotated

import typer

from dittoinfra.cli import options
from dittoinfra.cli.completion import Stack, server_names
from dittoinfra.cli.errors import CommandError
from dittoinfra.cli.one_stack import cli_trouble, configured_stack, end_of
from dittoinfra.cli.project import project_at_hand
from dittoinfra.exitcodes import ExitCode

if TYPE_CHECKING:  # the SDK takes most of a second to import, which a wrong flag need not cost
    from dittoinfra.automation import ProjectStack
    from dittoinfra.model import FoundServer
    from dittoinfra.settings import Explained, StackSettings


def explain(
    context: typer.Context,
    stack: Stack,
    server: Annotated[
        str,
        typer.Argument(
            metavar="SERVER", help="Name of the server.", autocompletion=server_names, show_default=False
        ),
    ],
    adapter: Annotated[
        str | None,
        typer.Argument(
            metavar="ADAPTER", help="Type of an adapter: explain how it is exposed.", show_default=False
        ),
    ] = None,
    as_json: options.Json = False,
) -> None:
    """Show every effective setting of a server, or of one adapter, and where it comes from. Changes nothing.

    The nearest wins: defaults, the stack, the selectors that select the server
    in their order, the server itself, its adapter type. No server is asked; the
    cluster is, for a server that no configuration names (serversFrom).

    Examples:

      dittoinfra explain prod media              every setting of a server
      dittoinfra explain prod media nfs          how its nfs is exposed
      dittoinfra explain prod media --json       see docs/schemas/explain.schema.json
    """
    chosen = configured_stack(project_at_hand(context), stack)
    chosen.create = False
    explained = _explained(chosen, server, adapter)
    if as_json:
        from dittoinfra.insight.documents import explain_document

        document = explain_document(stack, server, adapter, explained)
        typer.echo(document.model_dump_json(indent=2))
    else:
        _show(explained)


def _explained(stack: "ProjectStack", server: str, adapter: str | None) -> "tuple[Explained, ...]":
    from dittoinfra.settings import UnknownServerError
    from dittoinfra.settings import explain as explain_settings

    settings = _settings(stack)
    try:
        return explain_settings(settings, _found(stack, settings, server), server, adapter)
    except UnknownServerError as error:
        raise CommandError(f"{stack.name}: {error}", ExitCode.CONFIGURATION) from None


def _settings(stack: "ProjectStack") -> "StackSettings":
    from dittoinfra.automation import CliFailedError
    from dittoinfra.settings import ConfigurationError

    try:
        return stack.configuration().own_settings()
    except CliFailedError as error:
        raise cli_trouble(stack.name, error) from None
    except ConfigurationError as error:
        *before, last = map(str, error.problems)
        for line in before:
            typer.echo(f"error: {line}", err=True)
        raise CommandError(last, ExitCode.CONFIGURATION) from None


def _found(stack: "ProjectStack", settings: "StackSettings", server: str) -> "Sequence[FoundServer]":
    if not settings.servers_from or any(named.name == server for named in settings.servers):
        return ()
    from dittoinfra.automation import RunReport
    from dittoinfra.insight.found import found_servers

    found = found_servers(stack)
    if isinstance(found, RunReport):
        raise end_of(found)
    for gap in found.gaps:
        typer.echo(f"warning: serversFrom: not every server may be known: {gap}", err=True)
    return found.servers


def _show(explained: "Sequence[Explained]") -> None:
    from rich.console import Console

    from dittoinfra.insight.show import show_values

    rows = [(each.path, _text(each.value), each.source) for each in explained]
    show_values(Console(highlight=False), rows)


def _text(value: object) -> str:
    return value if isinstance(value, str) else json.dumps(value)
