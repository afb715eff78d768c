"""Helpers: accesses, single polls, and a socket server with scripted responses."""

import asyncio
import contextlib
import socket
import ssl
import threading
from collections.abc import Callable, Iterator

import trustme
from pydantic import SecretStr

from dittoinfra.dittofs import ApiAccess, Login
from dittoinfra.dittofs.api_access import PasswordSource
from dittoinfra.dittofs.client import Backoff, DittoFSClient
from dittoinfra.model import Outcome
from lab.bed.credentials import credential
from lab.simulator import SimulatedDittoFS

USERNAME = "dittoinfra"
PASSWORD = credential('correct horse "battery" <staple> & é')
IMPATIENT = Backoff(first=0.01, longest=0.02, random=lambda: 1.0)
"""Retries that do not make a test wait."""

Talk = Callable[[socket.socket], None]


def access_to(
    url: str,
    *,
    username: str = USERNAME,
    password: str = PASSWORD,
    deadline: float = 20.0,
    request_timeout: float = 5.0,
    proxy: str | None = None,
) -> ApiAccess:
    return ApiAccess(
        url=url,
        login=Login(
            username,
            SecretStr(password),
            PasswordSource("dittoinfra:passwords.media", "pulumi config set --secret …"),
        ),
        deadline=deadline,
        request_timeout=request_timeout,
        proxy=proxy,
    )


def poll(access: ApiAccess, backoff: Backoff = IMPATIENT) -> Outcome:
    async def once() -> Outcome:
        async with DittoFSClient(access, backoff) as client:
            return await client.poll()

    return asyncio.run(once())


@contextlib.contextmanager
def simulated_with_user() -> Iterator[SimulatedDittoFS]:
    """A simulated server with our user on it."""
    with SimulatedDittoFS() as simulated:
        simulated.add_user(USERNAME, PASSWORD)
        yield simulated


@contextlib.contextmanager
def silent_port() -> Iterator[int]:
    """A port that takes connections and never says a word."""
    with socket.create_server(("127.0.0.1", 0)) as listener:
        yield listener.getsockname()[1]


def server_context(certificate: trustme.LeafCert) -> ssl.SSLContext:
    """The TLS of a server that shows this certificate."""
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    certificate.configure_cert(context)
    return context


def asked(server: SimulatedDittoFS) -> list[str]:
    """The requests so far, without what they all have in common."""
    return [f"{request.method} {request.path.removeprefix('/api/v1/')}" for request in server.requests]


@contextlib.contextmanager
def raw_server(talk: Talk, address: str = "127.0.0.1") -> Iterator[str]:
    """The address of a loopback server that treats each connection as told, side by side."""
    with socket.create_server((address, 0)) as listener:
        threads: list[threading.Thread] = []

        def serve(connection: socket.socket) -> None:
            # A client that forgot to close must not hold up the end of a test for ever.
            connection.settimeout(30)
            with connection, contextlib.suppress(OSError):
                talk(connection)

        def accept() -> None:
            with contextlib.suppress(OSError):
                while True:
                    connection, _ = listener.accept()
                    threads.append(threading.Thread(target=serve, args=(connection,)))
                    threads[-1].start()

        accepting = threading.Thread(target=accept)
        accepting.start()
        try:
            yield f"http://{address}:{listener.getsockname()[1]}"
        finally:
            listener.shutdown(socket.SHUT_RDWR)
            accepting.join()
            for thread in threads:
                thread.join()


def read_request(connection: socket.socket) -> bytes:
    """A whole request, its body included: closing with unread bytes would reset the connection."""
    request = b""
    while b"\r\n\r\n" not in request:
        chunk = connection.recv(65536)
        if not chunk:
            return request
        request += chunk
    head, _, body = request.partition(b"\r\n\r\n")
    length = next(
        (
            int(line.split(b":")[1])
            for line in head.split(b"\r\n")
            if line.lower().startswith(b"content-length")
        ),
        0,
    )
    while len(body) < length and (chunk := connection.recv(65536)):
        body += chunk
    return head + b"\r\n\r\n" + body
