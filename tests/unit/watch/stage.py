"""A stack's watch without an engine: real polls of simulated servers, and runs that only decide."""

import asyncio
import time
from collections.abc import Awaitable, Callable, Mapping
from contextlib import suppress
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any
from unittest.mock import patch

from dittoinfra.changes import Changes
from dittoinfra.decide.set_aside import SetAside
from dittoinfra.dittofs import AccessProblems, NotAsked, resolve_access
from dittoinfra.dittofs.client import DittoFSClient
from dittoinfra.model import Outcome, ServerPolls, StackMemory, Uncounted, Unreachable
from dittoinfra.program.survey import RunRecord
from dittoinfra.settings import ServerSettings
from dittoinfra.stacks.result import Diagnostic, RunReport
from dittoinfra.watch import server_poller
from dittoinfra.watch.adapter_changes import memory_after
from dittoinfra.watch.config_files import ConfigFiles
from dittoinfra.watch.http_endpoints import Health
from dittoinfra.watch.kept_client import Access
from dittoinfra.watch.metrics import Metrics, StackMetrics
from dittoinfra.watch.poll_slots import PollSlots
from dittoinfra.watch.poll_timing import Timing
from dittoinfra.watch.server_health import WatchedServers
from dittoinfra.watch.server_poller import PollTargets
from dittoinfra.watch.stack_runner import FinishedRun, OnDecided, RunResult
from dittoinfra.watch.stack_watch import StackWatch
from dittoinfra.watch.watch_events import EventKind, WatchEvent
from lab.bed.credentials import credential
from lab.simulator import SimulatedDittoFS
from tests.unit.status.make import configuration, record

PASSWORD = credential("password")
PASSWORD_ENV = "DITTOFS_PASSWORD"
INTERVAL = 0.05
SECONDS = 30.0
"""How long anything that must happen may take on a busy machine."""

DONE = RunReport(Changes(), (), (), 0)


def failed(why: str, exit_code: int = 1) -> RunReport:
    """A run that did not come to its end."""
    return RunReport(Changes(), (), (Diagnostic("error", why),), exit_code)


def settings(simulated: SimulatedDittoFS, name: str = "media", **more: object) -> ServerSettings:
    """A server whose API is this simulator."""
    api = {
        "url": simulated.url,
        "username": "admin",
        "passwordEnv": PASSWORD_ENV,
        "deadline": "500ms",
        "requestTimeout": "300ms",
    }
    return ServerSettings.model_validate({"name": name, "api": api, **more})


