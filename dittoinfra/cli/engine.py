"""`dittoinfra engine`: which pulumi CLI and which Kubernetes provider are used here."""

import typer

from dittoinfra.cli.errors import CommandError
from dittoinfra.engine import (
    Cli,
    Downloadable,
    EngineError,
    Installed,
    StreamProgress,
    Unavailable,
    find_cli,
    official_kubernetes_plugin,
)


def engine() -> None:
    """Find the pulumi CLI (install or build it if there is none) and say what runs here.

    Examples:

      dittoinfra engine                  which CLI, and which provider
    """
    cli = engine_at_hand()
    typer.echo(f"pulumi CLI: {cli.path} v{cli.version}")
    match official_kubernetes_plugin():
        case Installed(path=path, version=version):
            typer.echo(f"Kubernetes provider: {path} v{version}")
        case Downloadable():
            typer.echo("Kubernetes provider: the official one, downloaded by the engine when first needed")
        case Unavailable(why=why):
            typer.echo(f"Kubernetes provider: stand-in, because the official one cannot be had ({why})")


def engine_at_hand() -> Cli:
    """The pulumi CLI, with progress on the terminal while it is being fetched or built."""
    try:
        return find_cli(StreamProgress())
    except EngineError as error:
        raise CommandError(str(error)) from None
