"""`dittoinfra engine`: which pulumi CLI and which Kubernetes provider are used here."""

import typer

from dittoinfra.cli.stack_lookup import find_engine
from dittoinfra.engine.plugin import (
    HOW_TO_GET_IT,
    Downloadable,
    Installed,
    Unavailable,
    official_kubernetes_plugin,
)


def engine() -> None:
    """Find the pulumi CLI (install it if there is none) and say what runs here.

    Examples:

      dittoinfra engine                  which CLI, and which provider
    """
    cli = find_engine()
    typer.echo(f"pulumi CLI: {cli.path} v{cli.version}")
    match official_kubernetes_plugin():
        case Installed(path=path, version=version):
            typer.echo(f"Kubernetes provider: {path} v{version}")
        case Downloadable():
            typer.echo("Kubernetes provider: the official one, downloaded by the engine when first needed")
        case Unavailable(why=why):
            typer.echo(f"Kubernetes provider: none: {why}; {HOW_TO_GET_IT}")
