"""`dittoinfra status`: how stacks and their servers stand."""

import typer

from dittoinfra.cli import options
from dittoinfra.cli.asking import Asking, end, look_at
from dittoinfra.cli.stacks import Chosen


def status(
    context: typer.Context,
    stacks: options.Stacks = None,
    every: options.Every = False,
    tag: options.Tags = None,
    as_json: options.Json = False,
    at_once: options.AtOnce = None,
    stand_in: options.StandIn = False,
) -> None:
    """Show how stacks and their servers stand, and what the next run would do.

    Every server is asked just now, and nothing is changed. Exit code 0 however
    they stand; another one where a stack could not be asked about.

    Examples:

      dittoinfra status               the selected stack
      dittoinfra status --all
      dittoinfra status prod --json   see docs/schemas/status.schema.json
    """
    asking = Asking(Chosen(tuple(stacks or ()), every, tuple(tag or ())), at_once, stand_in)
    views, failures = look_at(context, asking)
    from rich.console import Console

    from dittoinfra.insight.show import show_status
    from dittoinfra.insight.views import StatusDocument

    if as_json:
        typer.echo(StatusDocument(stacks=views, failures=failures).model_dump_json(indent=2))
    else:
        show_status(Console(highlight=False), views)
    end(failures)
