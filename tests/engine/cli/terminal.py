"""Runs the command in a pseudo-terminal."""

import fcntl
import os
import pty
import re
import select
import struct
import subprocess
import sys
import termios
import time

from tests.engine.cli.fleet_bed import PROGRAM, TIMEOUT, Fleet


class Terminal:
    """The command in a pseudo-terminal, with keyboard input."""

    def __init__(self, fleet: Fleet, *arguments: str, **environment: str | None) -> None:
        """Start it; a variable that is None is not set."""
        self._end, other = pty.openpty()
        fcntl.ioctl(other, termios.TIOCSWINSZ, struct.pack("HHHH", 40, 120, 0, 0))
        self.seen = ""
        unset = {"CI": None, "NO_COLOR": None}
        variables = {**fleet.environment, **unset, "TERM": "xterm-256color", **environment}
        self.process = subprocess.Popen(
            [sys.executable, "-c", PROGRAM, *arguments],
            cwd=fleet.root,
            env={name: value for name, value in variables.items() if value is not None},
            stdin=other,
            stdout=other,
            stderr=other,
            start_new_session=True,
            preexec_fn=lambda: fcntl.ioctl(0, termios.TIOCSCTTY, 0),
        )
        os.close(other)

    def type_after(self, words: str, keys: str, *, hidden: bool = False) -> None:
        """Wait for a text on the screen, then type; `hidden` must not be echoed."""
        while words not in _unwrapped(self.seen):
            assert self._read(), f"ended without {words!r}: {self.seen}"
        self.seen = _unwrapped(self.seen).partition(words)[2]
        # A question stands on the screen before the terminal is told to hide the answer, and what was typed
        # until then is thrown away.
        deadline = time.monotonic() + TIMEOUT
        while hidden and termios.tcgetattr(self._end)[3] & termios.ECHO:
            assert time.monotonic() < deadline, f"what is typed after {words!r} would be shown"
            time.sleep(0.01)
        os.write(self._end, keys.encode())

    def end(self) -> tuple[int, str]:
        """The exit code, and the output since the last input."""
        while self._read():
            pass
        os.close(self._end)
        return self.process.wait(TIMEOUT), self.seen

    def _read(self) -> bool:
        ready, _, _ = select.select([self._end], [], [], TIMEOUT)
        assert ready, f"nothing more is on the screen: {self.seen}"
        try:
            read = os.read(self._end, 65536).decode(errors="replace")
        except OSError:  # the other end is closed
            return False
        self.seen += read
        return bool(read)


def _unwrapped(screen: str) -> str:
    """The screen as one line: where lines wrap depends on the length of a process id."""
    return " ".join(re.sub(r"\x1b\[[0-9;?]*[A-Za-z]", "", screen).split())
