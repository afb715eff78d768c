"""Ctrl-C and SIGTERM: the first asks every CLI to finish what it has begun, the second ends them."""

import signal
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from types import FrameType
from typing import TYPE_CHECKING

if TYPE_CHECKING:  # the SDK takes most of a second to import, which a wrong flag need not cost
    from dittoinfra.automation import Processes

SIGNALS = (signal.SIGINT, signal.SIGTERM)


class Cancelled(BaseException):
    """Somebody has asked for the end; as KeyboardInterrupt, nothing that anybody should catch by accident."""


def raise_cancelled(number: int, frame: FrameType | None) -> None:
    """Ends whatever is being done, where nothing better was arranged."""
    del number, frame
    raise Cancelled


@contextmanager
def forwarded_to(processes: "Processes", note: Callable[[str], None]) -> Iterator[None]:
    """Hand interrupts on to running CLIs for as long as this lasts."""

    def forward(number: int, frame: FrameType | None) -> None:
        del number, frame
        # Done first, told afterwards: the second one may come while the first one is still being told.
        if processes.interrupted:
            processes.kill()
            note(
                "ending at once; the lock stays until --break-lock releases it, "
                "and the next run makes sure of what was under way"
            )
        else:
            processes.interrupt()
            note("interrupted: letting what is under way finish (once more ends it at once)")

    with _handled_by(forward):
        yield


@contextmanager
def cancelling() -> Iterator[None]:
    """Let an interrupt end, with `Cancelled`, whatever is done inside: a question that is waiting, say."""
    with _handled_by(raise_cancelled):
        yield


@contextmanager
def _handled_by(handler: Callable[[int, FrameType | None], None]) -> Iterator[None]:
    before = {number: signal.signal(number, handler) for number in SIGNALS}
    try:
        yield
    finally:
        for number, earlier in before.items():
            signal.signal(number, earlier)