@dataclass
class Stage:
    """One watched stack, with its events and runs."""

    root: Path
    servers: list[ServerSettings]
    interval: float = INTERVAL
    debounce: float = 0.0
    absence: float = 0.0
    always_counts: bool = False
    initial: bool = True
    events: list[WatchEvent] = field(default_factory=list)
    runs: list[str] = field(default_factory=list)
    """Every run, in order: `up` or `preview`."""
    counting: list[bool] = field(default_factory=list)
    """Whether each of them might count absences."""
    silent: list[frozenset[str]] = field(default_factory=list)
    """The servers that each of them was told to be silent."""
    held: StackMemory = field(default_factory=dict)
    """What the stack's state holds."""
    outcomes: list[tuple[RunResult, RunReport]] = field(default_factory=list)
    """How the next runs end; the ones after those end well."""
    refused: bool = False
    """Whether updates end before they begin."""
    aside: SetAside = field(default_factory=SetAside)
    """What runs leave out because of objects that are not the stack's."""
    decisions: list[RunRecord] = field(default_factory=list)
    """What every update decides, one after the other, before it ends."""
    metrics: Metrics = field(default_factory=Metrics)
    access_fails: Exception | None = None
    """What reading certificates and passwords ends in, for as long as it is set."""
    access_fails_after_runs: Exception | None = None
    """What it ends in from the end of a run on."""

    async def run(
        self, stack: str, on_decided: OnDecided | None, *, counts_absences: bool, silent: frozenset[str]
    ) -> FinishedRun:
        """A run that polls the servers and decides; an update holds what it decided."""
        what = "preview" if on_decided is None else "up"
        self.runs.append(what)
        self.counting.append(counts_absences)
        self.silent.append(silent)
        aside = self.aside
        unasked = {server.name: [Unreachable("not asked yet")] for server in self.servers}
        polls = await _polls(self._targets(unasked, aside))
        targets = self._targets(
            {name: [said] if counts_absences else Uncounted(said) for name, said in polls.items()}, aside
        )
        if on_decided is not None:
            for decided in self.decisions:
                on_decided(decided)
        result, report = self.outcomes.pop(0) if self.outcomes else (RunResult.UNCHANGED, DONE)
        if what == "up" and report.ok:
            self.held = targets.memory_after()
        self.access_fails = self.access_fails_after_runs
        return FinishedRun(result, report, targets, began=what == "up" and not self.refused)

    def _targets(self, polls: Mapping[str, ServerPolls], aside: SetAside) -> PollTargets:
        held = {name: (why,) for name, why in aside.held.items()}
        run = record(self.servers, dict(self.held), {**aside.without(polls), **held})
        run = replace(
            run,
            configuration=configuration(self.root),
            answers=replace(run.answers, polls=polls),
            decision=replace(run.decision, aside=aside),
        )
        return PollTargets(run, {PASSWORD_ENV: PASSWORD})

    def play(self, script: Callable[["Stage"], Awaitable[None]]) -> None:
        """Watch for as long as the script takes."""
        with patch.object(server_poller, "resolve_access", self._resolve_access):
            asyncio.run(self._play(script))

    def _resolve_access(self, *arguments: Any, **options: Any) -> Access:  # noqa: ANN401 - passed on
        if self.access_fails is not None:
            raise self.access_fails
        return resolve_access(*arguments, **options)

    async def _play(self, script: Callable[["Stage"], Awaitable[None]]) -> None:
        (self.root / "Pulumi.yaml").write_text("name: dittoinfra\n")
        timing = Timing.chosen(self.interval, self.debounce, self.absence)
        watched = StackWatch(
            run=self.run,
            health=Health(),
            configuration=ConfigFiles.of(self.root, "prod"),
            servers=WatchedServers(
                "prod", timing, self.events.append, StackMetrics(self.metrics, "prod"), PollSlots(8)
            ),
            always_counts=self.always_counts,
            initial=self.initial,
        )
        watching = asyncio.create_task(watched.watch())
        acting = asyncio.create_task(_finish(script(self)))
        await asyncio.wait({watching, acting}, return_when=asyncio.FIRST_COMPLETED)
        for task in (watching, acting):
            task.cancel()
            with suppress(asyncio.CancelledError):
                await task

    async def until(self, holds: Callable[[], object]) -> None:
        """Wait until a condition holds."""
        deadline = time.monotonic() + SECONDS
        while not holds():
            assert time.monotonic() < deadline, self.events
            await asyncio.sleep(0.01)

    async def polls(self, count: int, server: str = "media") -> None:
        """Wait for a number of further polls of a server."""
        enough = self.polled(server) + count
        await self.until(lambda: self.polled(server) >= enough)

    def polled(self, server: str) -> float:
        """How often a server was polled."""
        return sum(
            sample.value
            for metric in self.metrics.polls.collect()
            for sample in metric.samples
            if sample.labels["server"] == server
        )

    def absent(self) -> bool:
        """Whether the last poll missed an adapter."""
        samples = (sample for metric in self.metrics.adapters.collect() for sample in metric.samples)
        return any(sample.value for sample in samples if sample.labels["state"] == "absent")

    def said(self, *events: EventKind) -> list[str]:
        """The events of these kinds, or all."""
        return [event.text for event in self.events if not events or event.event in events]


async def _polls(targets: PollTargets) -> Mapping[str, Outcome]:
    outcomes: dict[str, Outcome] = {}
    for server in targets.servers:
        access = targets.access(server)
        assert not isinstance(access, AccessProblems)
        if isinstance(access, NotAsked):
            outcomes[server.name] = Unreachable(access.why)
            continue
        async with DittoFSClient(access) as client:
            outcomes[server.name] = await client.poll()
    return outcomes


async def _finish(acting: Awaitable[None]) -> None:
    await acting


def held(stage: Stage, server: ServerSettings, outcome: Outcome) -> None:
    """Let the stack's state hold what a run with this answer would have left."""
    stage.held = {server.name: memory_after(server, {}, [outcome])}
