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


async def in_tls(stream: ByteStream, context: ssl.SSLContext, host: str | None) -> TLSStream:
    """The same stream, encrypted; whatever ends the handshake closes it, even somebody who gives up."""
    try:
        return await TLSStream.wrap(
            stream, hostname=host, ssl_context=context, standard_compatible=False, server_side=False
        )
    except BaseException:
        await anyio.aclose_forcefully(stream)
        raise
