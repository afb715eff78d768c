"""`dittoinfra doctor`: what stands between a project and its next run."""

from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from dittoinfra.cli.completion import stack_names
from dittoinfra.cli.engine import engine_at_hand
from dittoinfra.cli.errors import CommandError
from dittoinfra.cli.project import project_root, project_with
from dittoinfra.exitcodes import ExitCode

if TYPE_CHECKING:  # the SDK takes most of a second to import, which a wrong flag need not cost
    from dittoinfra.doctor.line import Line


def doctor(
    context: typer.Context,
    stacks: Annotated[
        list[str] | None,
        typer.Argument(
            metavar="STACK",
            help="Stacks to look at. Without any: all that have a configuration.",
            autocompletion=stack_names,
            show_default=False,
        ),
    ] = None,
    as_json: Annotated[bool, typer.Option("--json", "-j", help="Print one JSON document.")] = False,
) -> None:
    """Check everything that a run needs, and say what to do about each thing that is wrong. Changes nothing.

    The pulumi CLI, the Kubernetes provider, the backend; and for each stack its
    secrets and passphrase, its configuration, its state, its cluster with the
    permissions that the stack needs there (and the Role that would give them),
    and each server's API with login, role, certificate and clock.

    Ends with 1 when something failed, or with the code that fits when all
    failures are of one kind: 2 for configuration, 3 for logins and permissions.
    Warnings alone end with 0.

    Examples:

      dittoinfra doctor                    every stack of the project
      dittoinfra doctor prod               one stack
      dittoinfra doctor --json | jq '.checks[] | select(.state == "failed")'

    The document is described in docs/schemas/doctor.schema.json.
    """
    from dittoinfra.projectfile import configured_stacks

    root = project_root(context)
    names = configured_stacks(root)
    unknown = [name for name in stacks or () if name not in names]
    if unknown:
        there = f"there are {', '.join(names)}" if names else "there is none"
        raise CommandError(
            f"no stack {', '.join(unknown)} is configured in this project; {there}", ExitCode.NO_SUCH_STACK
        )
    from dittoinfra.cli.screen.consoles import console
    from dittoinfra.doctor.line import DoctorDocument, Line, exit_code
    from dittoinfra.doctor.show import show

    screen = console(stderr=False)

    def tell(line: Line) -> None:
        if not as_json:
            show(screen, line)

    lines = _lines(root, tuple(stacks or names), tell)
    code = exit_code(lines)
    if as_json:
        typer.echo(DoctorDocument(ok=code == 0, checks=lines).model_dump_json(indent=2))
    raise typer.Exit(code)


def _lines(root: Path, stacks: tuple[str, ...], tell: "Callable[[Line], None]") -> "tuple[Line, ...]":
    from dittoinfra.doctor.checkup import check_project
    from dittoinfra.doctor.machine import no_cli

    try:
        cli = engine_at_hand()
    except CommandError as error:
        # Whoever asks what is wrong should hear it in the form that was asked for.
        line = no_cli(str(error))
        tell(line)
        return (line,)
    return check_project(project_with(root, cli), cli, stacks, tell)
