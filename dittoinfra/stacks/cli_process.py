"""The pulumi CLI: single questions, and runs that an interrupt reaches.

In a terminal Ctrl-C goes to every process of the foreground group. A CLI that gets it from the terminal and
from this process treats the second one as a request to abort at once: so each CLI has its own process group.
"""

import os
import signal
import subprocess
import threading
from collections.abc import Callable, Iterator, Mapping, Sequence
from concurrent.futures import Future, wait
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path
from typing import IO, Final, Protocol, TypeVar

from semver import VersionInfo

from dittoinfra.exitcodes import ExitCode
from dittoinfra.stacks.cli_errors import CliFailure, is_gone, known_failure, signal_name
from dittoinfra.stacks.cli_question import Answer, EarlyQuestion, ask_cli


class CliFailedError(Exception):
    """The CLI failed: its own last error message, its exit code, and all that it printed."""

    def __init__(self, arguments: tuple[str, ...], exit_code: int, output: str) -> None:
        lines = [line.strip().removeprefix("error: ") for line in output.splitlines() if line.strip()]
        why = lines[-1] if lines else "failed without saying why"
        if exit_code < 0:
            why = f"it was ended by {signal_name(-exit_code)}; run again"
        super().__init__(f"pulumi {' '.join(arguments[:2])}: {why}")
        self.exit_code = exit_code if exit_code > 0 else ExitCode.GENERIC
        self.output = output if exit_code > 0 else ""


class ConfigFileError(CliFailedError):
    """The CLI would fail: a stack's file cannot be read."""

    def __init__(self, line: str) -> None:
        Exception.__init__(self, line)
        self.exit_code = ExitCode.CONFIGURATION
        self.output = ""


def cli_failure(stack: str, error: CliFailedError) -> CliFailure:
    """Why the CLI could not answer about a stack, in one line that users can act on."""
    known = known_failure(stack, error.output, error.exit_code, is_gone)
    return known or CliFailure(str(error), error.exit_code)


class PulumiCli(Protocol):
    """A pulumi CLI that was found; the SDK's own command is one, too."""

    @property
    def command(self) -> str:
        """Its path."""

    @property
    def version(self) -> VersionInfo | None:
        """Its version."""


@dataclass(frozen=True, slots=True)
class CommandLine:
    """The pulumi CLI in one project, with one environment."""

    command: PulumiCli
    root: Path
    environment: Mapping[str, str]
    early: EarlyQuestion | None = None
    """A question that was asked before."""

    def ask(self, *arguments: str, given: str | None = None) -> str:
        """What the CLI prints; `given` goes to its standard input, where no process list shows it."""
        early = self.early.take(arguments) if self.early is not None and given is None else None
        done = early or ask_cli(self.command.command, self.root, self.environment, arguments, given)
        if done.returncode:
            raise CliFailedError(arguments, done.returncode, done.stderr or done.stdout)
        return done.stdout


OnLine = Callable[[str], object] | None


class InterruptedRunError(Exception):
    """Nothing more is started: the user has interrupted the run."""


class Processes:
    """Every running CLI; once interrupted, no other one is started."""

    def __init__(self) -> None:
        # A second interrupt may come while the first one is being handled, in the same thread.
        self._lock = threading.RLock()
        self._running: set[subprocess.Popen[str]] = set()
        self._interrupted = threading.Event()
        self._on_interrupt: list[Callable[[], None]] = []

    @property
    def interrupted(self) -> bool:
        """Whether the user has interrupted the run."""
        return self._interrupted.is_set()

    def sleep(self, seconds: float) -> None:
        """Wait; an interrupt ends the wait."""
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
        """Kill every CLI, and what it has started, at once."""
        with self._lock:
            self._interrupted.set()
            running = tuple(self._running)
        for process in running:
            with suppress(ProcessLookupError):
                os.killpg(process.pid, signal.SIGKILL)

    @contextmanager
    def calling(self, callback: Callable[[], None]) -> Iterator[None]:
        """Also call this on an interrupt, and at once where one has already happened."""
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


class InterruptibleCommand:
    """The CLI that was found; each of its runs is registered with `Processes`."""

    def __init__(self, found: PulumiCli, processes: Processes) -> None:
        self.command = found.command
        self.version = found.version
        self.processes = processes

    def run(
        self,
        args: list[str],
        cwd: str,
        additional_env: Mapping[str, str],
        on_output: OnLine = None,
        on_error: OnLine = None,
    ) -> Answer:
        """All that a run has printed, and its exit code; each line is passed on as it comes."""
        environment = {**os.environ, **additional_env, "PULUMI_AUTOMATION_API": "true"}
        # Plugins that came with a CLI are in the same folder.
        beside = os.path.dirname(self.command)  # noqa: PTH120 - a bare name has no folder, and Path says "."
        if beside:
            environment["PATH"] = os.pathsep.join(filter(None, [beside, environment.get("PATH")]))
        command = [self.command, "--non-interactive", *args]
        with self.processes.start(command, cwd, environment) as process:
            assert process.stdout is not None  # noqa: S101 - both are pipes
            assert process.stderr is not None  # noqa: S101 - likewise
            errors: list[str] = []
            reader = threading.Thread(target=_read, args=(process.stderr, on_error, errors))
            reader.start()
            output: list[str] = []
            _read(process.stdout, on_output, output)
            reader.join()
            code = process.wait()
        return Answer(command, code, "\n".join(output), "\n".join(errors))


def _read(stream: IO[str], on_line: OnLine, lines: list[str]) -> None:
    for line in stream:
        text = line.rstrip()
        lines.append(text)
        if on_line is not None:
            on_line(text)


Found = TypeVar("Found")

WAKE_SECONDS: Final = 0.5


def results(futures: "Sequence[Future[Found]]") -> list[Found]:
    """The result of each future, in order.

    Python handles signals in the main thread only, and a signal that arrives while it sleeps does not always
    wake it: seen about once in thirty interrupts on a busy machine. So the main thread wakes up periodically.
    """
    while wait(futures, WAKE_SECONDS).not_done:
        pass
    return [future.result() for future in futures]
