"""For how long, and for whom, something is waited for."""

import time
from collections.abc import Callable, Iterator

POLL_SECONDS = 0.25


class InterruptedWaitError(Exception):
    """Nobody waits for the answer any more."""


class Patience:
    """A time limit that begins now."""

    def __init__(self, seconds: float, interrupted: Callable[[], bool]) -> None:
        self._end = time.monotonic() + seconds
        self._interrupted = interrupted

    def moments(self) -> Iterator[float]:
        """Moments at which to look, the first one at once and the last one when the time is over."""
        while (now := time.monotonic()) < self._end:
            yield now
            self.rest(min(POLL_SECONDS, self._end - time.monotonic()))
        yield time.monotonic()

    def rest(self, seconds: float) -> None:
        """Let some time pass, unless somebody interrupts it."""
        end = time.monotonic() + seconds
        while (left := end - time.monotonic()) > 0:
            if self._interrupted():
                raise InterruptedWaitError
            time.sleep(min(left, POLL_SECONDS))
        if self._interrupted():
            raise InterruptedWaitError
