"""Many stacks through one command: `dittoinfra preview` of all of them against the same of one.

Nothing has changed since their first update, as on most days. How it grows shows between measurements with
more and more stacks of the same size.
"""

import os
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Iterator, Mapping
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path

from bench.bed import TIMEOUT, Bed, BenchError, servers
from bench.measurement import Fact, Measurement, Opening, Pair, Rounds
from bench.stage import AS_IT_IS, COMMAND, FAST_SETUP, Stage, stage

SERVERS = 10
"""Of each stack."""
TYPES = 2
LATENCY = 0.02
LOOK = 0.2
"""Seconds between two looks at the memory of a command."""
_PAGE = os.sysconf("SC_PAGE_SIZE") / 2**20


@dataclass(frozen=True, slots=True)
class Cost:
    """What a command took, with every process that it started."""

    seconds: float
    processor: float
    """Seconds of processor time."""
    memory: float
    """Megabytes of all processes together at the worst moment that was seen; shared pages count for each."""


def cost_of(project: Stage, *words: str, more: Mapping[str, str] = AS_IT_IS) -> Cost:
    """Run a command of dittoinfra, which must end well, and in time."""
    output = project.root / "said"
    began = time.perf_counter()
    with output.open("w") as said:
        command = subprocess.Popen(  # noqa: S603 - a command of our own
            [sys.executable, "-c", COMMAND, *words],
            cwd=project.root,
            env={**project.environment, **more},
            stdin=subprocess.DEVNULL,
            stdout=said,
            stderr=subprocess.STDOUT,
            # A group of its own: its processes are found by it.
            start_new_session=True,
        )
        most, ended = 0.0, threading.Event()

        def look() -> None:
            nonlocal most
            while not ended.wait(LOOK):
                most = max(most, _resident(command.pid))
                if time.perf_counter() - began > TIMEOUT:
                    _kill(command.pid)

        looking = threading.Thread(target=look)
        looking.start()
        try:
            _, status, used = os.wait4(command.pid, 0)
            seconds = time.perf_counter() - began
            command.returncode = os.waitstatus_to_exitcode(status)
        finally:
            ended.set()
            looking.join()
            # They have a session of their own, so an interrupt of ours does not reach them.
            _kill(command.pid)
    if command.returncode:
        raise BenchError(f"dittoinfra {' '.join(words)}: {output.read_text().strip()[-2000:]}")
    return Cost(seconds, used.ru_utime + used.ru_stime, most)


def _resident(session: int) -> float:
    """Megabytes that the processes of a session hold."""
    return sum(pages for _, pages in _processes(session)) * _PAGE


def _kill(session: int) -> None:
    """End what is left of a session."""
    for process, _ in _processes(session):
        with suppress(ProcessLookupError):
            os.kill(process, signal.SIGKILL)


def _processes(session: int) -> Iterator[tuple[int, int]]:
    """The processes of a session, and the pages that each holds."""
    for stat in Path("/proc").glob("[0-9]*/stat"):
        try:
            fields = stat.read_text().rpartition(")")[2].split()
        except OSError:  # it has ended meanwhile
            continue
        if int(fields[3]) == session:
            yield int(stat.parent.name), int(fields[21])


def _opening(stacks: int) -> Opening:
    @contextmanager
    def opening(bed: Bed) -> Iterator[Pair]:
        with (
            servers(bed, stacks * SERVERS, LATENCY, TYPES) as asked,
            stage(bed, f"fleet-{stacks}") as project,
        ):
            project.configure_many([f"fleet-{number:03}" for number in range(stacks)], asked)
            first = cost_of(project, "up", "--all", "--yes", "--skip-preview", more=FAST_SETUP)
            asked.counted(forget=True)
            costs: list[Cost] = []

            def every() -> float:
                costs.append(cost_of(project, "preview", "--all"))
                return costs[-1].seconds

            def one() -> float:
                return cost_of(project, "preview", "fleet-000").seconds

            def facts() -> tuple[Fact, ...]:
                return (
                    Fact("first `up` of all stacks, with one write of each state", first.seconds, "s"),
                    Fact("processor time of a preview of all", costs[-1].processor, "s"),
                    Fact("processor time for each stack", costs[-1].processor / stacks, "s"),
                    Fact("memory of all its processes", max(each.memory for each in costs), "MB"),
                    Fact("connections at once", asked.counted()["most_open"]),
                )

            # The first update has warmed everything, and a preview of a hundred stacks takes a minute.
            yield Pair(every, one, facts, warm=True)

    return opening


def _measurement(stacks: int) -> Measurement:
    return Measurement(
        f"fleet_{stacks}",
        f"`dittoinfra preview` of {stacks} stacks of {SERVERS} servers with {TYPES} adapters each ÷ of one",
        _opening(stacks),
        rounds=Rounds(6, 6),
        checked=False,
    )


# Larger stacks are previewed where they are watched: a preview of 100 stacks of 100 servers takes minutes.
MEASUREMENTS = (_measurement(10), _measurement(30), _measurement(100))
