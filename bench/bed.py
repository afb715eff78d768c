"""What measurements stand on: the CLI, a folder, and processes that end with them."""

import json
import os
import resource
import subprocess
import sys
import time
from collections.abc import Iterator, Mapping, Sequence
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

ROOT = Path(__file__).parents[1]
PASSWORD_ENV = "BENCH_PASSWORD"  # noqa: S105 - its name; every server here takes any password
TIMEOUT = 600.0
"""Seconds for one process: none may hang forever."""


class BenchError(Exception):
    """Something that is measured does not work: there is nothing to measure."""


@dataclass(frozen=True, slots=True)
class Bed:
    """The pulumi CLI, and a folder for everything that is made along the way."""

    cli: str
    version: str
    folder: Path

    def environment(self, *more: Mapping[str, str]) -> dict[str, str]:
        """What processes run in: nothing of the caller's own settings, and Python that is compiled once."""
        others = ("PULUMI_", "DITTOINFRA_", "PYTHONDONTWRITEBYTECODE")
        inherited = {k: v for k, v in os.environ.items() if not k.startswith(others)}
        ours = {
            "PYTHONPATH": str(ROOT),
            "PYTHONPYCACHEPREFIX": str(self.folder / "compiled"),
            "PULUMI_CONFIG_PASSPHRASE": "bench",
            "PULUMI_HOME": str(self.folder / "home"),
            "PULUMI_SKIP_UPDATE_CHECK": "1",
            "BENCH_PULUMI": f"{self.version} {self.cli}",
            PASSWORD_ENV: "any",
        }
        for each in more:
            ours |= each
        return inherited | ours


def run(command: Sequence[str], cwd: Path, environment: Mapping[str, str]) -> tuple[float, str]:
    """Seconds that a process took from its start to its end, and what it printed; it must end well."""
    began = time.perf_counter()
    try:
        done = subprocess.run(  # noqa: S603 - commands of our own
            [sys.executable, *command],
            cwd=cwd,
            env=dict(environment),
            stdin=subprocess.DEVNULL,
            capture_output=True,
            text=True,
            timeout=TIMEOUT,
            check=False,
        )
    except subprocess.TimeoutExpired:
        raise BenchError(f"{' '.join(command)}: did not end within {TIMEOUT:g} s") from None
    seconds = time.perf_counter() - began
    if done.returncode:
        raise BenchError(f"{' '.join(command)}: {(done.stderr or done.stdout).strip()[-2000:]}")
    return seconds, done.stdout


@contextmanager
def process(
    command: Sequence[str], cwd: Path, environment: Mapping[str, str]
) -> Iterator["subprocess.Popen[str]"]:
    """A process for the length of a `with` block, told to end by the end of its input and a SIGTERM."""
    with subprocess.Popen(  # noqa: S603 - commands of our own
        [sys.executable, *command],
        cwd=cwd,
        env=dict(environment),
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
    ) as started:
        try:
            yield started
        finally:
            end(started, PATIENCE)


PATIENCE = 10.0
"""Seconds that a process of ours has to end when it is told to."""


def end(started: "subprocess.Popen[str]", seconds: float) -> None:
    """Tell a process to end, and kill it where it does not."""
    started.terminate()
    try:
        started.wait(seconds)
    except subprocess.TimeoutExpired:
        started.kill()
        started.wait()


MOST_TOGETHER = 4000
"""Servers in one process."""
SPARE_FILES = 64
"""What a process has open beside its connections."""


def most_files() -> int:
    """How many files a process may open, if it asks for as many as it can get."""
    _, most = resource.getrlimit(resource.RLIMIT_NOFILE)
    return sys.maxsize if most == resource.RLIM_INFINITY else most


def need_files(count: int) -> None:
    """`BenchError` where one process cannot open so many: something else would be measured."""
    if count > (most := most_files()):
        raise BenchError(f"a process may open {most} files, and this takes {count}: raise `ulimit -Hn`")


def together() -> int:
    """Servers in one process: each needs a socket that listens and one that is connected."""
    return max(1, min(MOST_TOGETHER, (most_files() - SPARE_FILES) // 2))


@dataclass(frozen=True, slots=True)
class Servers:
    """Many servers that answer after a latency."""

    ports: tuple[int, ...]
    _processes: "tuple[subprocess.Popen[str], ...]"
    _together: int
    """Each process has so many of them, and the last one the rest."""

    def urls(self) -> list[str]:
        """Where they are."""
        return [f"http://127.0.0.1:{port}" for port in self.ports]

    def counted(self, *, forget: bool = False) -> dict[str, Any]:
        """What they have seen on the wire since they were last told to forget it.

        Of several processes everything is added up, the most connections at once as well: for connections
        that are kept that is right, and for others at most too many.
        """
        seen = [_told(each, "forget" if forget else "counted") for each in self._processes]
        first = [each.pop("first_request") for each in seen]
        asked = [each for each in first if each is not None]
        return {
            "first_request": min(asked, default=None),
            **{key: sum(each[key] for each in seen) for key in seen[0]},
        }

    def serve(self, number: int, types: int) -> None:
        """Let one of them have so many adapters from now on."""
        self._tell("serve", number, types)

    def mute(self, number: int) -> None:
        """Let one of them never answer again."""
        self._tell("mute", number)

    def _tell(self, order: str, number: int, *more: int) -> None:
        which, index = divmod(number, self._together)
        _told(self._processes[which], " ".join(map(str, (order, index, *more))))


def _told(answering: "subprocess.Popen[str]", order: str) -> dict[str, Any]:
    assert answering.stdin is not None  # noqa: S101 - it is a pipe of our own
    try:
        answering.stdin.write(f"{order}\n")
        answering.stdin.flush()
    except BrokenPipeError:
        raise BenchError("the simulated servers have ended") from None
    seen: dict[str, Any] = _heard(answering)
    return seen


def _heard(answering: "subprocess.Popen[str]") -> Any:  # noqa: ANN401 - whatever they say
    assert answering.stdout is not None  # noqa: S101 - it is a pipe of our own
    if not (line := answering.stdout.readline()):
        raise BenchError("the simulated servers have ended; why is above")
    return json.loads(line)


@contextmanager
def servers(bed: Bed, count: int, latency: float, types: int = 2) -> Iterator[Servers]:
    """So many servers, each with so many adapters, each answer so many seconds late."""
    with ExitStack() as life:
        ports: list[int] = []
        processes: list[subprocess.Popen[str]] = []
        most = together()
        while len(ports) < count:
            here = min(most, count - len(ports))
            command = ["-m", "bench.programs.answering", str(here), str(latency), str(types)]
            answering = life.enter_context(process(command, bed.folder, bed.environment()))
            ports += _heard(answering)
            processes.append(answering)
        yield Servers(tuple(ports), tuple(processes), most)
