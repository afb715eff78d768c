"""Find and kill processes."""

import os
import signal
import time
from contextlib import suppress
from pathlib import Path

ENDING_SECONDS = 120.0
_POLL_SECONDS = 0.02


def engines_of(pid: int) -> tuple[int, ...]:
    """The running pulumi CLI processes that a process has started."""
    return tuple(
        int(process.name)
        for process in Path("/proc").iterdir()
        if process.name.isdecimal() and _parent(process) == pid and _program(process).endswith("/pulumi")
    )


def kill(*pids: int) -> None:
    """Send SIGKILL to each process."""
    for pid in pids:
        with suppress(ProcessLookupError):
            os.kill(pid, signal.SIGKILL)


def wait_for_the_end_of(*pids: int) -> None:
    """Wait until none of the processes is running."""
    deadline = time.monotonic() + ENDING_SECONDS
    while any(_runs(Path("/proc") / str(pid)) for pid in pids):
        assert time.monotonic() < deadline, f"{pids} still run {ENDING_SECONDS:g} s after their parent's end"
        time.sleep(_POLL_SECONDS)


def _runs(process: Path) -> bool:
    status = _status(process)
    # Its parent may have ended before.
    return bool(status) and status[0] != "Z"


def _parent(process: Path) -> int | None:
    status = _status(process)
    return int(status[1]) if status and status[0] != "Z" else None


def _status(process: Path) -> list[str]:
    try:
        # The program's name may hold anything, and ends with the last bracket.
        return (process / "stat").read_text().rpartition(")")[2].split()
    except OSError:
        return []


def _program(process: Path) -> str:
    try:
        return (process / "cmdline").read_bytes().partition(b"\0")[0].decode(errors="replace")
    except OSError:
        return ""
