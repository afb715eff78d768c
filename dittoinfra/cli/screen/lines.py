"""An operation as plain lines, for pipelines and files: nothing moves, every line says whom it is about."""

import sys
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress

from dittoinfra.automation import Diagnostic
from dittoinfra.cli.screen.words import counted, duration, outcome
from dittoinfra.fleet import Operation, Phase, StackResult

QUIET_SECONDS = 30.0
"""After this long without a word about a stack its progress is told: a log must not look dead."""


class Lines:
    """Writes to standard error, a whole line at a time."""

    def __init__(self) -> None:
        # A second interrupt is told of in the thread that is telling of the first one.
        self._lock = threading.RLock()
        self._told: set[tuple[str, Diagnostic]] = set()
        self._phases: dict[str, Phase] = {}
        self._spoke: dict[str, float] = {}

    def __enter__(self) -> "Lines":
        return self

    def __exit__(self, *_: object) -> None:
        return

    @contextmanager
    def paused(self) -> Iterator[None]:
        """Nothing moves, so nothing has to stop."""
        yield

    def began(self, stack: str, phase: Phase) -> None:
        """A line for every phase."""
        self._phases[stack] = phase
        self._write(stack, f"{phase} ...")

    def progressed(self, stack: str, done: int, total: int | None) -> None:
        """A line now and then."""
        if time.monotonic() - self._spoke.get(stack, 0.0) >= QUIET_SECONDS:
            of = f" of {total}" if total else ""
            self._write(stack, f"{self._phases[stack]}: {done}{of} resources")

    def said(self, stack: str, message: Diagnostic) -> None:
        """Every message once, whichever phase says it again."""
        with self._lock:
            if (stack, message) in self._told:
                return
            self._told.add((stack, message))
        for line in message.text.splitlines():
            if line.strip():
                self._write(stack, f"{message.severity}: {line}")

    def foreseen(self, result: StackResult) -> None:
        """What is foreseen; of a preview alone the summary tells."""
        if result.report.ok and result.operation is not Operation.PREVIEW:
            self._write(result.stack, counted(result.report.changes, foreseen=True))

    def ended(self, result: StackResult) -> None:
        """How it ended."""
        self._write(result.stack, f"{outcome(result)} after {duration(result.seconds)}")

    def note(self, line: str) -> None:
        """Something about the whole."""
        # For the same reason the stream may be in use by this very thread, and says so.
        with self._lock, suppress(RuntimeError):
            sys.stderr.write(f"{line}\n")
            sys.stderr.flush()

    def _write(self, stack: str, line: str) -> None:
        self._spoke[stack] = time.monotonic()
        self.note(f"{stack}: {line}")
