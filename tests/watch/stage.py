"""A stack's watch without an engine: real polls of simulated servers, and runs that only decide."""

import asyncio
import time
from collections.abc import Awaitable, Callable, Mapping
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path

from dittoinfra.automation import Changes, Diagnostic, RunReport
from dittoinfra.dittofs import AccessProblems, DittoFSClient, NotAsked, resolve_access
from dittoinfra.model import Outcome, StackMemory, Unreachable
from dittoinfra.settings import ServerSettings
from dittoinfra.simulator import SimulatedDittoFS
from dittoinfra.watch.configuration import Configuration
from dittoinfra.watch.decide import held_after
from dittoinfra.watch.events import Happening, WatchEvent
from dittoinfra.watch.following import Means
from dittoinfra.watch.health import Health
from dittoinfra.watch.listening import Access, Heard
from dittoinfra.watch.metrics import Metrics
from dittoinfra.watch.pace import Pace
from dittoinfra.watch.runner import Ran, Result
from dittoinfra.watch.stack import StackWatch
from dittoinfra.watch.voice import Voices
from tests.bed.credentials import credential

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
    """One watched stack, and everything that was said and done."""

    root: Path
    servers: list[ServerSettings]
    interval: float = INTERVAL
    debounce: float = 0.0
    initial: bool = True
    events: list[WatchEvent] = field(default_factory=list)
    runs: list[str] = field(default_factory=list)
    """Every run, in order: `up` or `preview`."""
    held: StackMemory = field(default_factory=dict)
    """What the stack's state holds."""
    outcomes: list[tuple[Result, RunReport]] = field(default_factory=list)
    """How the next runs end; the ones after those end well."""
    metrics: Metrics = field(default_factory=Metrics)

    async def up(self, stack: str) -> Ran:
        """A run that asks the servers, decides, and holds what it decided."""
        return await self._run("up")

    async def preview(self, stack: str) -> Ran:
        """A run that leaves everything as it was."""
        return await self._run("preview")

    async def _run(self, what: str) -> Ran:
        self.runs.append(what)
        heard = Heard(tuple(self.servers), self._access, dict(self.held), await self._polls())
        result, report = self.outcomes.pop(0) if self.outcomes else (Result.UNCHANGED, DONE)
        if what == "up" and report.ok:
            self.held = heard.held_after()
        return Ran(result, report, heard)

    async def _polls(self) -> Mapping[str, tuple[Outcome, ...]]:
        polls: dict[str, tuple[Outcome, ...]] = {}
        for server in self.servers:
            access = self._access(server)
            assert not isinstance(access, AccessProblems)
            if isinstance(access, NotAsked):
                polls[server.name] = (Unreachable(access.why),)
                continue
            async with DittoFSClient(access) as client:
                polls[server.name] = (await client.poll(),)
        return polls

    def _access(self, server: ServerSettings) -> Access:
        return resolve_access(server, {}, {PASSWORD_ENV: PASSWORD}, self.root)

    def play(self, script: Callable[["Stage"], Awaitable[None]]) -> None:
        """Watch for as long as the script takes."""
        asyncio.run(self._play(script))

    async def _play(self, script: Callable[["Stage"], Awaitable[None]]) -> None:
        (self.root / "Pulumi.yaml").write_text("name: dittoinfra\n")
        pace = Pace(self.interval, self.debounce)
        watched = StackWatch(
            runner=self,
            means=Means(pace, asyncio.Semaphore(8)),
            health=Health(),
            configuration=Configuration.of(self.root, "prod"),
            voices=Voices("prod", pace, self.events.append, self.metrics.of("prod")),
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
        """Wait for a fact."""
        deadline = time.monotonic() + SECONDS
        while not holds():
            assert time.monotonic() < deadline, self.events
            await asyncio.sleep(0.01)

    async def polls(self, count: int, server: str = "media") -> None:
        """Wait for so many further polls of a server, whatever their outcome."""
        enough = self.polled(server) + count
        await self.until(lambda: self.polled(server) >= enough)

    def polled(self, server: str) -> float:
        """How often a server has been asked."""
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

    def said(self, *events: Happening) -> list[str]:
        """What was said of these kinds, or at all."""
        return [event.text for event in self.events if not events or event.event in events]


async def _finish(acting: Awaitable[None]) -> None:
    await acting


def held(stage: Stage, server: ServerSettings, outcome: Outcome) -> None:
    """Let the stack's state hold what a run with this answer would have left."""
    stage.held = {server.name: held_after(server, {}, [outcome])}
