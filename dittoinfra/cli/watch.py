"""`dittoinfra watch`: run a stack when, and only when, its servers' adapters changed."""

from typing import TYPE_CHECKING, Annotated

import typer

from dittoinfra.cli import options
from dittoinfra.cli.command_errors import UsageError
from dittoinfra.cli.console import console, moves, quiet_sdk
from dittoinfra.cli.interrupts import Cancelled
from dittoinfra.cli.options import seconds_of, selection_flags, with_flags
from dittoinfra.cli.stack_lookup import check_selection, current_project, selected_stacks
from dittoinfra.request import Selection, at_once_here

if TYPE_CHECKING:  # the SDK takes most of a second to import, which a wrong flag need not cost
    from collections.abc import Sequence

    from dittoinfra.watch.operator_runs import StackObjects
    from dittoinfra.watch.watch_events import EventSink, WatchEvent


@with_flags(selection_flags)
def watch(
    context: typer.Context,
    selection: Selection,
    interval: Annotated[
        str | None,
        typer.Option(
            metavar="TIME",
            help="Between two polls of a server that answers; 1s for few servers and up to 30s for many.",
            show_default=False,
        ),
    ] = None,
    debounce: Annotated[
        str | None,
        typer.Option(
            metavar="TIME",
            help="How long a change must last; unless given, until the next answer, and 3s for an absence.",
            show_default=False,
        ),
    ] = None,
    absence_interval: Annotated[
        str, typer.Option(metavar="TIME", help="Minimum time between two runs that count absences.")
    ] = "30s",
    initial: Annotated[
        bool, typer.Option("--initial/--no-initial", help="Begin with an update of every stack.")
    ] = True,
    at_once: options.AtOnce = None,
    operator: Annotated[
        str | None,
        typer.Option(
            metavar="NAMESPACE[/NAME]",
            help="Ask the Pulumi Kubernetes Operator for runs, on its `Stack` objects in this namespace.",
        ),
    ] = None,
    listen: Annotated[
        str, typer.Option(metavar="ADDRESS", help="Where /healthz and /metrics are served; '' for nowhere.")
    ] = "127.0.0.1:9402",
    as_json: Annotated[bool, typer.Option("--json", "-j", help="Print one JSON object per line.")] = False,
) -> None:
    """Follow the servers of stacks, and update a stack when, and only when, their adapters changed.

    Only the servers are asked, which costs next to nothing; the engine runs
    when an answer would change something. A server that does not answer
    changes nothing: it is polled with increasing back-off, at most five minutes
    apart, and one line says so. SIGTERM and Ctrl-C end the watch; an update
    that is under way is brought to an orderly end first.

    Examples:

      dittoinfra watch                           the selected stack
      dittoinfra watch --all --json              every stack, one JSON object per line
      dittoinfra watch prod --listen :9402       probes and numbers for the whole network
      dittoinfra watch prod --no-initial         leave the stack as it is until a server changes
      dittoinfra watch --all --operator infra    the operator runs them, by its objects named as they are
    """
    check_selection(selection)
    seconds = seconds_of(interval, "--interval") if interval is not None else None
    if seconds == 0:
        raise UsageError("--interval must be longer than 0")
    pause = seconds_of(debounce, "--debounce") if debounce is not None else None
    spacing = seconds_of(absence_interval, "--absence-interval")
    try:
        import asyncio

        from dittoinfra.watch.http_endpoints import Address, AddressError
        from dittoinfra.watch.poll_timing import Timing
        from dittoinfra.watch.watch_stacks import WAITING_AT_ONCE, WatchOptions
        from dittoinfra.watch.watch_stacks import watch as watch_stacks

        try:
            address = Address.parse(listen) if listen else None
            project = current_project(context)
            stacks = selected_stacks(project, selection, creates=True)
            objects = _stack_objects(operator, stacks) if operator is not None else None
            # To wait for the operator costs next to nothing.
            side_by_side = at_once or (at_once_here() if objects is None else WAITING_AT_ONCE)
            how = WatchOptions(
                Timing.chosen(seconds, pause, spacing), side_by_side, initial, address, objects
            )
            quiet_sdk()
            asyncio.run(watch_stacks(project, stacks, how, _event_printer(as_json=as_json)))
        except AddressError as error:
            raise UsageError(str(error)) from None
    except Cancelled:
        # Nothing has begun yet that would have to be finished, and to be stopped is how every watch ends.
        return


def _stack_objects(operator: str, stacks: "Sequence[str]") -> "StackObjects":
    from dittoinfra.watch.operator_runs import StackObjects

    namespace, _, name = operator.partition("/")
    if not namespace or "/" in name:
        raise UsageError(f"--operator {operator}: must be a namespace, or NAMESPACE/NAME for one stack")
    if name and len(stacks) > 1:
        raise UsageError(
            f"--operator {operator}: names one `Stack` object, and {len(stacks)} stacks are watched"
        )
    return StackObjects(namespace, name or None)


def _event_printer(*, as_json: bool) -> "EventSink":
    if as_json or not moves():
        return lambda event: typer.echo(event.model_dump_json(exclude_none=True) if as_json else event.line())
    from rich.text import Text

    screen = console()

    def show(event: "WatchEvent") -> None:
        screen.print(Text(event.line(), style=_STYLES.get(str(event.event), "")), soft_wrap=True)

    return show


_STYLES = {
    "silent": "yellow",
    "waiting": "yellow",
    "warned": "yellow",
    "failed": "red",
    "removing": "yellow",
    "removed": "yellow",
    "updated": "green",
    "changed": "cyan",
}
