"""Refuses network connections beyond loopback in this process."""

import ipaddress
import socket
import threading
from collections.abc import Iterator
from contextlib import contextmanager

import pytest

_Address = tuple[object, ...] | str | bytes


class BeyondLoopbackError(AssertionError):
    """A test tried to connect beyond loopback.

    Not an OSError: code that treats those as "unreachable" would hide it.
    """

    def __init__(self, host: object) -> None:
        super().__init__(f"a test reached for {host!r}: tests talk to loopback only, so start the peer there")


@contextmanager
def loopback_only() -> Iterator[None]:
    """Refuse to resolve or connect to anything but this machine."""
    connect, connect_ex, getaddrinfo = socket.socket.connect, socket.socket.connect_ex, socket.getaddrinfo

    def guarded_connect(self: socket.socket, address: _Address, /) -> None:
        _refuse_distant_peer(self, address)
        connect(self, address)

    def guarded_connect_ex(self: socket.socket, address: _Address, /) -> int:
        _refuse_distant_peer(self, address)
        return connect_ex(self, address)

    def guarded_getaddrinfo(
        host: bytes | str | None, port: bytes | str | int | None, *hints: int, **named_hints: int
    ) -> object:
        name = host.decode() if isinstance(host, bytes) else host
        # RFC 6761: no resolver knows this domain, so a test of a failing lookup needs none either.
        if isinstance(name, str) and name.endswith(".invalid"):
            raise socket.gaierror(socket.EAI_NONAME, "Name or service not known")
        if name is not None and not _stays_here(name):
            raise BeyondLoopbackError(name)
        return getaddrinfo(host, port, *hints, **named_hints)

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(socket.socket, "connect", guarded_connect)
        patch.setattr(socket.socket, "connect_ex", guarded_connect_ex)
        patch.setattr(socket, "getaddrinfo", guarded_getaddrinfo)
        yield


@contextmanager
def stuck_resolver(host: str) -> Iterator[None]:
    """Let lookups of this name hang, as with an unreachable name server.

    Patched, because the system's resolver cannot be made to hang.
    """
    answer = threading.Event()
    getaddrinfo = socket.getaddrinfo

    def hang(name: bytes | str | None, *rest: int, **named: int) -> object:
        if name in (host, host.encode()):
            answer.wait()
        return getaddrinfo(name, *rest, **named)

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(socket, "getaddrinfo", hang)
        try:
            yield
        finally:
            answer.set()


def _refuse_distant_peer(endpoint: socket.socket, address: _Address) -> None:
    if endpoint.family not in {socket.AF_INET, socket.AF_INET6}:
        return
    host = address[0] if isinstance(address, tuple) else address
    if not _stays_here(host):
        raise BeyondLoopbackError(host)


def _stays_here(host: object) -> bool:
    if not isinstance(host, str):
        return False
    if host in {"", "localhost"} or host.endswith(".localhost"):
        return True
    try:
        # An IPv6 address may carry the interface it belongs to.
        address = ipaddress.ip_address(host.partition("%")[0])
    except ValueError:
        return False
    # The unspecified address is what servers bind, and a connection to it stays on the machine.
    return address.is_loopback or address.is_unspecified
