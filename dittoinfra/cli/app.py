"""The `dittoinfra` command: what it understands, and how it ends."""

import signal
import sys
from pathlib import Path
from typing import Annotated

import typer

from dittoinfra import __version__
from dittoinfra.cli.adapters import adapters
from dittoinfra.cli.adopt import adopt
from dittoinfra.cli.demo import demo
from dittoinfra.cli.destroy import destroy
from dittoinfra.cli.doctor import doctor
from dittoinfra.cli.drift import drift
from dittoinfra.cli.engine import engine
from dittoinfra.cli.errors import CommandError
from dittoinfra.cli.explain import explain
from dittoinfra.cli.hosts import hosts
from dittoinfra.cli.init import init
from dittoinfra.cli.interrupts import SIGNALS, Cancelled, raise_cancelled
from dittoinfra.cli.preview import preview
from dittoinfra.cli.refresh import refresh
from dittoinfra.cli.render import render
from dittoinfra.cli.status import status
from dittoinfra.cli.up import up
from dittoinfra.cli.watch import watch
from dittoinfra.engine import cli_at_a_glance
from dittoinfra.exitcodes import ExitCode

RUN = "Run stacks"
LOOK = "Look, and change nothing"
PREPARE = "Prepare and mend"
TRY = "Try"

app = typer.Typer(
    name="dittoinfra",
    help="Kubernetes Services that follow the adapters a DittoFS server really serves.",
    no_args_is_help=True,
    pretty_exceptions_enable=False,
    context_settings={"help_option_names": ["-h", "--help"]},
)
app.command(rich_help_panel=RUN)(destroy)
app.command(rich_help_panel=RUN)(preview)
app.command(rich_help_panel=RUN)(refresh)
app.command(rich_help_panel=RUN)(up)
app.command(rich_help_panel=RUN)(watch)
app.command(rich_help_panel=LOOK)(adapters)
app.command(rich_help_panel=LOOK)(drift)
app.command(rich_help_panel=LOOK)(explain)
app.command(rich_help_panel=LOOK)(hosts)
app.command(rich_help_panel=LOOK)(status)
app.command(rich_help_panel=PREPARE)(adopt)
app.command(rich_help_panel=PREPARE)(doctor)
app.command(rich_help_panel=PREPARE)(init)
app.command(rich_help_panel=PREPARE)(render)
app.command(rich_help_panel=TRY)(demo)
app.command(rich_help_panel=TRY)(engine)


def _version(wanted: bool) -> None:
    if wanted:
        typer.echo(f"dittoinfra {__version__}")
        at_hand = cli_at_a_glance()
        if at_hand is not None:
            typer.echo(f"pulumi {at_hand}")
        raise typer.Exit


@app.callback()
def _options(
    context: typer.Context,
    cwd: Annotated[
        Path, typer.Option("--cwd", "-C", help="Look for the project here instead of in this folder.")
    ] = Path(),
    version: bool = typer.Option(
        False, "--version", callback=_version, is_eager=True, help="Print the versions."
    ),
) -> None:
    del version
    context.obj = cwd


def main() -> None:
    """Run the command; whatever goes wrong ends in one line and an exit code."""
    for number in SIGNALS:
        signal.signal(number, raise_cancelled)
    try:
        app()
    except CommandError as failed:
        typer.echo(f"error: {failed}", err=True)
        sys.exit(failed.exit_code)
    except Cancelled:
        typer.echo("cancelled", err=True)
        sys.exit(ExitCode.CANCELLED)
