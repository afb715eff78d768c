"""HTTP over a connection of our own, straight or through a proxy."""

import select
import socket
import ssl
from collections.abc import Iterable

import anyio
import httpcore
import httpx
from anyio.abc import ByteStream, SocketAttribute
from anyio.streams.tls import TLSAttribute
from typing_extensions import override

from dittoinfra.dittofs.streams import Backend, OneConnection, in_tls
from dittoinfra.dittofs.tls import trust_nobody


class DirectTransport(httpx.AsyncHTTPTransport):
    """httpx's transport on streams of our own."""

    def __init__(
        self, tls: ssl.SSLContext | None, proxy: str | None, proxy_tls: ssl.SSLContext | None
    ) -> None:
        context = tls or trust_nobody()
        super().__init__(verify=context)
        # Only httpx's own transport translates httpcore's errors, and it lets nobody choose a backend.
        self._pool = (
            OneConnection(context, _Backend())
            if proxy is None
            else httpcore.AsyncHTTPProxy(
                proxy, ssl_context=context, proxy_ssl_context=proxy_tls, network_backend=_Backend()
            )
        )


class _Backend(Backend):
    @override
    async def connect_tcp(
        self,
        host: str,
        port: int,
        timeout: float | None = None,
        local_address: str | None = None,
        socket_options: Iterable[httpcore.SOCKET_OPTION] | None = None,
    ) -> httpcore.AsyncNetworkStream:
        try:
            stream = await anyio.connect_tcp(host, port)
        except OSError as error:
            raise httpcore.ConnectError(error) from error
        return _Stream(stream, stream.extra(SocketAttribute.raw_socket), None)  # noqa: S610 - no Django


class _Stream(httpcore.AsyncNetworkStream):
    def __init__(self, stream: ByteStream, raw: socket.socket, tls: ssl.SSLObject | None) -> None:
        self._stream = stream
        self._raw = raw
        self._tls = tls

    @override
    async def read(self, max_bytes: int, timeout: float | None = None) -> bytes:
        try:
            return await self._stream.receive(max_bytes)
        except anyio.EndOfStream:
            return b""
        except (anyio.BrokenResourceError, anyio.ClosedResourceError) as error:
            raise httpcore.ReadError(error) from error

    @override
    async def write(self, buffer: bytes, timeout: float | None = None) -> None:
        try:
            if buffer:
                await self._stream.send(buffer)
        except (anyio.BrokenResourceError, anyio.ClosedResourceError) as error:
            raise httpcore.WriteError(error) from error

    @override
    async def aclose(self) -> None:
        await self._stream.aclose()

    @override
    async def start_tls(
        self,
        ssl_context: ssl.SSLContext,
        server_hostname: str | None = None,
        timeout: float | None = None,
    ) -> httpcore.AsyncNetworkStream:
        try:
            wrapped = await in_tls(self._stream, ssl_context, server_hostname)
        except (anyio.BrokenResourceError, anyio.EndOfStream, ssl.SSLError) as error:
            raise httpcore.ConnectError(error) from error
        return _Stream(wrapped, self._raw, wrapped.extra(TLSAttribute.ssl_object))  # noqa: S610 - no Django

    @override
    def get_extra_info(self, info: str) -> object:
        match info:
            case "ssl_object":
                return self._tls
            case "is_readable":
                return _is_readable(self._raw)
            case _:
                return None


def _is_readable(raw: socket.socket) -> bool:
    """Whether an idle connection has something to say: the other side has closed it, or it is closed here."""
    if raw.fileno() < 0:
        return True
    poll = select.poll()
    poll.register(raw, select.POLLIN)
    return bool(poll.poll(0))
