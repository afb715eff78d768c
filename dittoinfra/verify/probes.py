"""Asks one port in its protocol, through whatever carries the bytes."""

import asyncio
import os
import socket
from collections.abc import Awaitable, Callable, Collection, Sequence
from contextlib import suppress
from functools import partial

import anyio
from anyio.abc import ByteStream
from anyio.streams.buffered import BufferedByteReceiveStream

from dittoinfra.kubernetes import ClusterError
from dittoinfra.kubernetes.cluster_errors import ForbiddenError
from dittoinfra.kubernetes.portforward import PortUnansweredError
from dittoinfra.verify import onc_rpc
from dittoinfra.verify.probe_outcomes import (
    ApiError,
    Closed,
    Dropped,
    ExpectedProtocol,
    NotProbed,
    Open,
    ProbedPort,
    ProbeOutcome,
    Refused,
    Silent,
    Spoken,
    Unsuitable,
    WrongProtocol,
)
from dittoinfra.visible import one_line

Connect = Callable[[], Awaitable[ByteStream]]
"""Opens a connection, or raises `OSError` or `ClusterError`."""

_GREETING_SECONDS = 1.0
"""How long a port that is asked nothing has to be refused by its node: it takes milliseconds."""
_RESEND_SECONDS = 1.0
"""Datagrams get lost."""
_LONGEST_DATAGRAM = 65535
_LONGEST_QUOTE = 60
_ANY_PORT = 9
_CLOSED = (anyio.EndOfStream, anyio.IncompleteRead, anyio.BrokenResourceError, anyio.ClosedResourceError)

HOW_TO_ALLOW = "allow it with the Role in deploy/kubernetes/roles/verify.yaml"


class _OtherOutcome(Exception):  # noqa: N818 - ends a conversation, and is no error
    def __init__(self, outcome: ProbeOutcome) -> None:
        self.outcome = outcome


async def probe_stream(
    connect: Connect, port: ProbedPort, deadline: float, offered: Collection[int | None]
) -> ProbeOutcome:
    """Connect to a TCP port and speak its protocol; `offered` are the ports that a portmapper may name.

    `deadline` is a time of the event loop.
    """
    try:
        async with asyncio.timeout_at(deadline):
            stream = await connect()
    except TimeoutError:
        return Dropped()
    except ForbiddenError as error:
        return ApiError(error.cause, HOW_TO_ALLOW, forbidden=True)
    except ClusterError as error:
        return ApiError(error.cause, error.next_step, forbidden=False)
    except OSError as error:
        return Refused(_words(error))
    try:
        async with asyncio.timeout_at(deadline):
            return await _converse(stream, port.speaks, offered)
    except TimeoutError:
        # One that is asked nothing need not answer.
        return Open() if port.speaks is ExpectedProtocol.ANYTHING else Silent()
    except PortUnansweredError as error:
        return Refused(error.said)
    except _CLOSED:
        return Closed()
    except _OtherOutcome as other:
        return other.outcome
    finally:
        # A close handshake with a server that says nothing would take longer than the deadline.
        await anyio.aclose_forcefully(stream)


async def probe_datagram(address: str, number: int, port: ProbedPort, deadline: float) -> ProbeOutcome:
    """Ask a UDP port in its protocol."""
    if port.speaks in (ExpectedProtocol.SMB, ExpectedProtocol.ANYTHING):
        return NotProbed("no call is known that every server answers over UDP")
    family = socket.AF_INET6 if ":" in address else socket.AF_INET
    with socket.socket(family, socket.SOCK_DGRAM) as endpoint:
        endpoint.setblocking(False)
        try:
            endpoint.connect((address, number))
            async with asyncio.timeout_at(deadline):
                return await _converse_rpc(partial(_ask_datagram, endpoint), port.speaks, None)
        except TimeoutError:
            return Silent()
        except OSError as error:
            return Refused(_words(error))
        except _OtherOutcome as other:
            return other.outcome


def own_address(address: str) -> str | None:
    """The address from which this machine reaches another one; None where there is no way there."""
    family = socket.AF_INET6 if ":" in address else socket.AF_INET
    try:
        with socket.socket(family, socket.SOCK_DGRAM) as endpoint:
            # This only chooses a route: nothing is sent.
            endpoint.connect((address, _ANY_PORT))
            return str(endpoint.getsockname()[0])
    except OSError:
        return None


async def _converse(
    stream: ByteStream, speaks: ExpectedProtocol, offered: Collection[int | None]
) -> ProbeOutcome:
    reader = BufferedByteReceiveStream(stream)
    match speaks:
        case ExpectedProtocol.ANYTHING:
            return await _greeted(reader)
        case ExpectedProtocol.SMB:
            return await _negotiate(stream, reader)
        case _:

            async def ask(message: bytes) -> bytes:
                await stream.send(onc_rpc.as_record(message))
                return await _framed(reader, onc_rpc.record_length)

            return await _converse_rpc(ask, speaks, offered)


