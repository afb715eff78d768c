"""One crash test: which process is killed, during which run, and at which point."""

import random
import signal
import subprocess
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Literal

from lab.simulator.versions import ServerVersion, in_turn
from lab.standin import StandInProvider
from tests import ROOT
from tests.chaos.crashes.fault_store import FaultPoint, FaultStore, When
from tests.chaos.crashes.processes import engines_of, kill, wait_for_the_end_of
from tests.chaos.crashes.provider import KilledProvider
from tests.chaos.crashes.scenes import SCENES, Scene
from tests.chaos.crashes.site import STACK, Site
from tests.engine.cli.fleet_bed import TIMEOUT, read_until

Victim = Literal["cli", "program", "provider"]
VICTIMS: tuple[Victim, ...] = ("cli", "program", "provider")

WHEN: tuple[When, ...] = ("before", "after", "after", "answered")

LATEST = 30.0
"""Seconds after the end of a run within which its provider must have been killed."""

LONGEST = 1.5
"""The upper bound of the random delay after the start of a phase, in seconds."""

NEVER = FaultPoint("write", 1_000_000, "before")


@dataclass(frozen=True, slots=True)
class ClockPoint:
    """A point in time: this many seconds after the command has printed these words."""

    words: str
    seconds: float

    def __str__(self) -> str:
        return f"{self.seconds:.2f} s after {self.words!r}"


@dataclass(frozen=True, slots=True)
class Crash:
    """A crash, fully determined by its seed."""

    seed: int
    victim: Victim
    scene: Scene
    version: ServerVersion
    moment: FaultPoint | ClockPoint

    def __str__(self) -> str:
        return (
            f"{self.seed}: {self.victim} killed {self.moment}, in {self.scene.name}, DittoFS {self.version}"
        )


@dataclass(frozen=True, slots=True)
class Ended:
    """Exit code and output of the killed run."""

    exit_code: int
    said: str


def crash_of(seed: int) -> Crash:
    """The crash of a seed: victims, scenes and versions take turns, the point is random."""
    chance = random.Random(seed)
    rounds, victim = divmod(seed, len(VICTIMS))
    rounds, number = divmod(rounds, len(SCENES))
    scene = SCENES[number]
    return Crash(seed, VICTIMS[victim], scene, next(in_turn(rounds)), _moment(chance, scene))


def _moment(chance: random.Random, scene: Scene) -> FaultPoint | ClockPoint:
    kind = chance.random()
    if kind < 0.7:
        number = chance.randint(1, scene.writes)
        when = chance.choice(WHEN)
        return FaultPoint("write", number, when, arrives=chance.random() < 0.5)
    if kind < 0.85:
        return FaultPoint("question", chance.randint(1, scene.questions), chance.choice(("before", "after")))
    return ClockPoint(chance.choice(("previewing", "updating")), chance.uniform(0, LONGEST))


def run_and_kill(crash: Crash, site: Site) -> Ended:
    """Run `up`, and kill the victim at the chosen point."""
    with _run(crash, site) as process:
        stdout, stderr = process.communicate(timeout=TIMEOUT)
    return Ended(process.returncode, stdout + stderr)


@contextmanager
def _run(crash: Crash, site: Site) -> Iterator["subprocess.Popen[str]"]:
    moment = crash.moment if isinstance(crash.moment, FaultPoint) else NEVER
    if crash.victim == "provider":
        with _killed_provider(site, moment) as killed:
            process = site.start("up", STACK, "--yes", provider=killed.environment())
            if isinstance(crash.moment, ClockPoint):
                _wait(process, crash.moment)
                kill(killed.server.pid)
            yield process
            assert killed.server.wait(LATEST) == -signal.SIGKILL
        return
    running: list[subprocess.Popen[str]] = []
    orphans: list[int] = []

    def trigger() -> None:
        command = running[0].pid
        engines = engines_of(command)
        # The engine may have ended already; then its parent is killed.
        if crash.victim == "cli" and engines:
            kill(*engines)
        else:
            orphans.extend(engines)
            kill(command)

    store = FaultStore(site.store, moment, trigger)
    with StandInProvider(store) as provider:
        running.append(site.start("up", STACK, "--yes", provider=provider.environment()))
        if isinstance(crash.moment, ClockPoint):
            _wait(running[0], crash.moment)
            trigger()
        yield running[0]
        wait_for_the_end_of(*orphans)
    assert isinstance(crash.moment, ClockPoint) or store.triggered.wait(LATEST), (
        f"the fault point was never reached: {store.counted}"
    )


@contextmanager
def _killed_provider(site: Site, moment: FaultPoint) -> Iterator[KilledProvider]:
    provider = KilledProvider(site.api.kubeconfig, moment, ROOT, site.fleet.root / "provider.log")
    try:
        yield provider
    finally:
        provider.server.stop()


def _wait(process: "subprocess.Popen[str]", moment: ClockPoint) -> None:
    read_until(process, moment.words)
    time.sleep(moment.seconds)
