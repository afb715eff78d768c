"""`dittoinfra adopt`: take over what an operator, Helm or a person made."""

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace
from typing import TYPE_CHECKING, Annotated

import typer

from dittoinfra.cli.completion import Servers, Stack
from dittoinfra.cli.errors import CommandError
from dittoinfra.cli.interrupts import forwarded_to
from dittoinfra.cli.one_stack import configured_stack, end_of
from dittoinfra.cli.options import StandIn
from dittoinfra.cli.project import project_at_hand, provided
from dittoinfra.exitcodes import ExitCode

if TYPE_CHECKING:  # the SDK takes most of a second to import, which a wrong flag need not cost
    from dittoinfra.automation import ProjectStack, RunOptions, RunReport


def adopt(
    context: typer.Context,
    stack: Stack,
    servers: Servers = None,
    yes: Annotated[bool, typer.Option("--yes", "-y", help="Do it, after it has been shown.")] = False,
    as_json: Annotated[bool, typer.Option("--json", "-j", help="Print one JSON document.")] = False,
    stand_in: StandIn = False,
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
    with provided(project_at_hand(context), stand_in=stand_in) as project:
        chosen = configured_stack(project, stack)
        with _interruptible(chosen) as run, _for_one_run(run, servers or []) as one_run:
            shown = _come_to_its_end(run.preview(one_run))
            if not as_json:
                _tell(shown)
            done = _come_to_its_end(run.up(one_run)) if yes else shown
            after = _come_to_its_end(run.preview()) if yes else None
    _end(stack, done, None if after is None else not after.changes.any, as_json=as_json)


@contextmanager
def _interruptible(stack: "ProjectStack") -> "Iterator[ProjectStack]":
    """The stack, its runs told to finish what they have begun when somebody asks for the end."""
    from dittoinfra.automation import InterruptibleCommand, Processes

    processes = Processes()
    with forwarded_to(processes, lambda line: typer.echo(line, err=True)):
        yield replace(stack, command=InterruptibleCommand(stack.command, processes))


@contextmanager
def _for_one_run(stack: "ProjectStack", servers: list[str]) -> "Iterator[RunOptions]":
    from dittoinfra.automation import RunOptions
    from dittoinfra.setup.adopting import AdoptionRefusedError, adopting_file

    try:
        with adopting_file(stack.root, stack.name, servers) as file:
            yield RunOptions(config_file=file, message="dittoinfra adopt")
    except AdoptionRefusedError as error:
        raise CommandError(str(error), ExitCode.CONFIGURATION) from None


def _come_to_its_end(report: "RunReport") -> "RunReport":
    if not report.ok:
        raise end_of(report)
    return report


def _tell(report: "RunReport") -> None:
    for diagnostic in report.diagnostics:
        for line in diagnostic.text.splitlines():
            typer.echo(f"{'warning: ' if diagnostic.severity == 'warning' else ''}{line}")


def _end(stack: str, report: "RunReport", settled: bool | None, *, as_json: bool) -> None:
    changes = report.changes
    if as_json:
        from dittoinfra.setup.documents import AdoptDocument

        document = AdoptDocument(
            stack=stack,
            adopted=settled is not None,
            creates=changes.creates,
            updates=changes.updates,
            deletes=changes.deletes,
            notes=tuple(report.lines("info", "info#err")),
            warnings=tuple(report.lines("warning")),
            settled=settled,
        )
        typer.echo(document.model_dump_json(indent=2))
        return
    counted = f"{changes.creates} new to the stack, {changes.updates} updated, {changes.deletes} deleted"
    if settled is None:
        typer.echo(f"would be: {counted}; `dittoinfra adopt {stack} --yes` does it")
        return
    rest = "nothing is left to do" if settled else f"see `dittoinfra preview {stack}` for what is left to do"
    typer.echo(f"adopted: {counted}; {rest}")
