"""A real terminal: a program in tmux, with keyboard input and the screen's content."""

import os
import shutil
import subprocess
import tempfile
import termios
import time
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from pathlib import Path
from types import TracebackType
from typing import Final, Self

from lab.bed import process_reaper
from lab.bed.debian import find_or_install
from lab.bed.process import BedError

LIMIT_SECONDS: Final = 600.0
"""For one thing that shall happen on the screen; a machine may be busy."""

_POLL_SECONDS: Final = 0.1
_LINES: Final = 20_000
"""That have left the screen at the top and can still be read."""


def find_tmux() -> Path:
    """The path of tmux."""
    return find_or_install("tmux", "tmux", lambda: Path(found) if (found := shutil.which("tmux")) else None)


class Terminal:
    """A terminal of fixed size, on its own tmux server, for the length of a `with` block."""

    def __init__(
        self,
        command: Sequence[str],
        folder: Path,
        environment: Mapping[str, str],
        *,
        columns: int,
        rows: int,
    ) -> None:
        self._command = command
        self._folder = folder
        # A tmux around us has no business here.
        self._environment = {k: v for k, v in environment.items() if not k.startswith("TMUX")}
        self._size = ("-x", str(columns), "-y", str(rows))
        # Not in a test's folder, whose path may be too long for a socket.
        self._directory = Path(tempfile.mkdtemp(prefix="tmux-"))
        self._pid = 0

    def __enter__(self) -> Self:
        try:
            self._program = find_tmux()
            limit = ("set-option", "-g", "history-limit", str(_LINES), ";")
            self._tmux(*limit, "new-session", "-d", *self._size, "--", *self._command)
            self._pid = int(self._about("pid"))
            process_reaper.register(self._pid)
        except BaseException:
            self._end()
            raise
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._end()

    def type(self, keys: str, *, hidden: bool = False) -> None:
        """Type text; a newline is Enter. `hidden` waits until the screen does not echo input."""
        if hidden:
            # A question stands on the screen before the terminal is told to hide the answer, and what was
            # typed until then is thrown away.
            self.wait_until(lambda: not self._echoes(), "question whose answer is not shown")
        # Everybody on the machine can read arguments, and passwords are typed as well.
        self._tmux("load-buffer", "-", given=keys)
        self._tmux("paste-buffer", "-d")

    def screen(self, *flags: str) -> str:
        """The current screen, without colours unless a flag of tmux asks for them."""
        return self._tmux("capture-pane", "-p", *flags)

    def everything(self) -> str:
        """The whole scrollback, with wrapped lines joined."""
        return self.screen("-J", "-S", "-")

    def is_asking(self) -> bool:
        """Whether the cursor stands a space behind the last line, where a program waits for an answer."""
        return int(self._about("cursor_x")) == len(self.screen().rstrip().rpartition("\n")[2]) + 1

    def wait_until(self, holds: Callable[[], bool], what: str) -> None:
        """Wait until a condition holds; fail with a message and the screen."""
        deadline = time.monotonic() + LIMIT_SECONDS
        while not holds():
            if time.monotonic() > deadline:
                raise BedError(f"no {what} within {LIMIT_SECONDS:g} s on this screen:\n{self.screen()}")
            time.sleep(_POLL_SECONDS)

    def _echoes(self) -> bool:
        descriptor = os.open(self._about("pane_tty"), os.O_RDWR | os.O_NOCTTY)
        try:
            return bool(termios.tcgetattr(descriptor)[3] & termios.ECHO)
        finally:
            os.close(descriptor)

    def _about(self, name: str) -> str:
        return self._tmux("display-message", "-p", f"#{{{name}}}").strip()

    def _end(self) -> None:
        with suppress(BedError):
            self._tmux("kill-server")
        if self._pid:
            process_reaper.unregister(self._pid)
        shutil.rmtree(self._directory, ignore_errors=True)

    def _tmux(self, *arguments: str, given: str = "") -> str:
        done = subprocess.run(
            # No user's settings, and a screen in UTF-8 whatever the machine's language.
            [self._program, "-u", "-f", os.devnull, "-S", self._directory / "socket", *arguments],
            cwd=self._folder,
            env=self._environment,
            input=given,
            capture_output=True,
            text=True,
            check=False,
        )
        if done.returncode:
            raise BedError(f"tmux {arguments[0]}: {done.stderr.strip()}")
        return done.stdout
