"""Questions about stacks, which change nothing: `adapters`, `drift`, `status` and `verify`."""

from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, TypeVar

import typer

from dittoinfra.cli.console import quiet_sdk, say, spinner
from dittoinfra.cli.early_question import asked_before
from dittoinfra.cli.interrupts import forwarded_to
from dittoinfra.cli.options import Query
from dittoinfra.cli.stack_lookup import check_selection, current_project, selected_stacks
from dittoinfra.request import at_once_here
from dittoinfra.stacks.backend_stack import BackendStack
from dittoinfra.stacks.cli_process import InterruptibleCommand, Processes
from dittoinfra.stacks.result import common_exit_code

if TYPE_CHECKING:  # models take a fifth of a second to import, which a wrong flag need not cost
    from dittoinfra.reports.failure import Failure
    from dittoinfra.reports.status.status_model import StackStatus

Found = TypeVar("Found")


def ask_stacks(
    context: typer.Context, query: Query, question: Callable[[BackendStack], Found]
) -> "list[Found | Failure]":
    """The answer for each of the selected stacks."""
    check_selection(query.selection)
    from dittoinfra.reports.status.queries import query_stacks

    quiet_sdk()
    processes = Processes()
    project = replace(current_project(context), early=asked_before())
    stacks = selected_stacks(project, query.selection, creates=False)
    project = replace(project, command=InterruptibleCommand(project.command, processes))
    names = f"{', '.join(stacks[:3])}{' and others' if len(stacks) > 3 else ''}"
    with forwarded_to(processes, say), spinner(f"asking about {names}"):
        return query_stacks(
            project, stacks, question, at_once=query.at_once or at_once_here(), processes=processes
        )


def stack_views(
    context: typer.Context, query: Query
) -> "tuple[tuple[StackStatus, ...], tuple[Failure, ...]]":
    """The status of each stack, and the stacks whose status is not known."""

    def question(stack: BackendStack) -> "StackStatus":
        # Not before the CLI was asked for the configuration: it takes as long as this import.
        from dittoinfra.reports.status.queries import stack_status

        return stack_status(stack)

    return answers_and_failures(ask_stacks(context, query, question))


def answers_and_failures(
    found: "Sequence[Found | Failure]",
) -> "tuple[tuple[Found, ...], tuple[Failure, ...]]":
    """The stacks that could be asked about, and the others."""
    from dittoinfra.reports.failure import Failure

    failures = tuple(each for each in found if isinstance(each, Failure))
    return tuple(each for each in found if not isinstance(each, Failure)), failures


def exit_with(failures: "Sequence[Failure]", *codes: int) -> None:
    """Print what went wrong, each in one line, and leave with a code that fits it and these other codes."""
    for failure in failures:
        for line in failure.errors:
            say(f"error: {failure.stack}: {line}")
    raise typer.Exit(common_exit_code((*codes, *(failure.exit_code for failure in failures))))
