"""`dittoinfra explain`: where each effective value of a server comes from."""

import json
from collections.abc import Sequence
from typing import TYPE_CHECKING, Annotated

import typer

from dittoinfra.cli import options
from dittoinfra.cli.command_errors import UsageError, stack_errors
from dittoinfra.cli.console import console, say
from dittoinfra.cli.options import argument, server_names
from dittoinfra.cli.stack_lookup import configured_stack
from dittoinfra.stacks.backend_stack import BackendStack

if TYPE_CHECKING:  # models take a fifth of a second to import, which a wrong flag need not cost
    from dittoinfra.model import FoundServer
    from dittoinfra.settings import StackSettings


def explain(
    context: typer.Context,
    stack: options.Stack,
    server: Annotated[str, argument("SERVER", "Name of the server.", server_names)],
    adapter: Annotated[
        str | None, argument("ADAPTER", "Type of an adapter: explain how it is exposed.")
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
    chosen = configured_stack(context, stack, create=False)
    from dittoinfra.reports.status.status_model import ExplainDocument
    from dittoinfra.reports.status.terminal import show_values
    from dittoinfra.settings.provenance import UnknownServerError
    from dittoinfra.settings.provenance import explain as explain_settings

    with stack_errors(stack):
        settings = chosen.configuration().own_settings()
        found = _found(chosen, settings, server)
    try:
        explained = explain_settings(settings, found, server, adapter)
    except UnknownServerError as error:
        raise UsageError(f"{stack}: {error}") from None
    if as_json:
        document = ExplainDocument(stack=stack, server=server, adapter=adapter, values=explained)
        typer.echo(document.model_dump_json(indent=2))
    else:
        rows = [(each.path, _text(each.value), each.source) for each in explained]
        show_values(console(), rows)


def _found(stack: BackendStack, settings: "StackSettings", server: str) -> "Sequence[FoundServer]":
    """The servers in the cluster, which is asked only about a server that no configuration names."""
    if not settings.servers_from or any(named.name == server for named in settings.servers):
        return ()
    from dittoinfra.reports.status.queries import found_servers

    servers, gaps = found_servers(stack)
    for gap in gaps:
        say(f"warning: serversFrom: not every server may be known: {gap}")
    return servers


def _text(value: object) -> str:
    return value if isinstance(value, str) else json.dumps(value)
