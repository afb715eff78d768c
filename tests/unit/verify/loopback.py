"""Small loopback servers with one behaviour each, and a probe of them."""

import asyncio
import socket
from collections.abc import Awaitable, Callable, Iterator
from contextlib import contextmanager, suppress
from functools import partial
from threading import Thread

import anyio

from dittoinfra.verify.probe_outcomes import ExpectedProtocol, ProbedPort, ProbeOutcome
from dittoinfra.verify.probes import probe_datagram, probe_stream

TIMEOUT = 0.5

Talk = Callable[[asyncio.StreamReader, asyncio.StreamWriter], Awaitable[None]]
"""What a server does with a connection."""


async def _probe(port: ProbedPort, number: int, timeout: float) -> ProbeOutcome:
    deadline = asyncio.get_running_loop().time() + timeout
    if port.protocol == "UDP":
        return await probe_datagram("127.0.0.1", number, port, deadline)
    return await probe_stream(partial(anyio.connect_tcp, "127.0.0.1", number), port, deadline, {12049})


def probe(
    number: int, speaks: ExpectedProtocol, *, udp: bool = False, timeout: float = TIMEOUT
) -> ProbeOutcome:
    """What comes of asking a port on loopback."""
    return asyncio.run(_probe(ProbedPort("test", number, "UDP" if udp else "TCP", speaks), number, timeout))


def probe_talk(talk: Talk, speaks: ExpectedProtocol) -> ProbeOutcome:
    """What comes of asking a server that talks like this."""

    async def ask() -> ProbeOutcome:
        ended = asyncio.Event()

        async def serve(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
            with suppress(asyncio.IncompleteReadError):
                await talk(reader, writer)
            writer.close()
            ended.set()

        async with await asyncio.start_server(serve, "127.0.0.1", 0) as server:
            number = server.sockets[0].getsockname()[1]
            outcome = await _probe(ProbedPort("test", number, "TCP", speaks), number, TIMEOUT)
            await ended.wait()
            return outcome

    return asyncio.run(ask())


def answering(*answers: bytes) -> Talk:
    """Gives one answer to each message, and then waits."""

    async def talk(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        for answer in answers:
            await reader.read(4096)
            writer.write(answer)
            await writer.drain()
        await reader.read()

    return talk


def greeting(words: bytes) -> Talk:
    """ExpectedProtocol first."""

    async def talk(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        writer.write(words)
        await reader.read()

    return talk


async def closing(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
    """Reads, and closes the connection."""
    await reader.read(4096)


async def breaking_off(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
    """Begins an answer, and closes the connection."""
    await reader.read(4096)
    writer.write(b"\x80\x00")


async def http(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
    """Waits for the end of a request, and answers it."""
    await reader.readuntil(b"\r\n\r\n")
    writer.write(b"HTTP/1.1 400 Bad Request\r\n\r\n")


async def saying_nothing(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
    """Reads, and waits."""
    await reader.read()


@contextmanager
def udp_server(answer: Callable[[bytes, int], bytes | None]) -> Iterator[int]:
    """Answers datagrams; `answer` gets each with its number, and None loses it."""
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as server:
        server.bind(("127.0.0.1", 0))

        def serve() -> None:
            number = 0
            while True:
                message, peer = server.recvfrom(4096)
                if not message:
                    return
                reply = answer(message, number)
                number += 1
                if reply is not None:
                    server.sendto(reply, peer)

        thread = Thread(target=serve)
        thread.start()
        try:
            yield server.getsockname()[1]
        finally:
            # An empty datagram asks it to end.
            with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as own:
                own.sendto(b"", server.getsockname())
            thread.join()
