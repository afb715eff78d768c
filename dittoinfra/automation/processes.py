"""The CLIs that run right now, so that an interrupt reaches each of them once.

In a terminal Ctrl-C goes to every process of the foreground group. A CLI that hears it from the terminal and
from us takes the second one for impatience and stops in the middle of things: so each has its own group.
"""

import os
import signal
import subprocess
import threading
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from typing import IO

from pulumi.automation import PulumiCommand
from pulumi.automation._cmd import CommandResult  # not exported, though a command has to return it
from pulumi.automation.errors import create_command_error
from typing_extensions import override

OnLine = Callable[[str], object] | None


class InterruptedRunError(Exception):
    """Nothing more is started: somebody has asked for the end."""


class Processes:
    """Every CLI under way; once interrupted, none is started any more."""

    def __init__(self) -> None:
        # A second interrupt may come while the first one is being handled, in the same thread.
        self._lock = threading.RLock()
        self._running: set[subprocess.Popen[str]] = set()
        self._interrupted = threading.Event()
        self._on_interrupt: list[Callable[[], None]] = []

    @property
    def interrupted(self) -> bool:
        """Whether somebody has asked for the end."""
        return self._interrupted.is_set()

    def sleep(self, seconds: float) -> None:
        """Wait, or be interrupted."""
        self._interrupted.wait(seconds)

    def interrupt(self) -> None:
        """Ask every CLI to finish what it has begun, save the state and release the lock."""
        with self._lock:
            self._interrupted.set()
            running, callbacks = tuple(self._running), tuple(self._on_interrupt)
        for process in running:
            with suppress(ProcessLookupError):
                process.send_signal(signal.SIGINT)
        for callback in callbacks:
            callback()

    def kill(self) -> None:
        """End every CLI, and what it has started, at once."""
        with self._lock:
            self._interrupted.set()
            running = tuple(self._running)
        for process in running:
            with suppress(ProcessLookupError):
                os.killpg(process.pid, signal.SIGKILL)

    @contextmanager
    def calling(self, callback: Callable[[], None]) -> Iterator[None]:
        """Call this as well when somebody asks for the end, at once where that has happened already."""
        with self._lock:
            self._on_interrupt.append(callback)
            late = self.interrupted
        if late:
            callback()
        try:
            yield
        finally:
            with self._lock:
                self._on_interrupt.remove(callback)

    @contextmanager
    def start(
        self, command: Sequence[str], cwd: str, environment: Mapping[str, str]
    ) -> Iterator["subprocess.Popen[str]"]:
        """A process that an interrupt reaches, or `InterruptedRunError`."""
        with self._lock:
            if self.interrupted:
                raise InterruptedRunError
            process = subprocess.Popen(  # noqa: S603 - the CLI that was found for this
                command,
                stdin=subprocess.DEVNULL,
                stdout=subprocess.PIPE,
                stderr=subprocess.PIPE,
                cwd=cwd,
                env=environment,
                encoding="utf-8",
                process_group=0,
            )
            self._running.add(process)
        try:
            with process:
                yield process
        finally:
            with self._lock:
                self._running.discard(process)


class InterruptibleCommand(PulumiCommand):
    """The CLI that was found, each run of it known to `Processes`."""

    def __init__(self, found: PulumiCommand, processes: Processes) -> None:
        # The SDK's own constructor would start the CLI once more to ask for its version.
        self.command = found.command
        self.version = found.version
        self._processes = processes

    @property
    def interrupted(self) -> bool:
        """Whether somebody has asked for the end."""
        return self._processes.interrupted

    @override
    def run(
        self,
        args: list[str],
        cwd: str,
        additional_env: Mapping[str, str],
        on_output: OnLine = None,
        on_error: OnLine = None,
    ) -> CommandResult:
        environment = {**os.environ, **additional_env, "PULUMI_AUTOMATION_API": "true"}
        # Plugins that came with a CLI lie beside it.
        beside = os.path.dirname(self.command)  # noqa: PTH120 - a bare name has no folder, and Path says "."
        if beside:
            environment["PATH"] = os.pathsep.join(filter(None, [beside, environment.get("PATH")]))
        with self._processes.start([self.command, "--non-interactive", *args], cwd, environment) as process:
            assert process.stdout is not None  # noqa: S101 - both are pipes
            assert process.stderr is not None  # noqa: S101 - it is a pipe of our own
            errors: list[str] = []
            reader = threading.Thread(target=_read, args=(process.stderr, on_error, errors))
            reader.start()
            output: list[str] = []
            _read(process.stdout, on_output, output)
            reader.join()
            code = process.wait()
        result = CommandResult("\n".join(output), "\n".join(errors), code)
        if code:
            raise create_command_error(result)
        return result


def _read(stream: IO[str], on_line: OnLine, lines: list[str]) -> None:
    for line in stream:
        text = line.rstrip()
        lines.append(text)
        if on_line is not None:
            on_line(text)
