"""The one stack that a command works on."""

from typing import TYPE_CHECKING

import typer

from dittoinfra.cli.errors import CommandError
from dittoinfra.exitcodes import ExitCode

if TYPE_CHECKING:  # the SDK takes most of a second to import, which a wrong flag need not cost
    from dittoinfra.automation import CliFailedError, Project, ProjectStack, RunReport


def configured_stack(project: "Project", name: str) -> "ProjectStack":
    """A stack that somebody has written a configuration for."""
    names = project.configured_stacks()
    if name not in names:
        known = f"there are {', '.join(names)}" if names else "there is none yet"
        raise CommandError(
            f"no stack {name!r} is configured in this project; {known}; `dittoinfra init {name}` makes it",
            ExitCode.NO_SUCH_STACK,
        )
    return project.stack(name)


def end_of(report: "RunReport") -> CommandError:
    """How a command ends whose run did not come to its end; every line but the last is said at once."""
    *before, last = report.lines("error") or ["the engine stopped without a word"]
    for line in before:
        typer.echo(f"error: {line}", err=True)
    return CommandError(last, report.exit_code)


def cli_trouble(stack: str, error: "CliFailedError") -> CommandError:
    """What kept the CLI from answering, and the code that fits."""
    from dittoinfra.automation.trouble import trouble

    found = trouble(stack, f"error: {error}", error.exit_code)
    return CommandError(found.line, found.exit_code) if found else CommandError(str(error), error.exit_code)
