"""`dittoinfra drift`: how stacks differ from what they should be, and what caused each difference."""

import typer

from dittoinfra.cli.options import Query, query_flags, with_flags
from dittoinfra.cli.query import ask_stacks
from dittoinfra.stacks.result import common_exit_code


@with_flags(query_flags)
def drift(context: typer.Context, query: Query) -> None:
    """Show what differs, and who changed it. Changes nothing; suitable for cron.

    intent: adapters were changed on a server. cluster: objects were edited,
    deleted or added to; each with old and new value, the field manager that
    did it, and what to do. configuration: settings or the program
    changed since the last run. An unreachable server is reported as unknown,
    not as drift. Fields written by cloud controllers and `kubectl rollout
    restart` do not count.

    Exit code 0 without drift and 7 with drift; another one where something
    could not be checked, a server with onUnreachable: fail included.

    Examples:

      dittoinfra drift prod              one line for each difference
      dittoinfra drift 'prod-*' --json   see docs/schemas/drift.schema.json
      dittoinfra -C /srv/files drift --all   every morning, from cron
    """
    from dittoinfra.reports.status.drift_check import check_drift
    from dittoinfra.reports.status.status_model import DriftDocument, StackDrift
    from dittoinfra.reports.status.terminal import drift_lines
    from dittoinfra.stacks.project_stack import ProjectStack

    found = [
        each
        if isinstance(each, StackDrift)
        else StackDrift(stack=each.stack, errors=each.errors, exit_code=each.exit_code)
        for each in ask_stacks(context, query, lambda stack: check_drift(ProjectStack.of(stack)))
    ]
    if query.as_json:
        typer.echo(DriftDocument(stacks=tuple(found)).model_dump_json(indent=2))
    else:
        for each in found:
            for line in drift_lines(each):
                typer.echo(line)
    raise typer.Exit(common_exit_code(each.exit_code for each in found))
