"""Whether a watch is alive: its loop turns, and no run takes forever."""

import asyncio
import time
from collections.abc import Iterator
from contextlib import contextmanager

BEAT_SECONDS = 10.0
STUCK_SECONDS = 60.0
"""A loop that has not turned for so long is stuck, and not just busy."""

LONGEST_RUN_SECONDS = 30 * 60.0
"""The Kubernetes provider gives up waiting for an object after ten minutes; a run takes no three of those."""


class Health:
    """Written by the loop, read by whoever asks."""

    def __init__(self) -> None:
        self._beat = time.monotonic()
        self._runs: dict[str, float] = {}

    async def beat(self) -> None:
        """Show, again and again, that the loop turns."""
        while True:
            self._beat = time.monotonic()
            await asyncio.sleep(BEAT_SECONDS)

    @contextmanager
    def running(self, stack: str) -> Iterator[None]:
        """A run of a stack."""
        self._runs[stack] = time.monotonic()
        try:
            yield
        finally:
            del self._runs[stack]

    def problems(self) -> tuple[str, ...]:
        """Every reason to call the watch unhealthy."""
        now = time.monotonic()
        stuck = now - self._beat
        found = [f"the loop has not turned for {stuck:.0f} s"] if stuck > STUCK_SECONDS else []
        for stack, began in sorted(self._runs.items()):
            if now - began > LONGEST_RUN_SECONDS:
                found.append(f"the run of {stack} has taken {(now - began) / 60:.0f} minutes")
        return tuple(found)
