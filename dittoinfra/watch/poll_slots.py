"""How many servers are asked at the same time."""

import asyncio
import resource
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager, suppress
from typing import Final

SLOW_SECONDS: Final = 1.0

MOST_FILES: Final = 65_536
SPARE_FILES: Final = 512
"""Open files that are left for runs of the engine and everything else."""


def most_connections() -> int:
    """Connections that may be kept open, after the process has been allowed as many as it can get."""
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    wanted = MOST_FILES if hard == resource.RLIM_INFINITY else min(hard, MOST_FILES)
    if wanted > soft:
        with suppress(ValueError, OSError):  # then it stays with what it has
            resource.setrlimit(resource.RLIMIT_NOFILE, (wanted, hard))
            soft = wanted
    return max(0, soft - SPARE_FILES)


class PollSlots:
    """Bounds polls at a time; one that takes long gives its slot back while it goes on.

    A hundred servers that hang until their deadline would otherwise keep all others waiting. Each of them is
    asked more and more seldom, so they do not add up.
    """

    def __init__(self, count: int, connections: int = 1000, slow: float = SLOW_SECONDS) -> None:
        self._free = asyncio.Semaphore(count)
        self._slow = slow
        self.connections = connections
        """How many may be kept open between polls: with more servers than that, none is."""

    @asynccontextmanager
    async def one(self) -> AsyncIterator[None]:
        """A slot for the length of a `with` block, or until it has been held for too long."""
        await self._free.acquire()
        slow = asyncio.get_running_loop().call_later(self._slow, self._free.release)
        try:
            yield
        finally:
            if not slow.cancelled() and slow.when() > asyncio.get_running_loop().time():
                slow.cancel()
                self._free.release()
