"""Servers on loopback that log us in as they should, and then mistreat us as told."""

import itertools
import socket
import ssl
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import cache
from typing import Literal

from lab.bed.credentials import credential
from tests.chaos.faults.caller import Caller
from tests.chaos.faults.fault import Bystander, Place, Serve
from tests.unit.dittofs.bench import raw_server, read_request

Phase = Literal["login", "list"]
Talk = Callable[[Caller], None]

HEALTHY = (
    b'[{"type":"smb","port":12445,"enabled":true,"running":true},'
    b'{"type":"nfs","port":12049,"enabled":true,"running":true}]'
)
"""The adapters that the stack has already."""

LONGEST_TALK = 90.0
"""Seconds after which even an endless fault ends: a run without limits must fail its test, not hang in it."""

METADATA_ADDRESS = "127.0.0.2"
"""A loopback address beside our own; it stands for a cloud's metadata service."""


def answer(
    body: bytes, *headers: bytes, status: bytes = b"200 OK", kind: bytes = b"application/json"
) -> bytes:
    """A well-formed answer, after which the connection is closed."""
    lines = [b"HTTP/1.1 " + status, b"Content-Type: " + kind, b"Content-Length: %d" % len(body)]
    return head(*lines, b"Connection: close", *headers) + body


def head(*lines: bytes) -> bytes:
    """The lines before a body."""
    return b"\r\n".join([*lines, b"", b""])


@cache
def tokens() -> tuple[str, str]:
    """What a login gives out."""
    return credential("access-token"), credential("refresh-token")


def logged_in() -> bytes:
    """The answer to a login, after which the connection stays open."""
    access, refresh = tokens()
    body = b'{"access_token":"%s","refresh_token":"%s","token_type":"Bearer","expires_in":900}' % (
        access.encode(),
        refresh.encode(),
    )
    return head(b"HTTP/1.1 200 OK", b"Content-Length: %d" % len(body)) + body


def saying(words: bytes) -> Talk:
    """Send this, and close."""
    return lambda caller: caller.say(words)


HEALTHY_ANSWER = saying(answer(HEALTHY))


def in_turn(*talks: Talk) -> Callable[[], Talk]:
    """Treat one question after the other like this, and all further ones like the last."""

    def begin() -> Talk:
        turns = itertools.chain(talks, itertools.repeat(talks[-1]))
        return lambda caller: next(turns)(caller)

    return begin


def api(talk: Talk, *, at: Phase = "list", tls: ssl.SSLContext | None = None) -> Serve:
    """An API that mistreats a client that logs in, or asks for adapters after a proper login."""
    return fresh_api(lambda: talk, at=at, tls=tls)


def fresh_api(begin: Callable[[], Talk], *, at: Phase = "list", tls: ssl.SSLContext | None = None) -> Serve:
    """The same, for a talk that remembers what it has said before."""

    @contextmanager
    def serve() -> Iterator[Place]:
        talk, over, until = begin(), threading.Event(), time.monotonic() + LONGEST_TALK

        def treat(connection: socket.socket) -> None:
            while request := read_request(connection):
                caller = Caller(connection, request, over, until)
                if at == "list" and caller.is_login:
                    caller.say(logged_in())
                else:
                    talk(caller)
                    return

        def secure(connection: socket.socket) -> None:
            if tls is None:
                treat(connection)
            else:
                with tls.wrap_socket(connection, server_side=True) as secured:
                    treat(secured)

        with raw_server(secure) as url:
            try:
                yield Place(url if tls is None else url.replace("http:", "https:"))
            finally:
                over.set()

    return serve


@contextmanager
def bystander(address: str = "127.0.0.1") -> Iterator[tuple[Bystander, str]]:
    """A server that would answer well, and that is not to be asked."""
    someone = Bystander()

    def talk(connection: socket.socket) -> None:
        someone.heard.append(read_request(connection))
        connection.sendall(answer(b"[]"))

    with raw_server(talk, address) as url:
        yield someone, url
