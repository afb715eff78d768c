"""HTTP over a connection of our own, straight or through a proxy."""

import select
import socket
import ssl
from collections.abc import Iterable

import anyio
import httpcore
import httpx
from anyio.abc import ByteStream, SocketAttribute
from anyio.streams.tls import TLSAttribute, TLSStream
from typing_extensions import override

from dittoinfra.dittofs.streams import Backend, OneConnection, Stream
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


class _Stream(Stream):
    def __init__(self, stream: ByteStream, raw: socket.socket, tls: ssl.SSLObject | None) -> None:
        super().__init__(stream)
        self._raw = raw
        self._tls = tls

    @override
    def encrypted(self, stream: TLSStream) -> Stream:
        return _Stream(stream, self._raw, stream.extra(TLSAttribute.ssl_object))  # noqa: S610 - no Django

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
