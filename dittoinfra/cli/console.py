"""The user's terminal: whether it shows colours and progress, and which messages are kept off it."""

import os
import sys
import warnings
from collections.abc import Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING

import typer

if TYPE_CHECKING:  # rich takes a while to import, and plain lines need none of it
    from rich.console import Console


def moves(*, stderr: bool = False) -> bool:
    """Whether this is a terminal whose user has not asked for plain lines."""
    stream = sys.stderr if stderr else sys.stdout
    unwanted = os.environ.get("NO_COLOR") or os.environ.get("CI") or os.environ.get("TERM") == "dumb"
    return stream.isatty() and not unwanted


def console(*, stderr: bool = False) -> "Console":
    """A console, which writes plain lines without any control codes where `moves` is false."""
    from rich.console import Console

    return Console(stderr=stderr, highlight=False, force_terminal=None if moves(stderr=stderr) else False)


@contextmanager
def spinner(text: str) -> Iterator[None]:
    """Show in a terminal that something is under way."""
    if not moves(stderr=True):
        yield
        return
    with console(stderr=True).status(text):
        yield


def say(line: str) -> None:
    """Print a line beside the result, on standard error."""
    typer.echo(line, err=True)


def quiet_sdk() -> None:
    """No warnings about event streams that broke off, no tracebacks of coroutines that were never finished.

    What went wrong is told from the engine's events. For the rest of the process: the interpreter finds some
    of those only when it ends.
    """
    sys.unraisablehook = lambda _: None
    warnings.simplefilter("ignore")
