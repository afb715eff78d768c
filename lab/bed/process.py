"""Starts, awaits and stops a server process, and quotes its log when it fails."""

import random
import socket
import subprocess
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path

from lab.bed import process_reaper

STOP_SECONDS = 10.0
_POLL_SECONDS = 0.05
_QUOTED_LINES = 12
_ATTEMPTS = 3
_SERVER_PORTS = range(15_000, 30_000)
"""Below what Linux and macOS choose themselves, and above what programs have as their defaults."""


class BedError(Exception):
    """A part of the test bed does not work."""


class Server:
    """A running program whose output goes to a log file."""

    def __init__(
        self,
        name: str,
        command: Sequence[str | Path],
        log: Path,
        *,
        environment: Mapping[str, str] | None = None,
        user: str | None = None,
    ) -> None:
        self.name = name
        self._log = log
        with log.open("wb") as output:
            self._process = subprocess.Popen(
                [str(word) for word in command],
                stdin=subprocess.DEVNULL,
                stdout=output,
                stderr=subprocess.STDOUT,
                env=environment,
                user=user,
                # Ctrl-C is for the tests: they stop their servers in the right order.
                start_new_session=True,
            )
        process_reaper.register(self._process.pid)

    def wait_until(self, ready: Callable[[], bool], limit: float) -> None:
        """Wait until the server is ready; raise with the end of its log if it ends or times out."""
        deadline = time.monotonic() + limit
        while not ready():
            code = self._process.poll()
            if code is not None:
                raise BedError(f"{self.name} ended with {code} before it was ready; {self._last_words()}")
            if time.monotonic() > deadline:
                raise BedError(f"{self.name} was not ready within {limit:g} s; {self._last_words()}")
            time.sleep(_POLL_SECONDS)

    def wait(self, limit: float) -> int:
        """Wait until it ends, and return its exit code."""
        return self._process.wait(limit)

    @property
    def pid(self) -> int:
        """The process id."""
        return self._process.pid

    @property
    def output(self) -> str:
        """The output so far."""
        return self._log.read_text(errors="replace")

    def stop(self) -> None:
        """Send SIGTERM, and SIGKILL if it does not end."""
        if self._process.poll() is None:
            self._process.terminate()
            try:
                self._process.wait(STOP_SECONDS)
            except subprocess.TimeoutExpired:
                self._process.kill()
        self._process.wait()
        process_reaper.unregister(self._process.pid)

    def _last_words(self) -> str:
        lines = self.output.splitlines()[-_QUOTED_LINES:]
        return f"the end of {self._log}:\n" + "\n".join(lines)


def start_on_free_port(launch: Callable[[int], Server], ready: Callable[[], bool], limit: float) -> Server:
    """Start a server on a free port, with retries in case the port is taken meanwhile."""
    attempt = 1
    while True:
        [port] = free_ports(1)
        server = launch(port)
        try:
            server.wait_until(ready, limit)
        except BaseException as error:
            server.stop()
            if attempt == _ATTEMPTS or not isinstance(error, BedError) or "in use" not in str(error):
                raise
            attempt += 1
        else:
            return server


@contextmanager
def another_listener() -> Iterator[int]:
    """The port that another program already listens on."""
    with socket.socket() as listener:
        listener.bind(("127.0.0.1", 0))
        listener.listen()
        yield listener.getsockname()[1]


def free_ports(count: int) -> list[int]:
    """Distinct unused loopback ports.

    Outside the system's ephemeral range: otherwise a new connection of any process could take the port
    before a slow server listens on it.
    """
    found: list[int] = []
    for port in random.sample(_SERVER_PORTS, len(_SERVER_PORTS)):
        with socket.socket() as trial:
            try:
                trial.bind(("127.0.0.1", port))
            except OSError:
                continue
        found.append(port)
        if len(found) == count:
            return found
    raise BedError(f"no {count} ports are free between {_SERVER_PORTS[0]} and {_SERVER_PORTS[-1]}")
