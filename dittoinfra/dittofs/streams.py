"""Streams of bytes as httpcore wants them, with no more around each step than it takes.

Time limits are set around a whole request, so those of single steps are not looked at: httpcore's own streams
set up a limit for every read and write, which costs more than the read itself.
"""

import asyncio
import ssl

import anyio
import httpcore
from anyio.abc import ByteStream
from anyio.streams.tls import TLSStream
from typing_extensions import override


class Backend(httpcore.AsyncNetworkBackend):
    """Whoever opens streams; how, is up to each kind."""

    @override
    async def sleep(self, seconds: float) -> None:
        await asyncio.sleep(seconds)


class OneConnection(httpcore.AsyncConnectionPool):
    """All the pool that a server needs: it is asked one question after the other."""

    def __init__(self, tls: ssl.SSLContext, backend: Backend) -> None:
        super().__init__(tls, network_backend=backend)
        self._tls = tls
        self._backend = backend
        self._connection: httpcore.AsyncHTTPConnection | None = None

    @override
    async def handle_async_request(self, request: httpcore.Request) -> httpcore.Response:
        connection = self._connection
        # One that is in the middle of something has been left there by whoever gave up on it.
        if connection is None or not connection.is_idle() or connection.has_expired():
            await self.aclose()
            connection = self._connection = httpcore.AsyncHTTPConnection(
                request.url.origin, self._tls, network_backend=self._backend
            )
        return await connection.handle_async_request(request)

    @override
    async def aclose(self) -> None:
        connection, self._connection = self._connection, None
        if connection is not None:
            await connection.aclose()


async def in_tls(stream: ByteStream, context: ssl.SSLContext, host: str | None) -> TLSStream:
    """The same stream, encrypted; whatever ends the handshake closes it, even somebody who gives up."""
    try:
        return await TLSStream.wrap(
            stream, hostname=host, ssl_context=context, standard_compatible=False, server_side=False
        )
    except BaseException:
        await anyio.aclose_forcefully(stream)
        raise
