"""`dittoinfra watch` in a process of its own, heard line by line."""

import ctypes
import json
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from bench.bed import BenchError, end
from bench.stage import AS_IT_IS, COMMAND, Stage

FILES = 512
"""What a watch keeps free of connections for runs of the engine: with fewer it keeps no connection at all."""

SECONDS = 240.0
"""How long anything that must happen may take."""
SECONDS_FOR_A_STACK = 5.0
"""More for the first run of each stack."""


@dataclass(frozen=True, slots=True)
class Watching:
    """A watch that runs."""

    process: "subprocess.Popen[str]"
    events: list[dict[str, Any]] = field(default_factory=list)

    def until(self, what: str, holds: Callable[[], object], seconds: float = SECONDS) -> None:
        """Wait for a fact."""
        deadline = time.monotonic() + seconds
        while not holds():
            if time.monotonic() > deadline or self.process.poll() is not None:
                raise BenchError(f"watch: {what} did not come about; it said {self.events[-3:]}")
            time.sleep(0.02)

    def updated(self, stack: str) -> bool:
        """Whether a stack's first run is over."""
        return any(e["event"] == "updated" and e.get("stack") == stack for e in tuple(self.events))

    def processor_seconds(self) -> float:
        """What it and everything it has started and waited for has used so far.

        Its own by a clock of nanoseconds: a watch that does nothing uses a few ticks in a minute.
        """
        fields = Path(f"/proc/{self.process.pid}/stat").read_text().rpartition(")")[2].split()
        waited_for = sum(int(ticks) for ticks in fields[13:15]) / _TICKS
        return time.clock_gettime(_processor_clock(self.process.pid)) + waited_for

    def processor_share(self, seconds: float) -> float:
        """Percent of a processor that it uses in the next seconds."""
        before, at = self.processor_seconds(), time.monotonic()
        time.sleep(seconds)
        return (self.processor_seconds() - before) * 100 / (time.monotonic() - at)

    def updates(self, stack: str) -> int:
        """How many runs of a stack have ended well."""
        return sum(e["event"] == "updated" and e.get("stack") == stack for e in tuple(self.events))

    def memory(self) -> float:
        """Megabytes that it holds at the moment."""
        status = Path(f"/proc/{self.process.pid}/status").read_text()
        return next(int(line.split()[1]) for line in status.splitlines() if line.startswith("VmRSS")) / 1024

    def end(self) -> None:
        """End it, and wait for that: as long as it may take for updates that are under way."""
        end(self.process, SECONDS)

    def open_files(self) -> int:
        """Descriptors that it holds at the moment."""
        return len(list(Path(f"/proc/{self.process.pid}/fd").iterdir()))

    def _hear(self) -> None:
        assert self.process.stdout is not None  # noqa: S101 - it is a pipe of our own
        for line in self.process.stdout:
            self.events.append(json.loads(line))


_TICKS = 100.0
"""Of a second: Linux counts in these whatever the processor."""


def _processor_clock(pid: int) -> int:
    clock = ctypes.c_int()
    if ctypes.CDLL(None).clock_getcpuclockid(pid, ctypes.byref(clock)):
        raise BenchError(f"process {pid} has no clock: it has ended")
    return clock.value


@contextmanager
def watching(
    stage: Stage, stacks: Sequence[str], *flags: str, more: Mapping[str, str] = AS_IT_IS
) -> Iterator[Watching]:
    """A watch of stacks, once the first run of each is over; `more` is added to its environment."""
    command = [sys.executable, "-c", COMMAND, "watch", *stacks, "--json", "--listen", "", *flags]
    with subprocess.Popen(  # noqa: S603 - a command of our own
        command, cwd=stage.root, env={**stage.environment, **more}, stdout=subprocess.PIPE, text=True
    ) as process:
        watch = Watching(process)
        reader = threading.Thread(target=watch._hear, daemon=True)  # noqa: SLF001 - of this very file
        reader.start()
        try:
            watch.until(
                "the first run",
                lambda: all(watch.updated(stack) for stack in stacks),
                SECONDS + SECONDS_FOR_A_STACK * len(stacks),
            )
            yield watch
        finally:
            watch.end()
            reader.join()
