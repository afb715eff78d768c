"""HTTP/1.1 on one connection that is kept while it is good: straight, or through a tunnel."""

import ssl
from contextlib import suppress

import anyio
import h11
import httpx
from anyio.abc import ByteStream
from anyio.streams.tls import TLSAttribute, TLSStream

from dittoinfra.dittofs.plain_reply import plain_reply
from dittoinfra.dittofs.poll_errors import RetryableError
from dittoinfra.dittofs.socket_stream import SocketStream, connect_tcp
from dittoinfra.dittofs.tls import untrusting_context
from dittoinfra.dittofs.transport import Head, HttpRequest, Tunnel
from dittoinfra.model import Unreachable

_CHUNK = 64 * 1024
_LARGEST_HEAD = 100 * 1024
_PORTS = {"http": 80, "https": 443}
_BROKEN = (anyio.BrokenResourceError, anyio.ClosedResourceError)


class HttpConnection:
    """A connection of our own.

    TLS runs inside a tunnel, end to end: what carries the bytes cannot read them.
    """

    def __init__(self, tls: ssl.SSLContext | None, tunnel: Tunnel | None) -> None:
        self._context = tls
        self._tunnel = tunnel
        self._host = ""
        self._stream: ByteStream | None = None
        self._socket: SocketStream | None = None
        self._tls: ssl.SSLObject | None = None
        self._idle = False
        self._whole: bytes | None = None
        """The body of a reply that `plain_reply` has read."""
        self._reader: h11.Connection | None = None
        """What reads any other reply."""

    async def send(self, request: HttpRequest) -> Head:
        """The beginning of the reply to a request."""
        written = request_bytes(request)
        # A connection that is not idle was left in the middle of a request that was given up.
        if not self._idle or (self._socket is not None and self._socket.has_news):
            await self.aclose()
        stream = self._stream or await self._open(request.base)
        self._idle = False
        self._whole = self._reader = None
        # A server may refuse a request, and close, before it has read it: its reply says why.
        with suppress(*_BROKEN):
            await stream.send(written)
        received = await self._receive()
        if not received:
            raise httpx.RemoteProtocolError("Server disconnected without sending a response.")
        if (plain := plain_reply(received)) is not None:
            status, headers, self._whole = plain
            return Head(status, headers, self._tls)
        self._reader = _reader(request)
        self._reader.receive_data(received)
        while not isinstance(event := await self._event(self._reader), h11.Response):
            pass
        return Head(event.status_code, tuple(event.headers), self._tls)

    async def body(self, most: int) -> bytes | None:
        """The rest of that reply; None where it is longer than `most`."""
        if self._whole is not None:
            self._idle = True
            return self._whole if len(self._whole) <= most else None
        if self._reader is None:
            raise RuntimeError("there is no reply to read")
        body = bytearray()
        while isinstance(event := await self._event(self._reader), h11.Data):
            body += event.data
            if len(body) > most:
                return None
        # Whatever follows a reply was not asked for.
        self._idle = self._reader.their_state is h11.DONE and self._reader.trailing_data == (b"", False)
        return bytes(body)

    async def aclose(self) -> None:
        """Close it; a further request opens another one."""
        self._idle = False
        if self._stream is not None:
            await self._stream.aclose()
            # Only now: a close that is cancelled can be repeated.
            self._stream = self._socket = self._tls = None

    async def _open(self, url: httpx.URL) -> ByteStream:
        host = self._host = url.raw_host.decode("ascii")
        if url.scheme not in _PORTS or not host:
            raise httpx.UnsupportedProtocol(f"{url.scheme} is not spoken")
        stream = await self._connected(host, url.port or _PORTS[url.scheme])
        if url.scheme == "https":
            stream = await self._encrypted(stream, host)
        self._stream = stream
        return stream

    async def _connected(self, host: str, port: int) -> ByteStream:
        if self._tunnel is not None:
            return await self._tunnel()
        try:
            self._socket = await connect_tcp(host, port)
        except OSError as error:
            raise httpx.ConnectError(str(error)) from error
        return self._socket

    async def _encrypted(self, stream: ByteStream, host: str) -> ByteStream:
        context = self._context or untrusting_context()
        context.set_alpn_protocols(["http/1.1"])
        try:
            wrapped = await TLSStream.wrap(
                stream, hostname=host, ssl_context=context, standard_compatible=False, server_side=False
            )
        except BaseException as error:
            # Whatever ends the handshake closes the stream, even a cancellation.
            await anyio.aclose_forcefully(stream)
            if isinstance(error, _BROKEN):
                raise self._broken(error, httpx.ConnectError) from error
            if isinstance(error, anyio.EndOfStream | ssl.SSLError):
                raise httpx.ConnectError(str(error)) from error
            raise
        self._tls = wrapped.extra(TLSAttribute.ssl_object)  # noqa: S610 - no Django
        return wrapped

    async def _receive(self) -> bytes:
        """The next bytes; none where the server has closed the connection."""
        assert self._stream is not None  # noqa: S101 - it was opened for this request
        try:
            return await self._stream.receive(_CHUNK)
        except anyio.EndOfStream:
            return b""
        except _BROKEN as error:
            raise self._broken(error, httpx.ReadError) from error

    async def _event(self, reader: h11.Connection) -> object:
        """The next part of a reply."""
        while True:
            try:
                event = reader.next_event()
            except h11.RemoteProtocolError as error:
                raise httpx.RemoteProtocolError(str(error)) from error
            if event is not h11.NEED_DATA:
                return event
            received = await self._receive()
            if not received and reader.their_state is h11.SEND_RESPONSE:
                raise httpx.RemoteProtocolError("Server disconnected without sending a response.")
            reader.receive_data(received)

    def _broken(self, error: Exception, kind: type[httpx.TransportError]) -> Exception:
        if self._tunnel is None:
            return kind(str(error))
        cause = str(error) or "the connection was closed without an answer"
        return RetryableError(Unreachable(f"{self._host}: {cause}", "check that the server is running"))


def request_bytes(request: HttpRequest) -> bytes:
    """A request as it is sent. Pure."""
    lines = [
        f"{request.method} {request.target.decode('ascii')} HTTP/1.1",
        *(f"{name}: {value}" for name, value in request.all_headers()),
    ]
    head = "\r\n".join(lines)
    if head.count("\n") != len(lines) - 1 or head.count("\r") != len(lines) - 1:
        raise httpx.InvalidURL("a line break in a request would begin another header")
    return f"{head}\r\n\r\n".encode("ascii") + (request.content or b"")


def _reader(request: HttpRequest) -> h11.Connection:
    """A reader of the reply to a request, which is sent already."""
    reader = h11.Connection(our_role=h11.CLIENT, max_incomplete_event_size=_LARGEST_HEAD)
    reader.send(h11.Request(method=request.method, target=request.target, headers=request.all_headers()))
    if request.content is not None:
        reader.send(h11.Data(data=request.content))
    reader.send(h11.EndOfMessage())
    return reader
