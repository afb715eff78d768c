"""No server outlives the tests, even when those are killed: a process beside them ends what they leave."""

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


def watch(pid: int) -> None:
    """End this process when ours ends before it."""
    _tell(f"+{pid}")


def forget(pid: int) -> None:
    """It has ended: its number may be somebody else's from now on."""
    _tell(f"-{pid}")


def _tell(word: str) -> None:
    # A guard that somebody has killed protects nothing, and breaks nothing either.
    with contextlib.suppress(OSError):
        _guard().write(f"{word}\n".encode())


@cache
def _guard() -> IO[bytes]:
    """The way to the guard; the system closes it when we end, however that comes about."""
    process = subprocess.Popen(
        [sys.executable, "-I", "-S", __file__],
        stdin=subprocess.PIPE,
        stdout=subprocess.DEVNULL,
        bufsize=0,
        start_new_session=True,
    )
    assert process.stdin is not None
    # Python warns about children that it forgets while they run, and this one runs to the very end.
    process.returncode = 0
    atexit.register(process.stdin.close)
    return process.stdin


def _stand_guard() -> None:
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
    _stand_guard()
