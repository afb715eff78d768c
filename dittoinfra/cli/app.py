"""The `dittoinfra` command: what it understands, and how it ends."""

import signal
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Annotated, Any

import typer
from typer.core import TyperCommand, TyperGroup
from typing_extensions import override

from dittoinfra import __version__
from dittoinfra.cli.adapters import adapters
from dittoinfra.cli.adopt import adopt
from dittoinfra.cli.command_errors import CommandError
from dittoinfra.cli.destroy import destroy
from dittoinfra.cli.doctor import doctor
from dittoinfra.cli.drift import drift
from dittoinfra.cli.engine_info import engine
from dittoinfra.cli.explain import explain
from dittoinfra.cli.history import history
from dittoinfra.cli.hosts import hosts
from dittoinfra.cli.init import init
from dittoinfra.cli.interrupts import SIGNALS, Cancelled, raise_cancelled
from dittoinfra.cli.preview import preview
from dittoinfra.cli.refresh import refresh
from dittoinfra.cli.render import render
from dittoinfra.cli.status import status
from dittoinfra.cli.up import up
from dittoinfra.cli.verify import verify
from dittoinfra.cli.watch import watch
from dittoinfra.engine.pulumi_cli import local_cli_text
from dittoinfra.exitcodes import ExitCode


def _shown_as_used(parameters: list[Any]) -> list[Any]:
    """For `--help`: a type stands only behind an option that takes a value."""
    for each in parameters:
        if each.param_type_name == "argument" or each.is_flag:
            vars(each)["display_type_rich"] = lambda **_: None
    return parameters


class _Group(TyperGroup):
    @override
    def get_params(self, ctx: Any) -> list[Any]:
        return _shown_as_used(super().get_params(ctx))


class _Command(TyperCommand):
    @override
    def get_params(self, ctx: Any) -> list[Any]:
        return _shown_as_used(super().get_params(ctx))


app = typer.Typer(
    cls=_Group,
    name="dittoinfra",
    help="Kubernetes Services that follow the adapters a DittoFS server really serves.",
    epilog="\n".join(["Exit codes:", *(f"  {code}  {code.meaning}" for code in ExitCode)]),
    no_args_is_help=True,
    pretty_exceptions_enable=False,
    context_settings={"help_option_names": ["-h", "--help"]},
)
_COMMANDS: dict[str, tuple[Callable[..., None], ...]] = {
    "Prepare": (init, doctor, adopt, engine),
    "Run stacks": (preview, up, watch, render),
    "Look, and change nothing": (status, adapters, verify, history, drift, hosts, explain),
    "Repair and remove": (refresh, destroy),
}
for _panel, _commands in _COMMANDS.items():
    for _command in _commands:
        app.command(cls=_Command, rich_help_panel=_panel)(_command)


def _version(wanted: bool) -> None:
    if wanted:
        typer.echo(f"dittoinfra {__version__}")
        pulumi = local_cli_text()
        if pulumi is not None:
            typer.echo(f"pulumi {pulumi}")
        raise typer.Exit


@app.callback()
def _options(
    context: typer.Context,
    cwd: Annotated[
        Path,
        typer.Option("--cwd", "-C", metavar="DIR", help="Look for the project here, not in this folder."),
    ] = Path(),
    version: bool = typer.Option(
        False, "--version", callback=_version, is_eager=True, help="Print the versions."
    ),
) -> None:
    del version
    context.obj = cwd


def run_command() -> None:
    """Run the command; a failure ends in one line and an exit code."""
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
