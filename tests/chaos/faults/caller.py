"""Our client as a faulty server sees it: a connection, a request, and the means to mistreat both."""

import socket
import struct
import threading
import time
from dataclasses import dataclass

from dittoinfra.dittofs.session import LOGIN
from tests.unit.dittofs.bench import read_request


@dataclass(frozen=True, slots=True)
class Caller:
    """Who asks, and what."""

    connection: socket.socket
    request: bytes
    over: threading.Event
    """Set when the run has ended."""
    until: float
    """When the talk ends at the latest, whatever the run does."""

    @property
    def is_login(self) -> bool:
        """Whether this is the login, and not the question for adapters."""
        return self.request.startswith(f"POST {LOGIN} ".encode())

    @property
    def path(self) -> str:
        """What was asked for."""
        return self.request.split(b" ", 2)[1].decode()

    def say(self, words: bytes) -> None:
        """Send this."""
        self.connection.sendall(words)

    def stays(self, seconds: float = 0.0) -> bool:
        """Let this much time pass, and tell whether the client is still connected."""
        return not self.over.wait(seconds) and time.monotonic() < self.until

    def fall_silent(self) -> None:
        """Keep the connection, and say no more."""
        self.over.wait(self.until - time.monotonic())

    def reset(self) -> None:
        """Cut the connection the hard way, once what was said has arrived."""
        reset_when_closed(self.connection)

    def half_close(self) -> None:
        """Say that nothing more will come, and go on listening."""
        self.connection.shutdown(socket.SHUT_WR)
        read_request(self.connection)


def reset_when_closed(connection: socket.socket) -> None:
    """Have the system tell the peer that something broke, instead of saying goodbye."""
    connection.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
