"""Shows the progress of long operations."""

import shutil
import sys
import time
from collections.abc import Callable
from typing import Protocol, TextIO

PLAIN_SECONDS = 15.0
"""Between two lines about the same work in a log, where a line cannot be rewritten."""

_TO_LINE_START = "\r\x1b[2K"


class Progress(Protocol):
    """Where long operations report their progress."""

    def say(self, line: str) -> None:
        """Print a permanent line."""

    def tick(self, line: str) -> None:
        """Show the current state; replaced by the next line."""

    def clear(self) -> None:
        """Remove the last tick."""


class Silent:
    """Progress that is not shown."""

    def say(self, line: str) -> None:
        """Show nothing."""

    def tick(self, line: str) -> None:
        """Show nothing."""

    def clear(self) -> None:
        """Show nothing, still."""


class StreamProgress:
    """On a terminal one updating line, elsewhere a plain line now and then."""

    def __init__(self, stream: TextIO | None = None, clock: Callable[[], float] = time.monotonic) -> None:
        self._stream = sys.stderr if stream is None else stream
        self._clock = clock
        self._rewrites = self._stream.isatty()
        self._pending = False
        self._last = clock()

    def say(self, line: str) -> None:
        """Print a permanent line."""
        self.clear()
        self._write(f"{line}\n")

    def tick(self, line: str) -> None:
        """Show the current state; replaced by the next line."""
        if self._rewrites:
            # A line that wraps cannot be taken back with one carriage return.
            width = shutil.get_terminal_size().columns - 1
            self._write(f"{_TO_LINE_START}{line[:width]}")
            self._pending = True
        elif self._clock() - self._last >= PLAIN_SECONDS:
            self._write(f"{line}\n")

    def clear(self) -> None:
        """Remove the last tick."""
        if self._pending:
            self._write(_TO_LINE_START)
            self._pending = False

    def _write(self, text: str) -> None:
        self._stream.write(text)
        self._stream.flush()
        self._last = self._clock()
