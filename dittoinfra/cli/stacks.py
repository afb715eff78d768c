"""The project and the stacks that a command works on, as the command line names them."""

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from typing import TYPE_CHECKING

import typer

from dittoinfra.cli.errors import CommandError
from dittoinfra.cli.project import project_at_hand, provided
from dittoinfra.exitcodes import ExitCode

if TYPE_CHECKING:  # the SDK takes most of a second to import, which a wrong flag need not cost
    from dittoinfra.automation import Project


@dataclass(frozen=True, slots=True)
class Chosen:
    """What was said on the command line about the stacks that are meant."""

    names: tuple[str, ...] = ()
    every: bool = False
    tags: tuple[str, ...] = ()

    def refuse_what_contradicts(self) -> None:
        """Before anything is begun."""
        if self.every and self.names:
            raise CommandError("--all and names of stacks contradict each other", ExitCode.CONFIGURATION)


@contextmanager
def project_in_use(context: typer.Context, *, stand_in: bool) -> Iterator["Project"]:
    """The project at hand, with the stand-in provider beside it where somebody wants that."""
    with provided(project_at_hand(context), stand_in=stand_in) as project:
        yield project


def chosen_stacks(project: "Project", chosen: Chosen, *, creates: bool) -> tuple[str, ...]:
    """The stacks that are meant; for what `creates` stacks, those too that have only a configuration yet."""
    from dittoinfra.automation import CliFailedError
    from dittoinfra.fleet import Selection, SelectionError, select_stacks

    try:
        return select_stacks(project, Selection(chosen.names, chosen.every, chosen.tags), creates=creates)
    except (SelectionError, CliFailedError) as error:
        raise CommandError(str(error), error.exit_code) from None
