"""TCP connections without the overhead of anyio's own streams.

Time limits are set around a whole request. anyio's own streams yield to the event loop and set up a scope
for every read and write, which takes longer than the system call inside.
"""

import asyncio
import select
import socket
from collections.abc import Sequence

import anyio
from anyio.abc import ByteStream
from typing_extensions import override

MOST_UNREAD = 256 * 1024
"""Bytes that are buffered before the server has to wait."""

NEXT_ATTEMPT = 0.25
"""Seconds after which the next address of a name is tried beside the one before (RFC 8305)."""


class SocketStream(asyncio.Protocol, ByteStream):
    """A TCP connection. One task uses it at a time, and what it sends fits into memory."""

    def __init__(self) -> None:
        self._transport: asyncio.Transport | None = None
        self._unread = bytearray()
        self._reader: asyncio.Future[None] | None = None
        self._paused = False
        self._closed = False
        self._ended = False
        self._error: Exception | None = None

    @override
    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        assert isinstance(transport, asyncio.Transport)  # noqa: S101 - it is a TCP connection's
        self._transport = transport

    @override
    def data_received(self, data: bytes) -> None:
        self._unread += data
        if len(self._unread) > MOST_UNREAD and not self._paused and self._transport is not None:
            self._transport.pause_reading()
            self._paused = True
        self._wake()

    @override
    def eof_received(self) -> bool:
        self._ended = True
        self._wake()
        return True  # what is still to be sent is sent

    @override
    def connection_lost(self, exc: Exception | None) -> None:
        self._ended = True
        self._error = exc
        self._wake()

    @override
    async def receive(self, max_bytes: int = 65536) -> bytes:
        while not self._unread:
            if self._closed:
                raise anyio.ClosedResourceError
            if self._error is not None:
                raise anyio.BrokenResourceError from self._error
            if self._ended:
                raise anyio.EndOfStream
            self._reader = asyncio.get_running_loop().create_future()
            try:
                await self._reader
            finally:
                self._reader = None
        data = bytes(self._unread[:max_bytes])
        del self._unread[:max_bytes]
        if self._paused and self._transport is not None and not self._transport.is_closing():
            self._transport.resume_reading()
            self._paused = False
        return data

    @override
    async def send(self, item: bytes) -> None:
        if self._closed or self._transport is None:
            raise anyio.ClosedResourceError
        if self._error is not None or self._transport.is_closing():
            raise anyio.BrokenResourceError from self._error
        self._transport.write(item)

    @override
    async def send_eof(self) -> None:
        if self._transport is not None and not self._transport.is_closing():
            self._transport.write_eof()

    @override
    async def aclose(self) -> None:
        self.abort()

    def abort(self) -> None:
        """Close it now; what is not sent yet is dropped."""
        self._closed = True
        if self._transport is not None:
            self._transport.abort()
        self._wake()

    @property
    def has_news(self) -> bool:
        """Whether an idle connection has something to say: the other side has closed it, or is confused."""
        if self._closed or self._ended or self._unread or self._transport is None:
            return True
        raw: socket.socket = self._transport.get_extra_info("socket")
        if raw.fileno() < 0:
            return True
        # The event loop may not have had the time to tell.
        poll = select.poll()
        poll.register(raw, select.POLLIN)
        return bool(poll.poll(0))

    def _wake(self) -> None:
        if self._reader is not None and not self._reader.done():
            self._reader.set_result(None)


async def connect_tcp(host: str, port: int) -> SocketStream:
    """A connection to the first address of a host that takes one; `OSError` where none does."""
    if _is_address(host):
        return await _connect(host, port)
    found = await asyncio.get_running_loop().getaddrinfo(host, port, type=socket.SOCK_STREAM)
    addresses = in_order([(family, str(address[0])) for family, _, _, _, address in found])
    return await (_connect(addresses[0], port) if len(addresses) == 1 else _first(addresses, port))


def in_order(found: Sequence[tuple[int, str]]) -> list[str]:
    """Addresses in the order in which they are tried: both families in turn, IPv6 first. Pure."""
    addresses = dict.fromkeys(found)
    six = [address for family, address in addresses if family == socket.AF_INET6]
    others = [address for family, address in addresses if family != socket.AF_INET6]
    both = [address for pair in zip(six, others, strict=False) for address in pair]
    return [*both, *six[len(others) :], *others[len(six) :]]


def _is_address(host: str) -> bool:
    try:
        socket.inet_pton(socket.AF_INET6 if ":" in host else socket.AF_INET, host)
    except OSError:
        return False
    return True


async def _connect(address: str, port: int) -> SocketStream:
    _, stream = await asyncio.get_running_loop().create_connection(SocketStream, address, port)
    return stream


async def _first(addresses: Sequence[str], port: int) -> SocketStream:
    """The first connection of several attempts, each begun when the one before has failed or takes long.

    asyncio's own `happy_eyeballs_delay` keeps of the failures a text only, before Python 3.12: that every
    address has refused the connection, which is not tried again for long, could not be told.
    """
    waiting = list(addresses)
    attempts: set[asyncio.Task[SocketStream]] = set()
    running: set[asyncio.Task[SocketStream]] = set()
    failures: list[OSError] = []
    try:
        while waiting or running:
            if waiting:
                attempt = asyncio.create_task(_connect(waiting.pop(0), port))
                attempts.add(attempt)
                running.add(attempt)
            limit = NEXT_ATTEMPT if waiting else None
            done, running = await asyncio.wait(running, timeout=limit, return_when=asyncio.FIRST_COMPLETED)
            for attempt in done:
                try:
                    stream = attempt.result()
                except OSError as error:
                    failures.append(error)
                else:
                    attempts.remove(attempt)
                    return stream
    finally:
        for attempt in attempts:
            attempt.cancel()
            attempt.add_done_callback(_discard)
    raise OSError("no address takes a connection") from ExceptionGroup("one for each address", failures)


def _discard(attempt: "asyncio.Task[SocketStream]") -> None:
    """Close the connection of an attempt that came second."""
    if not attempt.cancelled() and attempt.exception() is None:
        attempt.result().abort()
