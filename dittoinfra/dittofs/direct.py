"""HTTP over a connection of our own, straight or through a proxy."""

import ssl
from collections.abc import Iterable
from typing import Any

import httpcore
import httpx
from typing_extensions import override

from dittoinfra.dittofs.tls import trust_nobody


class DirectTransport(httpx.AsyncHTTPTransport):
    """httpx's transport, but a handshake that is broken off leaves no open connection behind."""

    def __init__(
        self, tls: ssl.SSLContext | None, proxy: str | None, proxy_tls: ssl.SSLContext | None
    ) -> None:
        context = tls or trust_nobody()
        super().__init__(verify=context)
        # Only httpx's own transport translates httpcore's errors, and it lets nobody choose a backend.
        self._pool = (
            httpcore.AsyncConnectionPool(context, network_backend=_Backend())
            if proxy is None
            else httpcore.AsyncHTTPProxy(
                proxy, ssl_context=context, proxy_ssl_context=proxy_tls, network_backend=_Backend()
            )
        )


class _Backend(httpcore.AnyIOBackend):
    @override
    async def connect_tcp(
        self,
        host: str,
        port: int,
        timeout: float | None = None,
        local_address: str | None = None,
        socket_options: Iterable[httpcore.SOCKET_OPTION] | None = None,
    ) -> httpcore.AsyncNetworkStream:
        return _Stream(await super().connect_tcp(host, port, timeout, local_address, socket_options))


class _Stream(httpcore.AsyncNetworkStream):
    """A connection that is closed whatever ends its handshake: httpcore forgets it when time runs out."""

    def __init__(self, stream: httpcore.AsyncNetworkStream) -> None:
        self._stream = stream

    @override
    async def start_tls(
        self,
        ssl_context: ssl.SSLContext,
        server_hostname: str | None = None,
        timeout: float | None = None,
    ) -> httpcore.AsyncNetworkStream:
        try:
            return await self._stream.start_tls(ssl_context, server_hostname, timeout)
        except BaseException:
            await self._stream.aclose()
            raise

    @override
    async def read(self, max_bytes: int, timeout: float | None = None) -> bytes:
        return await self._stream.read(max_bytes, timeout)

    @override
    async def write(self, buffer: bytes, timeout: float | None = None) -> None:
        await self._stream.write(buffer, timeout)

    @override
    async def aclose(self) -> None:
        await self._stream.aclose()

    @override
    def get_extra_info(self, info: str) -> Any:
        return self._stream.get_extra_info(info)
