"""`dittoinfra watch`: run a stack when, and only when, its servers' adapters changed."""

import sys
from typing import TYPE_CHECKING, Annotated

import typer

from dittoinfra.cli import options
from dittoinfra.cli.durations import seconds_of
from dittoinfra.cli.errors import CommandError
from dittoinfra.cli.interrupts import Cancelled
from dittoinfra.cli.quiet import quiet_sdk
from dittoinfra.cli.stacks import Chosen, chosen_stacks, project_in_use
from dittoinfra.exitcodes import ExitCode

if TYPE_CHECKING:  # the SDK takes most of a second to import, which a wrong flag need not cost
    from dittoinfra.watch.events import WatchEvent
    from dittoinfra.watch.voice import Tell
    from dittoinfra.watch.watch import Options


def watch(
    context: typer.Context,
    stacks: options.Stacks = None,
    every: options.Every = False,
    tag: options.Tags = None,
    interval: Annotated[
        str, typer.Option(metavar="TIME", help="Between two polls of a server that answers.")
    ] = "30s",
    debounce: Annotated[
        str, typer.Option(metavar="TIME", help="How long a change must last before it is acted on.")
    ] = "3s",
    initial: Annotated[
        bool, typer.Option("--initial/--no-initial", help="Begin with an update of every stack.")
    ] = True,
    at_once: options.AtOnce = None,
    listen: Annotated[
        str, typer.Option(metavar="ADDRESS", help="Where /healthz and /metrics are served; '' for nowhere.")
    ] = "127.0.0.1:9402",
    as_json: Annotated[bool, typer.Option("--json", "-j", help="Print one JSON object per line.")] = False,
    stand_in: options.StandIn = False,
) -> None:
    """Follow the servers of stacks, and update a stack when, and only when, their adapters changed.

    Only the servers are asked, which costs next to nothing; the engine runs
    when an answer would change something. A server that does not answer
    changes nothing: it is asked more and more seldom, down to every five
    minutes, and one line says so. SIGTERM and Ctrl-C end the watch; an update
    that is under way is brought to an orderly end first.

    Examples:

      dittoinfra watch                           the selected stack
      dittoinfra watch --all --json              every stack, one JSON object per line
      dittoinfra watch prod --listen :9402       probes and numbers for the whole network
      dittoinfra watch prod --no-initial         leave the stack as it is until a server changes
    """
    meant = Chosen(tuple(stacks or ()), every, tuple(tag or ()))
    meant.refuse_what_contradicts()
    seconds = seconds_of(interval, "--interval")
    if not seconds:
        raise CommandError("--interval 0: a server cannot be asked all the time", ExitCode.CONFIGURATION)
    lasting = seconds_of(debounce, "--debounce")
    try:
        from dittoinfra.fleet import at_once_here
        from dittoinfra.watch.listen import Address, AddressError
        from dittoinfra.watch.pace import Pace
        from dittoinfra.watch.watch import Options

        try:
            address = Address.parse(listen) if listen else None
            how = Options(Pace(seconds, lasting), at_once or at_once_here(), initial, address)
            _watch(context, meant, how, _teller(as_json=as_json), stand_in=stand_in)
        except AddressError as error:
            raise CommandError(str(error), ExitCode.CONFIGURATION) from None
    except Cancelled:
        # Nothing has begun yet that would have to be finished, and to be stopped is how every watch ends.
        return


def _watch(context: typer.Context, meant: Chosen, how: "Options", tell: "Tell", *, stand_in: bool) -> None:
    import asyncio

    from dittoinfra.watch.watch import watch as keep_watching

    with project_in_use(context, stand_in=stand_in) as project:
        chosen = chosen_stacks(project, meant, creates=True)
        quiet_sdk()
        asyncio.run(keep_watching(project, chosen, how, tell))


def _teller(*, as_json: bool) -> "Tell":
    if as_json:
        return lambda event: _write(event.model_dump_json(exclude_none=True))
    if not sys.stdout.isatty():
        return lambda event: _write(event.line())
    from rich.console import Console
    from rich.text import Text

    console = Console(highlight=False)

    def tell(event: "WatchEvent") -> None:
        console.print(Text(event.line(), style=_STYLES.get(str(event.event), "")), soft_wrap=True)

    return tell


_STYLES = {
    "silent": "yellow",
    "waiting": "yellow",
    "warned": "yellow",
    "failed": "red",
    "updated": "green",
    "changed": "cyan",
}


def _write(line: str) -> None:
    sys.stdout.write(line + "\n")
    sys.stdout.flush()
