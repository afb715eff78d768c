"""`dittoinfra adapters`: every adapter, what the API says of it, and what becomes of it."""

import typer

from dittoinfra.cli import options
from dittoinfra.cli.asking import Asking, end, look_at
from dittoinfra.cli.stacks import Chosen


def adapters(
    context: typer.Context,
    stacks: options.Stacks = None,
    every: options.Every = False,
    tag: options.Tags = None,
    as_json: options.Json = False,
    at_once: options.AtOnce = None,
    stand_in: options.StandIn = False,
) -> None:
    """List adapters: what the API says, what the stack holds, what comes next.

    Every server is asked just now, and nothing is changed. Endpoints are those
    of the live Services; where the cluster cannot be asked, those that the
    state remembers, marked as such.

    Examples:

      dittoinfra adapters prod
      dittoinfra adapters --all --json   see docs/schemas/adapters.schema.json
    """
    asking = Asking(Chosen(tuple(stacks or ()), every, tuple(tag or ())), at_once, stand_in)
    views, failures = look_at(context, asking)
    from rich.console import Console

    from dittoinfra.insight.show import show_adapters
    from dittoinfra.insight.views import AdaptersDocument

    if as_json:
        listed = tuple(a for view in views for server in view.servers for a in server.adapters)
        typer.echo(AdaptersDocument(adapters=listed, failures=failures).model_dump_json(indent=2))
    else:
        show_adapters(Console(highlight=False), views)
        for view in views:
            if view.cluster_unknown is not None:
                typer.echo(f"{view.stack}: endpoints from the state: {view.cluster_unknown}", err=True)
    end(failures)
