"""`dittoinfra status`: the status of stacks and their servers."""

import typer

from dittoinfra.cli.console import console
from dittoinfra.cli.options import Query, query_flags, with_flags
from dittoinfra.cli.query import exit_with, stack_views
from dittoinfra.exitcodes import ExitCode


@with_flags(query_flags)
def status(context: typer.Context, query: Query) -> None:
    """Show whether clients can connect, where they mount, and what the next run would do.

    Every server and the cluster are queried live; nothing is changed.
    READY means that a client can connect: the API answers, nothing stops the
    next run, and each adapter's Service is there, has its address and a ready
    Pod behind it. The reason in brackets names the first that is missing.

    Exit code 0 where every server is ready, and 4 where one is not, or where
    that cannot be told; another one where a stack could not be asked about.

    Examples:

      dittoinfra status               the selected stack
      dittoinfra status --all
      dittoinfra status prod --json   see docs/schemas/status.schema.json
    """
    views, failures = stack_views(context, query)
    if query.as_json:
        from dittoinfra.reports.status.status_model import StatusDocument

        typer.echo(StatusDocument(stacks=views, failures=failures).model_dump_json(indent=2))
    else:
        from dittoinfra.reports.status.terminal import show_status

        show_status(console(), views)
    exit_with(failures, *(ExitCode.DONE if view.ready else ExitCode.RESOURCE for view in views))
