"""What went wrong on the way to a server, in plain words."""

import os
import socket
import ssl
from collections.abc import Iterator
from dataclasses import dataclass

import httpx

from dittoinfra.dittofs.ending import FinalError, PassingError, StepError
from dittoinfra.dittofs.garbled import garbled
from dittoinfra.dittofs.wording import line
from dittoinfra.model import Unreachable

_HOST_MISMATCH = (62, 63, 64)
"""OpenSSL's codes for a certificate of another host name, e-mail or address."""
_NOT_YET_VALID = 9
_EXPIRED = 10

_OTHER_VERSION = ("ALERT_PROTOCOL_VERSION", "UNSUPPORTED_PROTOCOL")


@dataclass(frozen=True, slots=True)
class _TlsWords:
    cause: str
    next_step: str


def explain(error: Exception, subject: str, setting: str) -> StepError:
    """The end of a step in which `error` kept us from getting a reply of `subject`, found by `setting`."""
    chain = tuple(_chain(error))
    for link in chain:
        if isinstance(link, ssl.SSLError) and not isinstance(link, ssl.SSLEOFError):
            words = _tls(link, setting)
            # The same certificate is shown the next time too: asking again only costs the deadline.
            return FinalError(Unreachable(line(f"{subject}: {words.cause}", words.next_step)))
    if isinstance(error, httpx.RemoteProtocolError) and "disconnected" not in str(error):
        return garbled(error, subject, setting)
    if isinstance(error, httpx.InvalidURL | httpx.UnsupportedProtocol | UnicodeError):
        return FinalError(Unreachable(line(f"{subject} is no usable address", f"check {setting}")))
    cause, next_step = _connection(error, chain, setting)
    return PassingError(Unreachable(line(f"{subject}: {cause}", next_step)))


def _connection(error: Exception, chain: tuple[BaseException, ...], setting: str) -> tuple[str, str]:
    running = f"check {setting} and that the server is running"
    for link in chain:
        match link:
            case socket.gaierror():
                return "the host name cannot be resolved", f"check {setting}"
            case ConnectionRefusedError():
                return "the connection was refused", running
            case ConnectionResetError() | BrokenPipeError():
                return "the connection was reset", running
            case OSError(errno=int(number)) if not isinstance(link, ssl.SSLError):
                return f"no connection ({os.strerror(number)})", f"check {setting} and the network"
    match error:
        case httpx.ProxyError():
            return "the proxy did not connect us", "check api.proxy"
        case httpx.ConnectError():
            return "no connection", running
        case _:
            return "the connection was closed without an answer", running


def _tls(error: ssl.SSLError, setting: str) -> _TlsWords:
    if isinstance(error, ssl.SSLCertVerificationError):
        cause = f"TLS certificate verify failed ({error.verify_message.rstrip('.')})"
        if error.verify_code in _HOST_MISMATCH:
            return _TlsWords(cause, f"use a name of the certificate in {setting}")
        if error.verify_code == _EXPIRED:
            return _TlsWords(cause, "renew the server's certificate")
        if error.verify_code == _NOT_YET_VALID:
            return _TlsWords(cause, "check the clocks of this machine and of whoever issued it")
        return _TlsWords(cause, "name its authority in api.caBundle")
    # Errors that OpenSSL did not raise itself carry no reason.
    reason: str = getattr(error, "reason", None) or "UNKNOWN_REASON"
    cause = f"TLS failed ({reason.replace('_', ' ').lower()})"
    if reason.endswith(_OTHER_VERSION):
        return _TlsWords(cause, "let the server speak TLS 1.2 or newer")
    if "ALERT" in reason:
        # Servers refuse a missing certificate and a strange one with alerts of many names.
        return _TlsWords(cause, "the server refused us: check api.clientCertificate and api.clientKey")
    return _TlsWords(cause, f"check whether {setting} must be http, or has another port")


def _chain(error: BaseException) -> Iterator[BaseException]:
    """An error and everything behind it: the network's own words lie at the bottom of httpx's."""
    link: BaseException | None = error
    while link is not None:
        yield link
        if isinstance(link, BaseExceptionGroup):
            for member in link.exceptions:
                yield from _chain(member)
        link = link.__cause__ or link.__context__
