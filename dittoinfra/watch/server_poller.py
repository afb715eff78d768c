"""Polling the servers of one stack between two runs, each with its own waits."""

import asyncio
from collections.abc import AsyncIterator, Callable, Iterator, Mapping
from contextlib import asynccontextmanager, suppress
from dataclasses import dataclass, field
from functools import partial

from dittoinfra.decide.observations import Polls
from dittoinfra.decide.server_rules import decide_server
from dittoinfra.decide.set_aside import SetAside
from dittoinfra.dittofs import AccessProblems, NotAsked, resolve_access
from dittoinfra.model import Answered, Outcome, ServerMemory, StackMemory, last_outcome
from dittoinfra.program.cluster_tunnels import ClusterTunnels
from dittoinfra.program.survey import RunRecord
from dittoinfra.settings import Problem, ServerSettings, SettingPath
from dittoinfra.visible import internal_error
from dittoinfra.watch.adapter_changes import AdapterChange, changes, memory_after
from dittoinfra.watch.confirmation import Confirmation
from dittoinfra.watch.kept_client import Access
from dittoinfra.watch.poll_timing import until_tick
from dittoinfra.watch.server_health import ServerHealth, WatchedServers
from dittoinfra.watch.watch_events import EventKind


@dataclass(frozen=True, slots=True)
class PollTargets:
    """The servers that a run polled, and all that it takes to go on polling them."""

    record: RunRecord
    environ: Mapping[str, str] = field(repr=False)
    tunnels: ClusterTunnels | None = field(default=None, repr=False)
    """Belongs to the event loop of the watch, which polls through it again and again."""

    @property
    def servers(self) -> tuple[ServerSettings, ...]:
        """The servers that the run polled and decided on: of those that it holds it has no settings."""
        polled, held = self.record.answers.polls.keys(), self.record.decision.aside.held
        return tuple(s for s in self.record.decision.known if s.name in polled and s.name not in held)

    @property
    def polls(self) -> Polls:
        """The servers' answers in the run, without the adapters that it left out."""
        return self.record.decision.aside.without(self.record.answers.polls)

    @property
    def memory(self) -> StackMemory:
        """What the stack held before the run, and still holds after a preview or a failed run."""
        return self.record.memory.adapters

    def memory_after(self) -> StackMemory:
        """What the stack holds after the run has succeeded."""
        decided, polls = self.record.decision.adapters.servers, self.polls
        # Those that the cluster does not list any more are not polled, and decided on all the same.
        missing = {s.name: decided[s.name].remembered(s.namespace) for s in self.record.decision.known}
        return missing | {
            s.name: memory_after(s, self.memory.get(s.name, {}), polls[s.name]) for s in self.servers
        }

    def left_out(self, server: str, memory: StackMemory) -> SetAside:
        """What the run left out of a server's answers, and the stack does not hold since.

        Where another engine runs the stack, it may have made that all the same.
        """
        types = self.record.decision.aside.adapters.get(server, frozenset())
        return SetAside(adapters={server: types.difference(memory.get(server, {}))})

    def undone(self, memory: StackMemory) -> tuple[str, ...]:
        """The changes decided for servers whose memory is still what it was before the run."""
        decided = self.record.decision.adapters.servers
        return tuple(
            change.text
            for server in self.servers
            if (before := self.memory.get(server.name, {})) == memory.get(server.name, {})
            for change in changes(server, before, decided[server.name])
        )

    def client_key(self, server: ServerSettings) -> object:
        """What the client of a server depends on, beside the files that are read again."""
        return server, self.record.settings.passwords, self.environ

    def access(self, server: ServerSettings) -> Access:
        """How to poll a server, read again each time: certificates are replaced while a watch runs."""
        if self.tunnels is not None:
            self.tunnels.retry_credentials()
        try:
            return resolve_access(
                server,
                self.record.settings.passwords,
                self.environ,
                self.record.configuration.root,
                cluster=self.tunnels,
                in_cluster=server.name in self.record.decision.found,
                words=self.record.configuration.words,
            )
        except Exception as error:  # noqa: BLE001 - the server counts as unreachable, and the watch goes on
            return AccessProblems((Problem(SettingPath(("api",)), internal_error(error)),))


@dataclass(slots=True)
class _PolledServer:
    settings: ServerSettings
    memory: ServerMemory
    health: ServerHealth
    access: Callable[[], Access] = field(repr=False)
    client_key: object = field(repr=False)
    """What its client is made for; another one is made where this has changed."""
    run_changes: tuple[AdapterChange, ...]
    """What the last run would have changed, by its own polls."""
    confirmation: Confirmation
    left_out: SetAside
    """Adapters that are no reason for a run: the one that left them out is repeated by the clock."""
    last: Outcome | None = None
    found: tuple[AdapterChange, ...] = ()
    """What a run would change, by the last poll, be it confirmed or not."""
    changes: tuple[AdapterChange, ...] | None = None
    """What a run would change now; None before the first poll."""


