"""`dittoinfra doctor`: what would keep the next run of a project from succeeding."""

from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from dittoinfra.cli import options
from dittoinfra.cli.console import console, say
from dittoinfra.cli.options import argument, stack_names
from dittoinfra.cli.stack_lookup import check_configured, project_root, project_with
from dittoinfra.engine.engine_errors import EngineError
from dittoinfra.engine.pulumi_cli import find_cli
from dittoinfra.projectfile import configured_stacks

if TYPE_CHECKING:  # models take a fifth of a second to import, which a wrong flag need not cost
    from dittoinfra.doctor.check_result import CheckResult


def doctor(
    context: typer.Context,
    stacks: Annotated[
        list[str] | None,
        argument("STACK", "Stacks to look at. Without any: all that have a configuration.", stack_names),
    ] = None,
    as_json: options.Json = False,
) -> None:
    """Check everything that a run needs, and say what to do about each thing that is wrong. Changes nothing.

    The pulumi CLI, the Python SDKs and the Kubernetes provider with their
    versions, the backend; and for each stack its secrets and passphrase, its
    configuration, its state, its cluster with its version, the namespaces and the
    permissions that the stack needs there (and the Role that would give them),
    and each server's API with login, role, certificate and clock, and its version.

    Ends with 1 when something failed, or with the code that fits when all
    failures are of one kind: 2 for configuration, 3 for logins and permissions.
    Warnings alone end with 0.

    Examples:

      dittoinfra doctor                    every stack of the project
      dittoinfra doctor prod               one stack
      dittoinfra doctor --json | jq '.checks[] | select(.state == "failed")'

    The document is described in docs/schemas/doctor.schema.json.
    """
    root = project_root(context)
    names = configured_stacks(root)
    check_configured(stacks or (), names)
    from dittoinfra.doctor.check_result import DoctorDocument, print_result
    from dittoinfra.stacks.result import common_exit_code

    screen = console()
    results = []
    for result in _results(root, tuple(stacks or names)):
        results.append(result)
        if not as_json:
            print_result(screen, result)
    code = common_exit_code(result.exit_code for result in results)
    if as_json:
        typer.echo(DoctorDocument(ok=code == 0, checks=tuple(results)).model_dump_json(indent=2))
    raise typer.Exit(code)


def _results(root: Path, stacks: tuple[str, ...]) -> "Iterator[CheckResult]":
    from dittoinfra.doctor.installed_versions import no_cli
    from dittoinfra.doctor.project_checks import check_project

    try:
        cli = find_cli(say)
    except EngineError as error:
        # What is wrong is shown in the form that was asked for.
        yield no_cli(error)
    else:
        yield from check_project(project_with(root, cli), cli, stacks)
