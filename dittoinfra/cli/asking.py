"""What the commands have in common that ask about stacks and change nothing."""

from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, TypeVar

import typer

from dittoinfra.cli.interrupts import forwarded_to
from dittoinfra.cli.quiet import quiet_sdk
from dittoinfra.cli.stacks import Chosen, chosen_stacks, project_in_use

if TYPE_CHECKING:  # the SDK takes most of a second to import, which a wrong flag need not cost
    from dittoinfra.automation import ProjectStack
    from dittoinfra.insight.views import Failure, StackView

Found = TypeVar("Found")


@dataclass(frozen=True, slots=True)
class Asking:
    """About which stacks, and how."""

    chosen: Chosen
    at_once: int | None
    stand_in: bool


def ask(
    context: typer.Context,
    asking: Asking,
    question: "Callable[[ProjectStack], Found]",
    failed: Callable[[str, str, int], Found],
) -> list[Found]:
    """What is found about each of the stacks that a person means."""
    asking.chosen.refuse_what_contradicts()
    from dittoinfra.automation import InterruptibleCommand, Processes
    from dittoinfra.fleet import at_once_here
    from dittoinfra.insight.side_by_side import side_by_side

    quiet_sdk()
    processes = Processes()
    with project_in_use(context, stand_in=asking.stand_in) as project:
        stacks = chosen_stacks(project, asking.chosen, creates=False)
        project = replace(project, command=InterruptibleCommand(project.command, processes))
        with forwarded_to(processes, _note), _waiting(stacks):
            return side_by_side(
                project,
                stacks,
                question,
                failed,
                at_once=asking.at_once or at_once_here(),
                processes=processes,
            )


def look_at(context: typer.Context, asking: Asking) -> "tuple[tuple[StackView, ...], tuple[Failure, ...]]":
    """How each of the stacks stands, and those of which nobody can tell."""
    from dittoinfra.insight.facts import Facts
    from dittoinfra.insight.look import look
    from dittoinfra.insight.standing import stack_view
    from dittoinfra.insight.views import Failure

    def failed(stack: str, line: str, exit_code: int) -> Facts | Failure:
        return Failure(stack=stack, errors=(line,), exit_code=exit_code)

    found = ask(context, asking, look, failed)
    failures = tuple(each for each in found if isinstance(each, Failure))
    views = tuple(stack_view(each) for each in found if not isinstance(each, Failure))
    return views, failures


def end(failures: "Sequence[Failure]") -> None:
    """Say what went wrong, each in one line, and leave with a fitting code."""
    from dittoinfra.fleet.result import common_exit_code

    for failure in failures:
        for line in failure.errors:
            typer.echo(f"error: {failure.stack}: {line}", err=True)
    raise typer.Exit(common_exit_code(failure.exit_code for failure in failures))


@contextmanager
def _waiting(stacks: Sequence[str]) -> Iterator[None]:
    """Something that moves, where somebody is watching."""
    from rich.console import Console

    console = Console(stderr=True)
    if not console.is_terminal:
        yield
        return
    with console.status(f"asking about {', '.join(stacks[:3])}{' and others' if len(stacks) > 3 else ''}"):
        yield


def _note(line: str) -> None:
    typer.echo(line, err=True)
