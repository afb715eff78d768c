"""The connected clients, set by a script."""

import threading
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from datetime import datetime
from typing import Literal

from lab.simulator.clock import now

Protocol = Literal["nfs", "smb"]


@dataclass(frozen=True)
class Client:
    """One client."""

    number: int
    protocol: Protocol
    mounts: int
    files: int
    """Those that it has opened as durable ones."""
    lost: bool
    """Whether its connection has ended without a goodbye."""
    since: datetime = field(default_factory=now)

    @property
    def address(self) -> str:
        return f"127.0.0.1:{40_000 + self.number}"


class ClientTable:
    """The current clients; lost in a restart."""

    def __init__(self) -> None:
        self._clients: dict[int, Client] = {}
        self._count = 0
        self._lock = threading.Lock()

    def listed(self) -> tuple[Client, ...]:
        with self._lock:
            return tuple(self._clients.values())

    @contextmanager
    def known(self, protocol: Protocol, mounts: int, files: int, *, lost: bool) -> Iterator[None]:
        """A client for the length of the block, with its mounts and files."""
        with self._lock:
            self._count += 1
            client = Client(self._count, protocol, mounts, files, lost)
            self._clients[client.number] = client
        try:
            yield
        finally:
            with self._lock:
                self._clients.pop(client.number, None)

    def disconnect_all(self) -> None:
        with self._lock:
            self._clients.clear()
