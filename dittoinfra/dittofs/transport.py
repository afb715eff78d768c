"""The types of a request and its reply, and the protocol that both kinds of connection implement."""

import ssl
from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass, field
from typing import Protocol

import httpx
from anyio.abc import ByteStream

from dittoinfra.dittofs.plain_reply import Headers

Tunnel = Callable[[], Awaitable[ByteStream]]
"""Opens a stream to a server, wherever its URL seems to lead; what keeps it from that is a `StepError`.

A stream that breaks raises `anyio.BrokenResourceError` with the cause in a few words.
"""


@dataclass(frozen=True, slots=True)
class HttpRequest:
    """One request."""

    method: str
    base: httpx.URL
    """Where the API is."""
    target: bytes
    """What is asked for there: a path, and a query where a redirect brought one."""
    headers: Mapping[str, str] = field(repr=False)
    content: bytes | None = field(default=None, repr=False)

    def all_headers(self) -> list[tuple[str, str]]:
        """All headers, `Host` and `Content-Length` included."""
        length = [("Content-Length", str(len(self.content)))] if self.content is not None else []
        return [("Host", self.base.netloc.decode("ascii")), *self.headers.items(), *length]


@dataclass(frozen=True, slots=True)
class Head:
    """What comes before the body of a reply."""

    status: int
    headers: Headers
    tls: ssl.SSLObject | None = field(default=None, repr=False)
    """The encryption that it came through; None without TLS."""


class Connection(Protocol):
    """Sends requests one after the other; what goes wrong is an error of httpx, or an `OSError`."""

    async def send(self, request: HttpRequest) -> Head:
        """The beginning of the reply to a request."""

    async def body(self, most: int) -> bytes | None:
        """The rest of that reply; None where it is longer than `most`."""

    async def aclose(self) -> None:
        """Close it; a further request opens another one."""
