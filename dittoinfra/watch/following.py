"""Following the servers of one stack between two runs: each is asked at its own pace."""

import asyncio
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from types import TracebackType
from typing import Self

from dittoinfra.decide import decide_server
from dittoinfra.dittofs import ApiAccess, DittoFSClient
from dittoinfra.model import Outcome, ServerMemory, StackMemory, Unreachable
from dittoinfra.settings import ServerSettings
from dittoinfra.watch.decide import Change, changes
from dittoinfra.watch.listening import Heard
from dittoinfra.watch.pace import Pace
from dittoinfra.watch.voice import Voice, Voices


@dataclass(frozen=True, slots=True)
class Means:
    """What following servers takes, the same for all stacks."""

    pace: Pace
    polls: asyncio.Semaphore
    """Polls at a time."""


@dataclass(slots=True)
class Followed:
    """One server that is being followed."""

    settings: ServerSettings
    held: ServerMemory
    voice: Voice
    access: ApiAccess = field(repr=False)
    changes: tuple[Change, ...] = ()
    """What a run would change, by the last poll."""
    client: DittoFSClient | None = None


class Following:
    """The servers of a stack from one run to the next, asked for as long as a `with` block lasts."""

    def __init__(self, means: Means, heard: Heard, held: StackMemory, voices: Voices) -> None:
        self._means = means
        self._heard = heard
        self._voices = voices
        self._news = asyncio.Event()
        self._tasks: list[asyncio.Task[None]] = []
        self._followed = tuple(self._followed_servers(held))

    def _followed_servers(self, held: StackMemory) -> Sequence[Followed]:
        followed = []
        for server in self._heard.servers:
            access = self._heard.access(server)
            if not isinstance(access, ApiAccess):
                continue
            voice = self._voices.of(server.name)
            if polls := self._heard.polls.get(server.name):
                before = self._heard.memory.get(server.name, {})
                voice.hear(polls[-1], decide_server(server, before, polls))
            followed.append(Followed(server, held.get(server.name, {}), voice, access))
        return followed

    async def __aenter__(self) -> Self:
        self._tasks = [asyncio.create_task(self._follow(server)) for server in self._followed]
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        for task in self._tasks:
            task.cancel()
        await asyncio.gather(*self._tasks, return_exceptions=True)
        clients = [server.client for server in self._followed if server.client is not None]
        await asyncio.gather(*(client.close() for client in clients), return_exceptions=True)

    async def news(self, limit: float) -> bool:
        """Wait until a server has changed, or answers again, or so many seconds are over."""
        try:
            async with asyncio.timeout(limit):
                await self._news.wait()
        except TimeoutError:
            return False
        self._news.clear()
        return True

    @property
    def changes(self) -> Mapping[str, tuple[Change, ...]]:
        """What a run would change, by server."""
        return {server.settings.name: server.changes for server in self._followed if server.changes}

    @property
    def blocking(self) -> tuple[str, ...]:
        """Servers whose silence would stop a run, because they are configured so."""
        return tuple(
            server.settings.name
            for server in self._followed
            if server.voice.silent and server.settings.on_unreachable == "fail"
        )

    async def _follow(self, server: Followed) -> None:
        debounce = self._means.pace.debounce
        while True:
            await asyncio.sleep(server.voice.wait)
            was_silent = server.voice.silent
            seen = await self._poll(server)
            if any(not change.goes_on for change in seen):
                await asyncio.sleep(debounce)
                seen = await self._poll(server)
            server.changes = seen
            if seen or (was_silent and not server.voice.silent):
                self._news.set()

    async def _poll(self, server: Followed) -> tuple[Change, ...]:
        async with self._means.polls:
            outcome = await self._ask(server)
        decision = decide_server(server.settings, server.held, [outcome])
        server.voice.hear(outcome, decision)
        return changes(server.settings, server.held, decision)

    async def _ask(self, server: Followed) -> Outcome:
        if server.voice.silent:
            # Perhaps it is not the server but an outdated certificate of ours.
            await self._renew(server)
        if server.client is None:
            server.client = DittoFSClient(server.access)
        try:
            return await server.client.poll()
        except Exception as error:  # noqa: BLE001 - no bug of ours may remove, or stop, anything
            # Only its type: the text of an unforeseen error may hold anything, even a password.
            return Unreachable(f"internal error: {type(error).__name__}; please report it")

    async def _renew(self, server: Followed) -> None:
        if server.client is not None:
            await server.client.close()
            server.client = None
        access = self._heard.access(server.settings)
        if isinstance(access, ApiAccess):
            server.access = access
