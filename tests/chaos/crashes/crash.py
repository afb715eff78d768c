"""One crash: who is killed, in the middle of what, and when."""

import random
import signal
import subprocess
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Literal

from lab.standin import StandInProvider
from tests import ROOT
from tests.chaos.crashes.processes import engines_of, kill, wait_for_the_end_of
from tests.chaos.crashes.provider import DoomedProvider
from tests.chaos.crashes.scenes import SCENES, Scene
from tests.chaos.crashes.site import STACK, Site
from tests.chaos.crashes.trap import Moment, Trap, When
from tests.engine.cli.fleet_bed import TIMEOUT, read_until

Victim = Literal["cli", "program", "provider"]
VICTIMS: tuple[Victim, ...] = ("cli", "program", "provider")

WHEN: tuple[When, ...] = ("before", "after", "after", "answered")

LATEST = 30.0
"""Seconds after a run's end in which its provider must have been killed: later no moment comes."""

LONGEST = 1.5
"""Seconds after a phase has begun that a moment by the clock is drawn from."""

NEVER = Moment("write", 1_000_000, "before")


@dataclass(frozen=True, slots=True)
class Tick:
    """A moment by the clock: so long after the command has said these words."""

    words: str
    seconds: float

    def __str__(self) -> str:
        return f"{self.seconds:.2f} s after {self.words!r}"


@dataclass(frozen=True, slots=True)
class Crash:
    """Everything that a seed decides."""

    seed: int
    victim: Victim
    scene: Scene
    moment: Moment | Tick

    def __str__(self) -> str:
        return f"{self.seed}: {self.victim} killed {self.moment}, in {self.scene.name}"


@dataclass(frozen=True, slots=True)
class Ended:
    """What the killed run has left."""

    exit_code: int
    said: str


def drawn(seed: int) -> Crash:
    """The crash of a seed: victims and scenes in turn, so that each meets each, and the moment by chance."""
    chance = random.Random(seed)
    scene = SCENES[seed // len(VICTIMS) % len(SCENES)]
    return Crash(seed, VICTIMS[seed % len(VICTIMS)], scene, _moment(chance, scene))


def _moment(chance: random.Random, scene: Scene) -> Moment | Tick:
    kind = chance.random()
    if kind < 0.7:
        number = chance.randint(1, scene.writes)
        when = chance.choice(WHEN)
        return Moment("write", number, when, lands=chance.random() < 0.5)
    if kind < 0.85:
        return Moment("question", chance.randint(1, scene.questions), chance.choice(("before", "after")))
    return Tick(chance.choice(("previewing", "updating")), chance.uniform(0, LONGEST))


def strike(crash: Crash, site: Site) -> Ended:
    """Run `up`, and kill the victim when its moment has come."""
    with _run(crash, site) as process:
        stdout, stderr = process.communicate(timeout=TIMEOUT)
    return Ended(process.returncode, stdout + stderr)


@contextmanager
def _run(crash: Crash, site: Site) -> Iterator["subprocess.Popen[str]"]:
    moment = crash.moment if isinstance(crash.moment, Moment) else NEVER
    if crash.victim == "provider":
        with _doomed(site, moment) as doomed:
            process = site.start("up", STACK, "--yes", provider=doomed.environment())
            if isinstance(crash.moment, Tick):
                _wait(process, crash.moment)
                kill(doomed.server.pid)
            yield process
            assert doomed.server.wait(LATEST) == -signal.SIGKILL
        return
    running: list[subprocess.Popen[str]] = []
    orphans: list[int] = []

    def spring() -> None:
        command = running[0].pid
        engines = engines_of(command)
        # One that has come to its end cannot be killed any more, but who waits for it can.
        if crash.victim == "cli" and engines:
            kill(*engines)
        else:
            orphans.extend(engines)
            kill(command)

    trap = Trap(site.store, moment, spring)
    with StandInProvider(trap) as provider:
        running.append(site.start("up", STACK, "--yes", provider=provider.environment()))
        if isinstance(crash.moment, Tick):
            _wait(running[0], crash.moment)
            spring()
        yield running[0]
        wait_for_the_end_of(*orphans)
    assert isinstance(crash.moment, Tick) or trap.sprung.wait(LATEST), (
        f"the moment never came: {trap.counted}"
    )


@contextmanager
def _doomed(site: Site, moment: Moment) -> Iterator[DoomedProvider]:
    provider = DoomedProvider(site.api.kubeconfig, moment, ROOT, site.fleet.root / "provider.log")
    try:
        yield provider
    finally:
        provider.server.stop()


def _wait(process: "subprocess.Popen[str]", moment: Tick) -> None:
    read_until(process, moment.words)
    time.sleep(moment.seconds)
