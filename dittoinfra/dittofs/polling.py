"""Asking many servers side by side, in a thread beside the program.

The Pulumi program runs inside an event loop of its own, so ours lives in a thread, and it works while the
program is still importing.
"""

import asyncio
import threading
from collections.abc import Callable, Coroutine, Mapping
from concurrent.futures import CancelledError, Future, ThreadPoolExecutor, wait
from contextlib import suppress
from typing import Any, ParamSpec, Self, TypeVar

from typing_extensions import override

from dittoinfra.dittofs.api_access import ApiAccess, NotAsked
from dittoinfra.dittofs.client import Backoff, DittoFSClient, unexpected
from dittoinfra.model import Outcome, Unreachable

Outcomes = dict[str, Outcome]

_P = ParamSpec("_P")
_T = TypeVar("_T")

CLOSING_TIME = 5.0
"""Seconds for closing connections; the thread is a daemon, so a stuck close blocks nothing."""


class Polling:
    """Polls of one run: a first round that starts at once, and further ones with the same logins."""

    def __init__(
        self, servers: Mapping[str, ApiAccess | NotAsked], max_concurrent: int, backoff: Backoff | None = None
    ) -> None:
        self._servers = dict(servers)
        self._backoff = backoff
        self._clients: dict[str, DittoFSClient] = {}
        self._turns = asyncio.Semaphore(max_concurrent)
        self._loop = asyncio.new_event_loop()
        self._loop.set_default_executor(DaemonExecutor())
        self._thread = threading.Thread(target=self._run, name="dittofs-polling", daemon=True)
        self._closed = False
        self._thread.start()
        self._first = self._submit(self._round(dict.fromkeys(self._servers, 0.0)))

    def first(self) -> Outcomes:
        """Outcomes of the first round, by server name."""
        return self._await(self._first, self._servers)

    def again(self, delays: Mapping[str, float]) -> Outcomes:
        """Outcomes of another poll of these servers, each after its own delay in seconds."""
        if self._closed:
            return _all_closed(delays)
        return self._await(self._submit(self._round(delays)), delays)

    def close(self) -> None:
        """Cancel running polls; outcomes that were not waited for are lost."""
        if self._closed:
            return
        self._closed = True
        ended = self._submit(self._shut_down())
        wait([ended], CLOSING_TIME)
        self._loop.call_soon_threadsafe(self._loop.stop)
        self._thread.join(CLOSING_TIME)

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def _run(self) -> None:
        try:
            self._loop.run_forever()
        finally:
            self._loop.close()

    def _submit(self, work: Coroutine[Any, Any, Any]) -> "Future[Any]":
        return asyncio.run_coroutine_threadsafe(work, self._loop)

    def _await(self, future: "Future[Outcomes]", names: Mapping[str, object]) -> Outcomes:
        try:
            return future.result()
        except CancelledError:
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
            except Exception as error:  # noqa: BLE001 - no bug of this client may remove, or stop, anything
                return unexpected(error)

    async def _poll(self, name: str) -> Outcome:
        server = self._servers[name]
        if isinstance(server, NotAsked):
            return Unreachable(server.cause, server.next_step)
        client = self._clients.get(name)
        if client is None:
            client = self._clients[name] = DittoFSClient(server, self._backoff)
        try:
            return await client.poll()
        finally:
            # A server that was polled keeps no connection open, or a thousand servers would hold a thousand.
            with suppress(TimeoutError):
                async with asyncio.timeout(CLOSING_TIME):
                    await client.close()

    async def _shut_down(self) -> None:
        others = asyncio.all_tasks() - {asyncio.current_task()}
        for task in others:
            task.cancel()
        await asyncio.gather(*others, return_exceptions=True)
        await asyncio.gather(*(client.close() for client in self._clients.values()), return_exceptions=True)


def _all_closed(names: Mapping[str, object]) -> Outcomes:
    return {name: Unreachable("polling was closed before this server answered") for name in names}


class DaemonExecutor(ThreadPoolExecutor):
    """Resolves host names, each in a daemon thread of its own, because a lookup cannot be cancelled.

    One that hangs keeps neither the next one waiting nor the process alive. An event loop accepts nothing but
    a `ThreadPoolExecutor`; none of the pool's own threads is ever started.
    """

    @override
    def submit(self, fn: Callable[_P, _T], /, *args: _P.args, **kwargs: _P.kwargs) -> "Future[_T]":
        found: Future[_T] = Future()

        def run() -> None:
            if not found.set_running_or_notify_cancel():
                return
            try:
                result = fn(*args, **kwargs)
            except BaseException as error:  # noqa: BLE001 - the waiting caller handles it
                found.set_exception(error)
            else:
                found.set_result(result)

        threading.Thread(target=run, name="lookup", daemon=True).start()
        return found
