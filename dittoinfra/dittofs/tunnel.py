"""HTTP over a stream that somebody else opens, so that nothing has to listen on this machine.

TLS runs inside the stream, end to end: whoever carries the bytes sees none of them.
"""

import ssl
from collections.abc import Awaitable, Callable, Iterable

import httpcore
import httpx
from anyio.abc import ByteStream
from anyio.streams.tls import TLSStream
from typing_extensions import override

from dittoinfra.dittofs.ending import PassingError
from dittoinfra.dittofs.streams import Backend, OneConnection, Stream
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


class _Stream(Stream):
    def __init__(self, stream: ByteStream, host: str) -> None:
        super().__init__(stream)
        self._host = host

    @override
    def broken(self, error: Exception, kind: type[Exception]) -> Exception:
        cause = str(error) or "the connection was closed without an answer"
        return PassingError(Unreachable(line(f"{self._host}: {cause}", "check that the server is running")))

    @override
    def encrypted(self, stream: TLSStream) -> Stream:
        return _Stream(stream, self._host)

    @override
    def get_extra_info(self, info: str) -> bool | None:
        """Nothing of interest; a stream that is idle counts as usable until a request says otherwise."""
        return False if info == "is_readable" else None
