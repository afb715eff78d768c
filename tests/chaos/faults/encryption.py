"""TLS that fails, and TLS where there should be none."""

import socket
import ssl
import warnings
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import replace
from datetime import UTC, datetime
from functools import cache

import trustme

from dittoinfra.model import Nonsense, Unreachable
from tests.chaos.faults.connection import BROKE_OFF, HALF_A_BODY, TOO_SLOW
from tests.chaos.faults.fault import LASTING, SLOW, Fault, Place, Serve
from tests.chaos.faults.serving import HEALTHY_ANSWER, Talk, api, saying
from tests.unit.dittofs.bench import raw_server, server_context


@cache
def authority() -> trustme.CA:
    """Whom our settings trust."""
    return trustme.CA()


def trusting_the_authority() -> dict[str, str]:
    """The settings that do."""
    return {"caBundle": authority().cert_pem.bytes().decode()}


def good() -> ssl.SSLContext:
    """A server with nothing to complain about."""
    return server_context(authority().issue_cert("127.0.0.1"))


def self_signed() -> ssl.SSLContext:
    """A server that vouches for itself."""
    itself = trustme.CA()
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    with trustme.Blob(itself.private_key_pem.bytes() + itself.cert_pem.bytes()).tempfile() as pem:
        context.load_cert_chain(pem)
    return context


def valid(start: int, end: int) -> ssl.SSLContext:
    """A server whose certificate is good in these years only."""
    first, last = (datetime(year, 1, 1, tzinfo=UTC) for year in (start, end))
    return server_context(authority().issue_cert("127.0.0.1", not_before=first, not_after=last))


def elsewhere() -> ssl.SSLContext:
    """A server whose certificate names another one."""
    return server_context(authority().issue_cert("elsewhere.example"))


def of_an_unknown_authority() -> ssl.SSLContext:
    """A server whose authority is not trusted."""
    return server_context(trustme.CA().issue_cert("127.0.0.1"))


def outdated() -> ssl.SSLContext:
    """A server that knows nothing newer than TLS 1.1."""
    context = good()
    # OpenSSL itself takes nothing so old any more unless it is told to.
    context.set_ciphers("ALL:@SECLEVEL=0")
    with warnings.catch_warnings(action="ignore", category=DeprecationWarning):
        context.minimum_version = ssl.TLSVersion.TLSv1
        context.maximum_version = ssl.TLSVersion.TLSv1_1
    return context


def choosy() -> ssl.SSLContext:
    """A server that wants to see our certificate as well."""
    context = good()
    context.verify_mode = ssl.CERT_REQUIRED
    authority().configure_trust(context)
    return context


def secured(context: Callable[[], ssl.SSLContext], talk: Talk = HEALTHY_ANSWER) -> Serve:
    """An API behind TLS, at which our settings trust the authority above."""

    @contextmanager
    def serve() -> Iterator[Place]:
        with api(talk, tls=context())() as place:
            yield replace(place, api=trusting_the_authority())

    return serve


def handshake(talk: Callable[[socket.socket], None]) -> Serve:
    """A server at which no handshake comes to its end."""

    @contextmanager
    def serve() -> Iterator[Place]:
        with raw_server(talk) as url:
            yield Place(url.replace("http:", "https:"))

    return serve


def say(words: bytes) -> Callable[[socket.socket], None]:
    """Answer the first bytes of a handshake with this."""

    def talk(connection: socket.socket) -> None:
        connection.recv(65536)
        connection.sendall(words)

    return talk


def wait_for_the_end(connection: socket.socket) -> None:
    """Listen, and never answer."""
    while connection.recv(65536):
        pass


GO_SERVER = b"HTTP/1.0 400 Bad Request\r\n\r\nClient sent an HTTP request to an HTTPS server.\n"
"""What a server of DittoFS's kind says to those who come to its TLS port in the clear."""
ALERT = b"\x15\x03\x01\x00\x02\x02\x46"
"""What other kinds say: a fatal alert of TLS."""

FAULTS = (
    Fault("tls-self-signed", secured(self_signed), Unreachable, "(self-signed certificate)"),
    Fault("tls-unknown-authority", secured(of_an_unknown_authority), Unreachable, "local issuer certificate"),
    Fault("tls-expired", secured(lambda: valid(2019, 2020)), Unreachable, "(certificate has expired); renew"),
    Fault("tls-not-yet-valid", secured(lambda: valid(2098, 2099)), Unreachable, "is not yet valid); check"),
    Fault("tls-wrong-name", secured(elsewhere), Unreachable, "certificate is not valid for '127.0.0.1'"),
    Fault("tls-too-old", secured(outdated), Unreachable, "TLS 1.2 or newer"),
    Fault("tls-client-certificate", secured(choosy), Unreachable, "check api.clientCertificate"),
    Fault("tls-cut-inside-the-body", secured(good, saying(HALF_A_BODY)), Nonsense, BROKE_OFF, limits=LASTING),
    Fault("tls-handshake-unanswered", handshake(wait_for_the_end), Unreachable, TOO_SLOW, limits=SLOW),
    Fault("tls-handshake-cut", handshake(say(b"")), Unreachable, "no connection", limits=LASTING),
    Fault("tls-handshake-garbage", handshake(say(b"\0" * 64)), Unreachable, "TLS failed"),
    Fault(
        "plain-http-on-the-https-port",
        handshake(say(b"HTTP/1.1 400 Bad Request\r\n\r\n")),
        Unreachable,
        "check whether api.url must be http",
    ),
    Fault("https-on-the-plain-port", api(saying(ALERT), at="login"), Nonsense, "https"),
    Fault(
        "https-on-the-plain-port-in-go",
        api(saying(GO_SERVER), at="login"),
        Nonsense,
        "HTTP 400 'Client sent an HTTP request to an HTTPS server.'",
    ),
)
