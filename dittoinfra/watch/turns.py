"""One stack at a time per server: two runs must not decide on the same server's answers side by side."""

import threading
from collections.abc import Collection

from dittoinfra.program import RunStopped


class Turns:
    """Servers that a run has to itself, by the address of their API or by their place in the cluster."""

    def __init__(self) -> None:
        self._taken: set[str] = set()
        self._freed = threading.Condition()
        self._closed = False

    def take(self, servers: Collection[str]) -> None:
        """Wait until all of them are free, and take them together, so that nobody waits in a circle."""
        with self._freed:
            self._freed.wait_for(lambda: self._closed or self._taken.isdisjoint(servers))
            if self._closed:
                raise RunStopped(["the watch is stopping"])
            self._taken |= set(servers)

    def give_back(self, servers: Collection[str]) -> None:
        """Let the next one."""
        with self._freed:
            self._taken -= set(servers)
            self._freed.notify_all()

    def close(self) -> None:
        """Send everyone home who is still waiting."""
        with self._freed:
            self._closed = True
            self._freed.notify_all()
