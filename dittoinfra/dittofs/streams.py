"""Streams of bytes as httpcore wants them, with no more around each step than it takes.

Time limits are set around a whole request, so those of single steps are not looked at: httpcore's own streams
set up a limit for every read and write, which takes longer than the system call inside.
"""

import asyncio
import ssl
from abc import ABC, abstractmethod

import anyio
import httpcore
from anyio.abc import ByteStream
from anyio.streams.tls import TLSStream
from typing_extensions import override

_BROKEN = (anyio.BrokenResourceError, anyio.ClosedResourceError)


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
        if self._connection is not None:
            await self._connection.aclose()
            # Only now: whoever is cut short in closing it can be followed by somebody who is not.
            self._connection = None


class Stream(httpcore.AsyncNetworkStream, ABC):
    """A stream of bytes to a server; what it means that one breaks, each kind says itself."""

    def __init__(self, stream: ByteStream) -> None:
        self._stream = stream

    def broken(self, error: Exception, kind: type[Exception]) -> Exception:
        """What is raised where the stream broke; `kind` is httpcore's word for the moment."""
        return kind(error)

    @abstractmethod
    def encrypted(self, stream: TLSStream) -> "Stream":
        """The same with TLS inside."""

    @override
    async def read(self, max_bytes: int, timeout: float | None = None) -> bytes:
        try:
            return await self._stream.receive(max_bytes)
        except anyio.EndOfStream:
            return b""
        except _BROKEN as error:
            raise self.broken(error, httpcore.ReadError) from error

    @override
    async def write(self, buffer: bytes, timeout: float | None = None) -> None:
        try:
            if buffer:
                await self._stream.send(buffer)
        except _BROKEN as error:
            raise self.broken(error, httpcore.WriteError) from error

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
            wrapped = await _in_tls(self._stream, ssl_context, server_hostname)
        except _BROKEN as error:
            raise self.broken(error, httpcore.ConnectError) from error
        except (anyio.EndOfStream, ssl.SSLError) as error:
            raise httpcore.ConnectError(error) from error
        return self.encrypted(wrapped)


async def _in_tls(stream: ByteStream, context: ssl.SSLContext, host: str | None) -> TLSStream:
    """The same stream, encrypted; whatever ends the handshake closes it, even somebody who gives up."""
    try:
        return await TLSStream.wrap(
            stream, hostname=host, ssl_context=context, standard_compatible=False, server_side=False
        )
    except BaseException:
        await anyio.aclose_forcefully(stream)
        raise
