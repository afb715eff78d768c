"""`dittoinfra adapters`: every adapter, what the API says of it, and what becomes of it."""

import typer

from dittoinfra.cli.console import console
from dittoinfra.cli.options import Query, query_flags, with_flags
from dittoinfra.cli.query import exit_with, stack_views


@with_flags(query_flags)
def adapters(context: typer.Context, query: Query) -> None:
    """List adapters: what the API says, what the stack holds, what comes next.

    Every server is asked just now, and nothing is changed. Endpoints are those
    of the live Services; where the cluster cannot be asked, those that the
    state remembers, marked as such.

    Examples:

      dittoinfra adapters prod
      dittoinfra adapters --all --json   see docs/schemas/adapters.schema.json
    """
    views, failures = stack_views(context, query)
    if query.as_json:
        from dittoinfra.reports.status.status_model import AdaptersDocument

        listed = tuple(a for view in views for server in view.servers for a in server.adapters)
        typer.echo(AdaptersDocument(adapters=listed, failures=failures).model_dump_json(indent=2))
    else:
        from dittoinfra.reports.status.terminal import show_adapters

        show_adapters(console(), views)
        for view in views:
            if view.cluster_unknown is not None:
                typer.echo(f"{view.stack}: endpoints from the state: {view.cluster_unknown}", err=True)
    exit_with(failures)
