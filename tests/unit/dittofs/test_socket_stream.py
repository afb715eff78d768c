"""Connections to names with several addresses, and streams that are longer than what is kept of them."""

import asyncio
import socket

import anyio
import pytest

from dittoinfra.dittofs import socket_stream
from dittoinfra.dittofs.socket_stream import MOST_UNREAD, SocketStream, connect_tcp, in_order
from tests.unit.dittofs.bench import raw_server

SIX, FOUR = socket.AF_INET6, socket.AF_INET


def port_of(url: str) -> int:
    return int(url.rpartition(":")[2])


def resolving(monkeypatch: pytest.MonkeyPatch, *addresses: str) -> None:
    """Let every name have these addresses."""
    found = [(SIX if ":" in each else FOUR, socket.SOCK_STREAM, 6, "", (each, 0)) for each in addresses]

    async def getaddrinfo(*_: object, **__: object) -> object:
        return found

    monkeypatch.setattr(asyncio.BaseEventLoop, "getaddrinfo", getaddrinfo)


def closed_port() -> int:
    with socket.create_server(("127.0.0.1", 0)) as listener:
        return int(listener.getsockname()[1])


@pytest.mark.parametrize(
    ("found", "ordered"),
    [
        ([(FOUR, "4a"), (FOUR, "4b"), (SIX, "6a")], ["6a", "4a", "4b"]),
        ([(SIX, "6a"), (SIX, "6b"), (FOUR, "4a")], ["6a", "4a", "6b"]),
        ([(FOUR, "4a"), (FOUR, "4a")], ["4a"]),
    ],
)
def test_both_families_are_tried_in_turn(found: list[tuple[int, str]], ordered: list[str]) -> None:
    assert in_order(found) == ordered


def test_the_next_address_is_tried_when_one_fails(monkeypatch: pytest.MonkeyPatch) -> None:
    resolving(monkeypatch, "127.0.0.2", "127.0.0.1")

    async def read(port: int) -> bytes:
        stream = await connect_tcp("name.invalid", port)
        try:
            return await stream.receive()
        finally:
            await stream.aclose()

    with raw_server(lambda connection: connection.sendall(b"hello")) as url:
        assert asyncio.run(read(port_of(url))) == b"hello"


def test_every_failure_is_told_where_no_address_takes_a_connection(monkeypatch: pytest.MonkeyPatch) -> None:
    resolving(monkeypatch, "127.0.0.1", "127.0.0.2")

    with pytest.raises(OSError, match="no address") as told:
        asyncio.run(connect_tcp("name.invalid", closed_port()))

    assert isinstance(told.value.__cause__, ExceptionGroup)
    assert [type(each) for each in told.value.__cause__.exceptions] == [ConnectionRefusedError] * 2


def test_a_connection_that_comes_second_is_closed(monkeypatch: pytest.MonkeyPatch) -> None:
    resolving(monkeypatch, "127.0.0.1", "127.0.0.2")
    monkeypatch.setattr(socket_stream, "NEXT_ATTEMPT", 0.0)
    made: dict[str, SocketStream] = {}
    second = asyncio.Event()

    class Late(SocketStream):
        aborted = False

        def abort(self) -> None:
            self.aborted = True

    async def connect(
        loop: asyncio.BaseEventLoop, protocol: object, address: str, port: int
    ) -> tuple[None, SocketStream]:
        if address == "127.0.0.1":
            # It cannot be called off any more: the other one has won meanwhile.
            try:
                await asyncio.Event().wait()
            except asyncio.CancelledError:
                second.set()
        made[address] = Late()
        return None, made[address]

    monkeypatch.setattr(asyncio.BaseEventLoop, "create_connection", connect)

    async def race() -> SocketStream:
        stream = await connect_tcp("name.invalid", 1)
        await second.wait()
        await asyncio.sleep(0)
        await asyncio.sleep(0)
        return stream

    won = asyncio.run(race())

    assert won is made["127.0.0.2"]
    assert [getattr(made[each], "aborted") for each in sorted(made)] == [True, False]  # noqa: B009 - of a subclass


def test_a_sender_waits_until_the_stream_is_read(monkeypatch: pytest.MonkeyPatch) -> None:
    sent = b"x" * (MOST_UNREAD * 64)
    taken: list[int] = []
    take = SocketStream.data_received

    def counted(stream: SocketStream, data: bytes) -> None:
        taken.append(len(data))
        take(stream, data)

    monkeypatch.setattr(SocketStream, "data_received", counted)

    async def read(port: int) -> tuple[int, int]:
        stream = await connect_tcp("127.0.0.1", port)
        while sum(taken) <= MOST_UNREAD:
            await asyncio.sleep(0)
        # The loop looks at the connection each time, and would read on.
        for _ in range(100):
            await asyncio.sleep(0)
        kept, received = sum(taken), 0
        while True:
            try:
                received += len(await stream.receive())
            except anyio.EndOfStream:
                await stream.aclose()
                return received, kept

    with raw_server(lambda connection: connection.sendall(sent)) as url:
        received, kept = asyncio.run(read(port_of(url)))

    assert received == len(sent)
    assert kept < 3 * MOST_UNREAD


def test_a_connection_that_is_closed_here_says_so() -> None:
    async def used_after_its_end(port: int) -> list[bool]:
        stream = await connect_tcp("127.0.0.1", port)
        news = [stream.has_news]
        await stream.aclose()
        for step in (stream.send(b"x"), stream.receive()):
            with pytest.raises(anyio.ClosedResourceError):
                await step
        return [*news, stream.has_news]

    def wait(connection: socket.socket) -> None:
        connection.recv(1)

    with raw_server(wait) as url:
        assert asyncio.run(used_after_its_end(port_of(url))) == [False, True]
