"""Ctrl-C and SIGTERM: the first asks every CLI to finish what it has begun, the second ends them."""

import signal
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from types import FrameType

from dittoinfra.stacks.cli_process import Processes

SIGNALS = (signal.SIGINT, signal.SIGTERM)


class Cancelled(BaseException):
    """The command was interrupted; like KeyboardInterrupt, not to be caught by accident."""


def raise_cancelled(number: int, frame: FrameType | None) -> None:
    """The handler where nothing better was arranged."""
    del number, frame
    raise Cancelled


@contextmanager
def forwarded_to(processes: Processes, note: Callable[[str], None]) -> Iterator[None]:
    """Hand interrupts on to running CLIs for as long as this lasts."""

    def forward(number: int, frame: FrameType | None) -> None:
        del number, frame
        # Act first, print afterwards: the second one may come while the first one is still being printed.
        if processes.interrupted:
            processes.kill()
            note(
                "ending at once; the lock stays until --break-lock releases it, "
                "and the next run makes sure of what was under way"
            )
        else:
            processes.interrupt()
            note("interrupted: finishing the current operation (Ctrl-C again stops immediately)")

    with handled_by(forward):
        yield


@contextmanager
def handled_by(handler: Callable[[int, FrameType | None], None]) -> Iterator[None]:
    """Let a handler have the interrupts for as long as this lasts."""
    before = {number: signal.signal(number, handler) for number in SIGNALS}
    try:
        yield
    finally:
        for number, earlier in before.items():
            signal.signal(number, earlier)
