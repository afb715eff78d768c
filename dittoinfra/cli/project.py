"""The project that a command works on."""

import os
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

import typer

from dittoinfra.cli.engine import engine_at_hand
from dittoinfra.cli.errors import CommandError
from dittoinfra.engine import Cli
from dittoinfra.exitcodes import ExitCode

if TYPE_CHECKING:  # the SDK takes most of a second to import, which a wrong flag need not cost
    from dittoinfra.automation import Project


def project_at_hand(context: typer.Context) -> "Project":
    """The project around the folder that the command was started in, or told to look in."""
    root = project_root(context)
    return project_with(root, engine_at_hand())


def project_root(context: typer.Context) -> Path:
    """The project's folder."""
    from dittoinfra.projectfile import NoProjectError, find_project

    cwd = context.obj
    assert isinstance(cwd, Path)  # noqa: S101 - the application's own callback puts it there
    try:
        return find_project(cwd.absolute())
    except NoProjectError as error:
        raise CommandError(str(error), ExitCode.CONFIGURATION) from None


def project_with(root: Path, cli: Cli) -> "Project":
    """The project in a folder, served by this CLI."""
    from dittoinfra.automation import Project

    return Project(root, cli.command, {"PULUMI_SKIP_UPDATE_CHECK": "1", **os.environ})


@contextmanager
def provided(project: "Project", *, stand_in: bool) -> "Iterator[Project]":
    """The project with the Kubernetes provider that was asked for."""
    if not stand_in:
        yield project
        return
    from dittoinfra.standin import StandInProvider

    typer.echo("Kubernetes provider: the stand-in, not the official one (--stand-in)", err=True)
    with StandInProvider() as provider:
        yield replace(project, environment={**project.environment, **provider.environment()})
