"""`dittoinfra drift`: how stacks differ from what they should be, and whose doing it is."""

import typer

from dittoinfra.cli import options
from dittoinfra.cli.asking import Asking, ask
from dittoinfra.cli.stacks import Chosen


def drift(
    context: typer.Context,
    stacks: options.Stacks = None,
    every: options.Every = False,
    tag: options.Tags = None,
    as_json: options.Json = False,
    at_once: options.AtOnce = None,
    stand_in: options.StandIn = False,
) -> None:
    """Tell what differs, and whose doing it is. Changes nothing; made for cron.

    intent: somebody changed adapters on a server. cluster: somebody edited or
    deleted objects. configuration: settings or the program changed since the
    last run. A server that does not answer is no drift, but unknown.

    Exit code 0 without drift and 7 with drift; another one where something
    could not be checked, a server with onUnreachable: fail included.

    Examples:

      dittoinfra drift prod              one line for each difference
      dittoinfra drift 'prod-*' --json   see docs/schemas/drift.schema.json
      dittoinfra -C /srv/files drift --all   every morning, from cron
    """
    from dittoinfra.fleet.result import common_exit_code
    from dittoinfra.insight.check import check
    from dittoinfra.insight.drift import DriftDocument, StackDrift
    from dittoinfra.insight.wording import drift_lines

    asking = Asking(Chosen(tuple(stacks or ()), every, tuple(tag or ())), at_once, stand_in)
    found = ask(
        context,
        asking,
        check,
        lambda stack, line, code: StackDrift(stack=stack, errors=(line,), exit_code=code),
    )
    if as_json:
        typer.echo(DriftDocument(stacks=tuple(found)).model_dump_json(indent=2))
    else:
        for each in found:
            for line in drift_lines(each):
                typer.echo(line)
    raise typer.Exit(common_exit_code(each.exit_code for each in found))