async def _greeted(reader: BufferedByteReceiveStream) -> ProbeOutcome:
    """Through a node, a port that nothing listens on is refused after the connection is made."""
    try:
        async with asyncio.timeout(_GREETING_SECONDS):
            await reader.receive(1)
    except PortUnansweredError:
        raise
    except (TimeoutError, *_CLOSED):
        pass
    return Open()


async def _negotiate(stream: ByteStream, reader: BufferedByteReceiveStream) -> ProbeOutcome:
    # No other probe, and no other command, has to wait for its library.
    from dittoinfra.verify import smb2

    await stream.send(smb2.negotiate())
    message = await _framed(reader, smb2.answer_length)
    match smb2.read_answer(message):
        case smb2.Negotiated(dialect):
            return Spoken(f"speaks SMB {dialect}")
        case smb2.NotNegotiated(why):
            return Unsuitable(why, "see which dialects the server's smb settings allow")
        case None:
            return WrongProtocol(_quoted(message))


async def _converse_rpc(
    ask: Callable[[bytes], Awaitable[bytes]], speaks: ExpectedProtocol, offered: Collection[int | None] | None
) -> ProbeOutcome:
    async def reply_to(message: bytes) -> onc_rpc.Reply:
        answer = await ask(message)
        reply = onc_rpc.read_reply(answer)
        if reply is None:
            raise _OtherOutcome(WrongProtocol(_quoted(answer)))
        return reply

    match speaks:
        case ExpectedProtocol.PORTMAPPER:
            return await _ask_portmapper(reply_to, offered)
        case ExpectedProtocol.MOUNT:
            return await _ask_versions(reply_to, speaks, onc_rpc.MOUNT, onc_rpc.MOUNT_VERSIONS)
        case _:
            return await _ask_versions(reply_to, speaks, onc_rpc.NFS, onc_rpc.NFS_VERSIONS)


_ReplyTo = Callable[[bytes], Awaitable[onc_rpc.Reply]]


async def _ask_versions(
    reply_to: _ReplyTo, speaks: ExpectedProtocol, program: int, versions: Sequence[int]
) -> ProbeOutcome:
    served, why = [], ""
    for version in versions:
        match await reply_to(onc_rpc.call(program, version)):
            case onc_rpc.Result():
                served.append(str(version))
            case onc_rpc.OtherVersions(lowest, highest):
                why = f"serves {speaks} in versions {lowest} to {highest} only"
            case onc_rpc.CallRefused(refused):
                why = refused
    if served:
        # An administrator may have switched one of them off.
        return Spoken(f"speaks {speaks} {' and '.join(served)}")
    return Unsuitable(why, "see what the server's nfs settings allow")


async def _ask_portmapper(reply_to: _ReplyTo, offered: Collection[int | None] | None) -> ProbeOutcome:
    # Clients of version 4 do not ask a portmapper.
    arguments = (onc_rpc.NFS, min(onc_rpc.NFS_VERSIONS), onc_rpc.TCP, 0)
    message = onc_rpc.call(onc_rpc.PORTMAPPER, onc_rpc.PORTMAPPER_VERSION, onc_rpc.GETPORT, *arguments)
    match await reply_to(message):
        case onc_rpc.Result(content):
            named = onc_rpc.port_in(content)
        case onc_rpc.OtherVersions(lowest, highest):
            return Unsuitable(
                f"is a portmapper of versions {lowest} to {highest} only", "see the server's nfs settings"
            )
        case onc_rpc.CallRefused(why):
            return Unsuitable(why, "see the server's nfs settings")
    if not named:
        return Unsuitable("knows no NFS", "see that the server's nfs adapter runs")
    # Over UDP it may be asked at a Service of its own, which does not have the port that it names.
    if offered is not None and named not in offered:
        return Unsuitable(
            f"sends clients to port {named}, which is none of this Service",
            f"set servicePort to {named}, or take the portmapper out of `extras`",
        )
    return Spoken(f"sends clients to port {named}")


async def _framed(reader: BufferedByteReceiveStream, length_of: Callable[[bytes], int | None]) -> bytes:
    mark = await reader.receive_exactly(4)
    length = length_of(mark)
    if length is None:
        with suppress(TimeoutError, *_CLOSED):
            async with asyncio.timeout(_GREETING_SECONDS):
                mark += await reader.receive(_LONGEST_QUOTE)
        raise _OtherOutcome(WrongProtocol(_quoted(mark)))
    return await reader.receive_exactly(length)


async def _ask_datagram(endpoint: socket.socket, message: bytes) -> bytes:
    loop = asyncio.get_running_loop()
    while True:
        await loop.sock_sendall(endpoint, message)
        try:
            async with asyncio.timeout(_RESEND_SECONDS):
                return await loop.sock_recv(endpoint, _LONGEST_DATAGRAM)
        except TimeoutError:
            continue


def _quoted(said: bytes) -> str:
    return one_line(said.decode(errors="replace"), _LONGEST_QUOTE)


def _words(error: OSError) -> str:
    # anyio tells of the failed attempts together; for one address there is one.
    cause = error.__cause__ if isinstance(error.__cause__, OSError) else error
    return os.strerror(cause.errno).lower() if cause.errno else str(cause)
