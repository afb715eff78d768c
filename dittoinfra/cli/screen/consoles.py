"""Where people read, and whether something may move there."""

import os
import sys
from typing import TYPE_CHECKING

if TYPE_CHECKING:  # whatever is imported here is waited for, and plain lines need none of it
    from rich.console import Console


def moves(*, stderr: bool = False) -> bool:
    """Whether this is a terminal whose owner has not asked for plain lines."""
    stream = sys.stderr if stderr else sys.stdout
    unwanted = os.environ.get("NO_COLOR") or os.environ.get("CI") or os.environ.get("TERM") == "dumb"
    return stream.isatty() and not unwanted


def console(*, stderr: bool = False) -> "Console":
    """A console that writes plain lines, without any control codes, where nothing may move."""
    from rich.console import Console

    return Console(stderr=stderr, highlight=False, force_terminal=None if moves(stderr=stderr) else False)
