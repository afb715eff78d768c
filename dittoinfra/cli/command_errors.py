"""How a command fails."""

from collections.abc import Iterator, Sequence
from contextlib import contextmanager

import typer

from dittoinfra.exitcodes import ExitCode
from dittoinfra.stacks.cli_process import CliFailedError, cli_failure
from dittoinfra.stacks.result import RunReport


class CommandError(Exception):
    """One line for the user and an exit code for a pipeline."""

    def __init__(self, line: str, exit_code: int = 1) -> None:
        super().__init__(line)
        self.exit_code = exit_code


class UsageError(CommandError):
    """Flags, a file or a configuration that cannot be used."""

    def __init__(self, line: str) -> None:
        super().__init__(line, ExitCode.CONFIGURATION)


@contextmanager
def stack_errors(stack: str) -> Iterator[None]:
    """End the command where a stack cannot be read, or a run without the engine stops."""
    from dittoinfra.program.run_errors import RunStopped
    from dittoinfra.settings import ConfigurationError

    try:
        yield
    except CliFailedError as error:
        raise failed_cli(stack, error) from None
    except ConfigurationError as error:
        raise failed_with(error.problems, ExitCode.CONFIGURATION) from None
    except RunStopped as stopped:
        raise failed_with(stopped.reasons, stopped.exit_code) from None


def failed_cli(stack: str, error: CliFailedError) -> CommandError:
    """Why the pulumi CLI could not answer about a stack."""
    found = cli_failure(stack, error)
    return CommandError(found.line, found.exit_code)


def failed_run(report: RunReport) -> CommandError:
    """Why a run of the engine failed."""
    return failed_with(report.lines("error") or ["the engine stopped without saying why"], report.exit_code)


def failed_with(lines: Sequence[object], exit_code: int) -> CommandError:
    """A failure in several lines: the last one ends the command, those before it are printed at once."""
    *before, last = lines
    for line in before:
        typer.echo(f"error: {line}", err=True)
    return CommandError(str(last), exit_code)


@contextmanager
def reports_written(exit_code: int) -> Iterator[None]:
    """Around writing reports: one that fails is an error of a command that would otherwise end with 0.

    What came of the command matters more than its report, so a failed one keeps its own `exit_code`.
    """
    from dittoinfra.reports.report_formats import ReportNotWrittenError

    try:
        yield
    except ReportNotWrittenError as error:
        if not exit_code:
            raise CommandError(str(error)) from None
        typer.echo(f"error: {error}", err=True)
