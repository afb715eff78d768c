"""HTTP over a stream that somebody else opens, so that nothing has to listen on this machine.

TLS runs inside the stream, end to end: whoever carries the bytes sees none of them.
"""

import ssl
from collections.abc import Awaitable, Callable, Iterable

import anyio
import httpcore
import httpx
from anyio.abc import ByteStream
from typing_extensions import override

from dittoinfra.dittofs.ending import PassingError
from dittoinfra.dittofs.streams import Backend, OneConnection, in_tls
from dittoinfra.dittofs.tls import trust_nobody
from dittoinfra.dittofs.wording import line
from dittoinfra.model import Unreachable

Tunnel = Callable[[], Awaitable[ByteStream]]
"""Opens a stream to a server, wherever its URL seems to lead; what keeps it from that is a `StepError`.

A stream that breaks raises `anyio.BrokenResourceError` with the cause in a few words.
"""


class TunnelTransport(httpx.AsyncHTTPTransport):
    """httpx's transport on streams of a tunnel."""

    def __init__(self, tunnel: Tunnel, tls: ssl.SSLContext | None) -> None:
        context = tls or trust_nobody()
        super().__init__(verify=context)
        # httpx has no word for where its bytes go, and only its own transport translates httpcore's errors.
        self._pool = OneConnection(context, _Backend(tunnel))


class _Backend(Backend):
    def __init__(self, tunnel: Tunnel) -> None:
        self._tunnel = tunnel

    @override
    async def connect_tcp(
        self,
        host: str,
        port: int,
        timeout: float | None = None,
        local_address: str | None = None,
        socket_options: Iterable[httpcore.SOCKET_OPTION] | None = None,
    ) -> httpcore.AsyncNetworkStream:
        return _Stream(await self._tunnel(), host)


class _Stream(httpcore.AsyncNetworkStream):
    def __init__(self, stream: ByteStream, host: str) -> None:
        self._stream = stream
        self._host = host

    @override
    async def read(self, max_bytes: int, timeout: float | None = None) -> bytes:
        try:
            return await self._stream.receive(max_bytes)
        except anyio.EndOfStream:
            return b""
        except anyio.BrokenResourceError as error:
            raise self._broken(error) from error

    @override
    async def write(self, buffer: bytes, timeout: float | None = None) -> None:
        try:
            if buffer:
                await self._stream.send(buffer)
        except anyio.BrokenResourceError as error:
            raise self._broken(error) from error

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
            return _Stream(await in_tls(self._stream, ssl_context, server_hostname), self._host)
        except anyio.BrokenResourceError as error:
            raise self._broken(error) from error
        except (anyio.EndOfStream, ssl.SSLError) as error:
            raise httpcore.ConnectError(error) from error

    def get_extra_info(self, info: str) -> bool | None:
        """Nothing of interest; a stream that is idle counts as usable until a request says otherwise."""
        return False if info == "is_readable" else None

    def _broken(self, error: Exception) -> PassingError:
        cause = str(error) or "the connection was closed without an answer"
        return PassingError(Unreachable(line(f"{self._host}: {cause}", "check that the server is running")))
