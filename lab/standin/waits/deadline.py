"""A deadline for waits that can be interrupted."""

import time
from collections.abc import Callable, Iterator

POLL_SECONDS = 0.25


class InterruptedWaitError(Exception):
    """The wait was cancelled."""


class Deadline:
    """A time limit that starts now."""

    def __init__(self, seconds: float, interrupted: Callable[[], bool]) -> None:
        self._end = time.monotonic() + seconds
        self._interrupted = interrupted

    def polls(self) -> Iterator[float]:
        """Times to poll: the first at once, the last at the deadline."""
        while (now := time.monotonic()) < self._end:
            yield now
            self.sleep(min(POLL_SECONDS, self._end - time.monotonic()))
        yield time.monotonic()

    def sleep(self, seconds: float) -> None:
        """Sleep, unless interrupted."""
        end = time.monotonic() + seconds
        while (left := end - time.monotonic()) > 0:
            if self._interrupted():
                raise InterruptedWaitError
            time.sleep(min(left, POLL_SECONDS))
        if self._interrupted():
            raise InterruptedWaitError
