"""Records the command lines of all processes of a test run, as other users of the machine could read them.

A separate process looks at every descendant of the run many times a second.
"""

import contextlib
import json
import os
import select
import shutil
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from types import TracebackType
from typing import Final, Self

_PAUSE: Final = 0.1
"""Seconds between two looks; shorter-lived processes are noted by the test process that starts them."""

_PROC: Final = Path("/proc")
_PROCESS: Final = ("ps", "-A", "-ww", "-o", "pid=,ppid=,args=")

_LOOKS: Final = 10
"""After so many looks that found the same, a process is not looked at again: it has become what it is."""

Seen = tuple[int, int, str]
"""A process, its parent, and what it was started with."""


def can_be_watched() -> bool:
    """Whether command lines of processes can be read on this machine."""
    return (_PROC / "self" / "cmdline").exists() or shutil.which(_PROCESS[0]) is not None


class ArgumentWatch:
    """Records the command lines of our descendants in a file, for the length of a `with` block."""

    def __init__(self, file: Path) -> None:
        self._file = file

    def __enter__(self) -> Self:
        self._watcher = subprocess.Popen(
            [sys.executable, "-I", "-S", __file__, str(os.getpid()), str(self._file)],
            # It ends with us, however that comes about: the system closes its input then.
            stdin=subprocess.PIPE,
            start_new_session=True,
        )
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        assert self._watcher.stdin is not None
        self._watcher.stdin.close()
        self._watcher.wait()


def _watch(root: int, file: Path) -> None:
    family, noted, known = {root}, set[str](), dict[int, tuple[str, int]]()
    with file.open("a") as notes:
        while True:
            for arguments in _of_family(family, known):
                if arguments not in noted:
                    noted.add(arguments)
                    notes.write(f"{json.dumps(arguments)}\n")
                    notes.flush()
            if select.select([sys.stdin], [], [], _PAUSE)[0]:
                return


def _of_family(family: set[int], known: dict[int, tuple[str, int]]) -> Iterator[str]:
    seen = list(_in_proc(family, known) if _PROC.is_dir() else _told_by_ps())
    # A number that is free again may be given to a stranger.
    family &= {pid for pid, _, _ in seen}
    # Children have higher numbers than their parents, but where the numbers begin again.
    for pid, parent, arguments in sorted(seen):
        if pid in family or parent in family:
            family.add(pid)
            if arguments:
                yield arguments


def _in_proc(family: set[int], known: dict[int, tuple[str, int]]) -> Iterator[Seen]:
    """Every process; `known` has what each was last seen as, and how often in a row."""
    pids = {int(entry.name) for entry in _PROC.iterdir() if entry.name.isdecimal()}
    for gone in known.keys() - pids:
        del known[gone]
    for pid in pids:
        before, looks = known.get(pid, ("", 0))
        if looks >= _LOOKS:
            yield pid, 0, ""
            continue
        # It may have ended by now.
        with contextlib.suppress(OSError):
            # The name in brackets may hold anything; what follows it does not.
            stat = (_PROC / str(pid) / "stat").read_text(errors="replace")
            parent = int(stat.rpartition(")")[2].split()[1])
            arguments = _command_line(_PROC / str(pid)) if pid in family or parent in family else ""
            known[pid] = (arguments, looks + 1 if arguments == before else 1)
            yield pid, parent, arguments


def _command_line(entry: Path) -> str:
    return (entry / "cmdline").read_bytes().decode(errors="replace").rstrip("\0").replace("\0", " ")


def _told_by_ps() -> Iterator[Seen]:
    told = subprocess.run(
        _PROCESS, stdin=subprocess.DEVNULL, capture_output=True, text=True, errors="replace"
    )
    for line in told.stdout.splitlines():
        pid, parent, *arguments = line.split(maxsplit=2)
        yield int(pid), int(parent), " ".join(arguments)


if __name__ == "__main__":
    _watch(int(sys.argv[1]), Path(sys.argv[2]))