@asynccontextmanager
async def polling(
    targets: PollTargets | None, memory: StackMemory, servers: WatchedServers
) -> AsyncIterator["ServerPoller"]:
    """Poll servers for the length of a `with` block; without `targets` there are none."""
    polled = tuple(_polled_servers(targets, memory, servers)) if targets is not None else ()
    poller = ServerPoller(polled, servers)
    servers.timing.pace.watches(servers.stack, len(polled))
    tasks = [asyncio.create_task(poller.poll_forever(server)) for server in polled]
    try:
        yield poller
    finally:
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)


def _polled_servers(
    targets: PollTargets, memory: StackMemory, servers: WatchedServers
) -> Iterator[_PolledServer]:
    heard = targets.polls
    for server in targets.servers:
        access = partial(targets.access, server)
        if isinstance(access(), NotAsked):
            continue
        health = servers.health(server.name)
        polls, before = heard[server.name], targets.memory.get(server.name, {})
        decision = decide_server(server, before, polls)
        health.record(last_outcome(polls), decision)
        told = changes(server, before, decision)
        yield _PolledServer(
            server,
            memory.get(server.name, {}),
            health,
            access,
            targets.client_key(server),
            run_changes=told,
            confirmation=Confirmation.of(told),
            left_out=targets.left_out(server.name, memory),
        )


class ServerPoller:
    """Polls the servers of a stack from one run to the next."""

    def __init__(self, polled: tuple[_PolledServer, ...], servers: WatchedServers) -> None:
        self._polled = polled
        self._servers = servers
        self._news = asyncio.Event()

    async def news(self, limit: float) -> None:
        """Wait until a server has changed, or answers again, or so many seconds are over."""
        with suppress(TimeoutError):
            async with asyncio.timeout(limit):
                await self._news.wait()
            self._news.clear()

    def notify(self) -> None:
        """Something else than a server has changed."""
        self._news.set()

    @property
    def changes(self) -> Mapping[str, tuple[AdapterChange, ...]]:
        """What a run would change, by server."""
        return {server.settings.name: server.changes for server in self._polled if server.changes}

    @property
    def misses(self) -> bool:
        """Whether a run that counts would count an absence."""
        return any(change.kind.counts for server in self._polled for change in server.found)

    @property
    def differs(self) -> bool:
        """Whether a server answers something else than it answered to the last run.

        Absences are left out: a run that is tried again does not count them any sooner.
        """
        return any(
            _uncounted(server.changes) != _uncounted(server.run_changes)
            for server in self._polled
            if server.changes is not None
        )

    @property
    def blocking(self) -> tuple[str, ...]:
        """Servers whose silence would stop a run, because they are configured so."""
        return tuple(
            server.settings.name
            for server in self._polled
            if server.health.silent and server.settings.on_unreachable == "fail"
        )

    async def poll_forever(self, server: _PolledServer) -> None:
        """Poll a server; an error is reported, and it is polled again."""
        name, reported, timing = server.settings.name, "", self._servers.timing
        wait = server.health.wait if server.health.silent else timing.first_wait()
        while True:
            await asyncio.sleep(until_tick(wait, self._servers.clock()))
            try:
                await self._poll(server)
                wait = min(server.health.wait, server.confirmation.due(self._servers.clock(), timing))
            except Exception as error:  # noqa: BLE001 - that a server is no longer polled would go unnoticed
                text = f"{name}: {internal_error(error)}; it is asked again"
                if text != reported:
                    reported = text
                    self._servers.emit(EventKind.FAILED, text, name)
                wait = timing.wait(1)

    async def _poll(self, server: _PolledServer) -> None:
        was_silent, before = server.health.silent, server.changes
        slots, pace = self._servers.poll_slots, self._servers.timing.pace
        async with slots.one():
            outcome = await server.health.client.poll(
                server.client_key, server.access, anew=was_silent, keep=pace.servers <= slots.connections
            )
        pace.polled(logged_in=server.health.client.logged_in)
        # The very same object: the client has recognised the bytes of the answer before it.
        if outcome is server.last and not was_silent and isinstance(outcome, Answered):
            server.health.answered_again()
        else:
            name = server.settings.name
            polls = server.left_out.without({name: [outcome]})[name]
            decision = decide_server(server.settings, server.memory, polls)
            server.health.record(outcome, decision)
            server.found = changes(server.settings, server.memory, decision)
            server.last = outcome
        self._take(server)
        if server.changes or server.changes != before or (was_silent and not server.health.silent):
            self._news.set()

    def _take(self, server: _PolledServer) -> None:
        """Keep the confirmed changes; absences only while a run may count them."""
        confirmed = server.confirmation.heard(server.found, self._servers.clock(), self._servers.timing)
        counts = self._servers.counts
        server.changes = tuple(change for change in confirmed if counts or not change.kind.counts)


def _uncounted(found: tuple[AdapterChange, ...]) -> tuple[AdapterChange, ...]:
    return tuple(change for change in found if not change.kind.counts)
