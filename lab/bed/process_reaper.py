"""A helper process that ends the servers of a test run when the run ends, even if it is killed."""

import atexit
import contextlib
import os
import signal
import subprocess
import sys
import time
from functools import cache
from typing import IO, Final

PATIENCE: Final = 5.0
"""Seconds between asking a server to end and ending it."""


def register(pid: int) -> None:
    """End this process when the current process has ended."""
    _tell(f"+{pid}")


def unregister(pid: int) -> None:
    """The process has ended: its id may be reused."""
    _tell(f"-{pid}")


def _tell(word: str) -> None:
    # If the reaper was killed, the tests go on without it.
    with contextlib.suppress(OSError):
        _reaper().write(f"{word}\n".encode())


@cache
def _reaper() -> IO[bytes]:
    """The pipe to the helper process; the system closes it when we end."""
    process = subprocess.Popen(
        [sys.executable, "-I", "-S", __file__],
        stdin=subprocess.PIPE,
        stdout=subprocess.DEVNULL,
        bufsize=0,
        start_new_session=True,
    )
    assert process.stdin is not None
    # Avoids the ResourceWarning for a child that is still running; this one runs until we end.
    process.returncode = 0
    atexit.register(process.stdin.close)
    return process.stdin


def _reap() -> None:
    alive: set[int] = set()
    for line in sys.stdin:
        pid = int(line[1:])
        (alive.add if line[0] == "+" else alive.discard)(pid)
    for ending in (signal.SIGTERM, signal.SIGKILL):
        for pid in list(alive):
            try:
                os.kill(pid, ending)
            except ProcessLookupError:
                alive.discard(pid)
        deadline = time.monotonic() + PATIENCE
        while alive and ending is signal.SIGTERM and time.monotonic() < deadline:
            alive = {pid for pid in alive if _is_alive(pid)}
            time.sleep(0.05)


def _is_alive(pid: int) -> bool:
    try:
        os.kill(pid, 0)
    except ProcessLookupError:
        return False
    return True


if __name__ == "__main__":
    _reap()
