"""The `dittoinfra` command: what it understands, and how it ends."""

import signal
import sys
from pathlib import Path
from typing import Annotated

import typer

from dittoinfra import __version__
from dittoinfra.cli.adapters import adapters
from dittoinfra.cli.demo import demo
from dittoinfra.cli.destroy import destroy
from dittoinfra.cli.drift import drift
from dittoinfra.cli.engine import engine
from dittoinfra.cli.errors import CommandError
from dittoinfra.cli.interrupts import SIGNALS, Cancelled, raise_cancelled
from dittoinfra.cli.preview import preview
from dittoinfra.cli.refresh import refresh
from dittoinfra.cli.status import status
from dittoinfra.cli.up import up
from dittoinfra.cli.watch import watch

CANCELLED = 8
"""The exit code of a command that somebody stopped, as the engine's own."""

app = typer.Typer(
    name="dittoinfra",
    help="Kubernetes Services that follow the adapters a DittoFS server really serves.",
    no_args_is_help=True,
    pretty_exceptions_enable=False,
    context_settings={"help_option_names": ["-h", "--help"]},
)
app.command()(adapters)
app.command()(demo)
app.command()(destroy)
app.command()(drift)
app.command()(engine)
app.command()(preview)
app.command()(refresh)
app.command()(status)
app.command()(up)
app.command()(watch)


def _version(wanted: bool) -> None:
    if wanted:
        typer.echo(f"dittoinfra {__version__}")
        raise typer.Exit


@app.callback()
def _options(
    context: typer.Context,
    cwd: Annotated[
        Path, typer.Option("--cwd", "-C", help="Look for the project here instead of in this folder.")
    ] = Path(),
    version: bool = typer.Option(
        False, "--version", callback=_version, is_eager=True, help="Print the version."
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
        sys.exit(CANCELLED)
