"""`dittoinfra adopt`: take over what an operator, Helm or a person made."""

from dataclasses import replace
from typing import Annotated

import typer

from dittoinfra.cli import options
from dittoinfra.cli.command_errors import UsageError, failed_run
from dittoinfra.cli.console import say
from dittoinfra.cli.interrupts import forwarded_to
from dittoinfra.cli.options import argument, server_names
from dittoinfra.cli.stack_lookup import configured_stack
from dittoinfra.request import RunOptions
from dittoinfra.stacks.cli_process import InterruptibleCommand, Processes
from dittoinfra.stacks.result import RunReport


def adopt(
    context: typer.Context,
    stack: options.Stack,
    servers: Annotated[
        list[str] | None,
        argument("SERVER", "Servers of the stack. Without any: all of them.", server_names),
    ] = None,
    yes: Annotated[bool, typer.Option("--yes", "-y", help="Do it, after it has been shown.")] = False,
    as_json: options.Json = False,
) -> None:
    """Show what exists in the cluster and would be taken over and, with --yes, take it over.

    Objects keep their uid, their cluster IP and their address. For this one run,
    and for it alone, the servers count as `adopt: true` and the provider may take
    over what exists; the stack's file is not changed, and nothing has to be taken
    back. Stop the operator first: docs/migration.md tells the whole way.

    Examples:

      dittoinfra adopt prod                 what would become of each object of every server
      dittoinfra adopt prod media           of one server
      dittoinfra adopt prod media --yes     and do it, then see that nothing is left to do

    The document is described in docs/schemas/adopt.schema.json.
    """
    found = configured_stack(context, stack)
    from dittoinfra.setup.adoption_config import AdoptionRefusedError, adoption_config_file
    from dittoinfra.stacks.project_stack import ProjectStack

    processes = Processes()
    chosen = ProjectStack.of(replace(found, command=InterruptibleCommand(found.command, processes)))
    try:
        with forwarded_to(processes, say), adoption_config_file(chosen.root, stack, servers or []) as file:
            one_run = RunOptions(config_file=file, message="dittoinfra adopt")
            report = _succeeded(chosen.preview(one_run))
            if not as_json:
                _show(report)
            settled = None
            if yes:
                # Servers are not polled again: what was shown is what happens.
                shown = report.decided.answers if report.decided is not None else None
                report = _succeeded(chosen.up(one_run, shown))
                settled = not _succeeded(chosen.preview()).changes.any
    except AdoptionRefusedError as error:
        raise UsageError(str(error)) from None
    _show_end(stack, report, settled, as_json=as_json)


def _succeeded(report: RunReport) -> RunReport:
    if not report.ok:
        raise failed_run(report)
    return report


def _show(report: RunReport) -> None:
    for diagnostic in report.diagnostics:
        for line in diagnostic.text.splitlines():
            typer.echo(f"{'warning: ' if diagnostic.severity == 'warning' else ''}{line}")


def _show_end(stack: str, report: RunReport, settled: bool | None, *, as_json: bool) -> None:
    """Show what has become of the objects; `settled` is None where nothing was done yet."""
    changes = report.changes
    if as_json:
        from dittoinfra.setup.setup_documents import AdoptDocument

        document = AdoptDocument(
            stack=stack,
            adopted=settled is not None,
            changes=changes,
            notes=tuple(report.lines("info", "info#err")),
            warnings=tuple(report.lines("warning")),
            settled=settled,
        )
        typer.echo(document.model_dump_json(indent=2))
        return
    counted = f"{changes.create} new to the stack, {changes.update} updated, {changes.delete} deleted"
    if settled is None:
        typer.echo(f"would be: {counted}; run `dittoinfra adopt {stack} --yes` to apply this")
        return
    rest = "nothing is left to do" if settled else f"see `dittoinfra preview {stack}` for what is left to do"
    typer.echo(f"adopted: {counted}; {rest}")
