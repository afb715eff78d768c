"""The project that a command works on."""

import os
from pathlib import Path
from typing import TYPE_CHECKING

import typer

from dittoinfra.cli.engine import engine_at_hand
from dittoinfra.cli.errors import CommandError

if TYPE_CHECKING:  # the SDK takes most of a second to import, which a wrong flag need not cost
    from dittoinfra.automation import Project


def project_at_hand(context: typer.Context) -> "Project":
    """The project around the folder that the command was started in, or told to look in."""
    from dittoinfra.automation import NoProjectError, Project, find_project

    cwd = context.obj
    assert isinstance(cwd, Path)  # noqa: S101 - the application's own callback puts it there
    try:
        root = find_project(cwd.absolute())
    except NoProjectError as error:
        raise CommandError(str(error), exit_code=2) from None
    return Project(root, engine_at_hand().command, {"PULUMI_SKIP_UPDATE_CHECK": "1", **os.environ})
