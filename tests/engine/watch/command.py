"""`dittoinfra watch` in its own process, with its events read line by line."""

import json
import signal
import subprocess
import threading
import time
from collections.abc import Callable
from types import TracebackType
from typing import Any, Self

from tests.engine.cli.fleet_bed import Fleet

SECONDS = 120.0
"""How long anything that must happen may take on a busy machine."""

FAST = ("--interval", "200ms", "--debounce", "100ms", "--absence-interval", "200ms", "--listen", "")


class Watching:
    """A running watch for the length of a `with` block, ended with SIGTERM."""

    def __init__(self, fleet: Fleet, *arguments: str) -> None:
        self._process = fleet.start("watch", "--json", *FAST, *arguments)
        self.events: list[dict[str, Any]] = []
        self.stderr = ""
        self._readers = [
            threading.Thread(target=self._read_stdout),
            threading.Thread(target=self._read_stderr),
        ]

    def __enter__(self) -> Self:
        for reader in self._readers:
            reader.start()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        if self._process.poll() is None:
            self.signal()
        self.wait()

    @property
    def pid(self) -> int:
        return self._process.pid

    def signal(self, number: signal.Signals = signal.SIGTERM) -> None:
        self._process.send_signal(number)

    def wait(self) -> int:
        """Wait until it ends, and return its exit code."""
        try:
            code = self._process.wait(SECONDS)
        except subprocess.TimeoutExpired:
            self._process.kill()
            raise
        for reader in self._readers:
            reader.join(SECONDS)
        return code

    def until(self, holds: Callable[[], object]) -> None:
        """Wait until a condition holds."""
        deadline = time.monotonic() + SECONDS
        while not holds():
            assert time.monotonic() < deadline, (self.events, self.stderr)
            assert self._process.poll() is None, (self.events, self.stderr)
            time.sleep(0.02)

    def until_said(self, event: str, count: int = 1, stack: str | None = None) -> None:
        """Wait until a number of events of a kind was reported."""
        self.until(lambda: len(self.said(event, stack)) >= count)

    def said(self, event: str, stack: str | None = None) -> list[str]:
        """The texts of all events of a kind."""
        return [
            heard["text"]
            for heard in tuple(self.events)
            if heard["event"] == event and stack in (None, heard.get("stack"))
        ]

    def _read_stdout(self) -> None:
        assert self._process.stdout is not None
        with self._process.stdout as lines:
            self.events.extend(json.loads(line) for line in lines)

    def _read_stderr(self) -> None:
        assert self._process.stderr is not None
        with self._process.stderr as lines:
            self.stderr = lines.read()
