"""Asking many servers side by side, in a thread beside the program.

The Pulumi program runs inside an event loop of its own, so ours lives in a thread, and it works while the
program is still importing.
"""

import asyncio
import concurrent.futures
import threading
from collections.abc import Coroutine, Mapping
from contextlib import suppress
from types import TracebackType
from typing import Any, Self

from dittoinfra.dittofs.access import ApiAccess, NotAsked
from dittoinfra.dittofs.client import DittoFSClient
from dittoinfra.dittofs.lookups import Lookups
from dittoinfra.model import Outcome, Unreachable

Outcomes = dict[str, Outcome]

CLOSING_TIME = 5.0
"""Seconds for saying goodbye; the thread is a daemon, so a stuck goodbye holds up nobody."""


class Polling:
    """Polls of one run: a first round that starts at once, and further ones with the same logins."""

    def __init__(self, servers: Mapping[str, ApiAccess | NotAsked], max_concurrent: int) -> None:
        self._servers = dict(servers)
        self._clients: dict[str, DittoFSClient] = {}
        self._turns = asyncio.Semaphore(max_concurrent)
        self._loop = asyncio.new_event_loop()
        self._loop.set_default_executor(Lookups())
        self._thread = threading.Thread(target=self._run, name="dittofs-polling", daemon=True)
        self._closed = False
        self._thread.start()
        self._first = self._submit(self._round(dict.fromkeys(self._servers, 0.0)))

    @classmethod
    def start(cls, servers: Mapping[str, ApiAccess | NotAsked], max_concurrent: int) -> Self:
        """Begin the first round and return at once."""
        return cls(servers, max_concurrent)

    def first(self) -> Outcomes:
        """Outcomes of the first round, by server name."""
        return self._await(self._first, self._servers)

    def again(self, delays: Mapping[str, float]) -> Outcomes:
        """Outcomes of another poll of these servers, each after its own delay in seconds."""
        if self._closed:
            return _all_closed(delays)
        return self._await(self._submit(self._round(delays)), delays)

    def close(self) -> None:
        """End what is under way; outcomes that nobody has waited for are lost."""
        if self._closed:
            return
        self._closed = True
        goodbye = self._submit(self._goodbye())
        concurrent.futures.wait([goodbye], CLOSING_TIME)
        self._loop.call_soon_threadsafe(self._loop.stop)
        self._thread.join(CLOSING_TIME)

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    def _run(self) -> None:
        try:
            self._loop.run_forever()
        finally:
            self._loop.close()

    def _submit(self, work: Coroutine[Any, Any, Any]) -> "concurrent.futures.Future[Any]":
        return asyncio.run_coroutine_threadsafe(work, self._loop)

    def _await(self, future: "concurrent.futures.Future[Outcomes]", names: Mapping[str, object]) -> Outcomes:
        try:
            return future.result()
        except concurrent.futures.CancelledError:
            return _all_closed(names)

    async def _round(self, delays: Mapping[str, float]) -> Outcomes:
        outcomes = await asyncio.gather(*(self._later(name, delay) for name, delay in delays.items()))
        return dict(zip(delays, outcomes, strict=True))

    async def _later(self, name: str, delay: float) -> Outcome:
        await asyncio.sleep(delay)
        # A deadline begins inside poll(): waiting for a turn costs a server nothing of it.
        async with self._turns:
            try:
                return await self._poll(name)
            except Exception as error:  # noqa: BLE001 - no bug of ours may remove, or stop, anything
                # Only its type: the text of an unforeseen error may hold anything, even a password.
                return Unreachable(f"internal error: {type(error).__name__}; please report it")

    async def _poll(self, name: str) -> Outcome:
        server = self._servers[name]
        if isinstance(server, NotAsked):
            return Unreachable(server.why)
        client = self._clients.get(name)
        if client is None:
            client = self._clients[name] = DittoFSClient(server)
        try:
            return await client.poll()
        finally:
            # Whose turn is over holds no connection either, or a thousand servers would hold a thousand.
            with suppress(TimeoutError):
                async with asyncio.timeout(CLOSING_TIME):
                    await client.close()

    async def _goodbye(self) -> None:
        others = asyncio.all_tasks() - {asyncio.current_task()}
        for task in others:
            task.cancel()
        await asyncio.gather(*others, return_exceptions=True)
        await asyncio.gather(*(client.close() for client in self._clients.values()), return_exceptions=True)


def _all_closed(names: Mapping[str, object]) -> Outcomes:
    return {name: Unreachable("polling was closed before this server answered") for name in names}
