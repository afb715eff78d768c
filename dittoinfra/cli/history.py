"""`dittoinfra history`: what changed, when, why, and by which run."""

from typing import Annotated

import typer

from dittoinfra.cli.console import console
from dittoinfra.cli.options import Query, query_flags, with_flags
from dittoinfra.cli.query import answers_and_failures, ask_stacks, exit_with


@with_flags(query_flags)
def history(
    context: typer.Context,
    query: Query,
    adapter: Annotated[
        str | None,
        typer.Option(
            metavar="SERVER/TYPE",
            help="Only what became of this adapter, such as media/smb.",
            show_default=False,
        ),
    ] = None,
    last: Annotated[
        int, typer.Option("--last", "-n", min=1, metavar="N", help="Operations to look at, the newest first.")
    ] = 100,
) -> None:
    """Show what changed, when, why, and in which run. Changes nothing.

    It is the history of the stack's backend. `up`, `destroy`, `refresh` and
    `watch` note there why each object changes, as the preview had it; a run
    without a preview (--skip-preview, or plain `pulumi up`) notes no reasons,
    and is shown with its counts. Operations that changed nothing are left out.

    Examples:

      dittoinfra history prod
      dittoinfra history prod --adapter media/smb   why was its Service removed?
      dittoinfra history --all --json   see docs/schemas/history.schema.json
    """
    from dittoinfra.reports.stack_history import notable
    from dittoinfra.reports.status.queries import read_history
    from dittoinfra.reports.status.status_model import HistoryDocument, StackHistory
    from dittoinfra.reports.status.terminal import show_history

    found, failures = answers_and_failures(
        ask_stacks(
            context,
            query,
            lambda stack: StackHistory(stack=stack.name, entries=notable(read_history(stack, last), adapter)),
        )
    )
    if query.as_json:
        typer.echo(HistoryDocument(stacks=found, failures=failures).model_dump_json(indent=2))
    else:
        show_history(console(), found, adapter)
    exit_with(failures)
