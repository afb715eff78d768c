"""How a step of a poll ends without an answer, and errors of the network and of HTTP in plain words.

StepError
├── FinalError     asking again cannot help
└── RetryableError   asking again may help; its outcome counts if the deadline comes first
    └── RefusedError   nothing listens there: asking again helps for a restart, and not for long
"""

import os
import re
import socket
import ssl
from collections.abc import Iterator

import httpx

from dittoinfra.model import Nonsense, Unanswered, Unreachable
from dittoinfra.trouble import Trouble

_HOST_MISMATCH = (62, 63, 64)
"""OpenSSL's codes for a certificate of another host name, e-mail or address."""
_NOT_YET_VALID = 9
_EXPIRED = 10

_OTHER_VERSION = ("ALERT_PROTOCOL_VERSION", "UNSUPPORTED_PROTOCOL")

_NOT_TO_THE_END = "peer closed connection"
_NO_HTTP_AT_ALL = ("illegal status line", "illegal request line", "no response line")
_PLAIN_WORDS = {
    "buffer too long": "a header without end",
    "SWITCH_UPGRADE": "another protocol than asked for",
    "status_code": "a status that HTTP does not have",
}
"""For messages of the HTTP library that only its authors understand, by a part of them."""
_QUOTED_BYTES = re.compile(r":? (bytearray\()?b['\"].*", re.DOTALL)


class StepError(Exception):
    """A step that ended in an outcome instead of a reply; never leaves a poll."""

    def __init__(self, outcome: Unanswered) -> None:
        super().__init__(outcome.why)
        self.outcome = outcome


class FinalError(StepError):
    """The poll is over."""


class RetryableError(StepError):
    """The poll goes on while its deadline allows."""

    def __init__(self, outcome: Unanswered, retry_after: float | None = None) -> None:
        super().__init__(outcome)
        self.retry_after = retry_after


class RefusedError(RetryableError):
    """The poll goes on for a share of its deadline."""


def explain(error: Exception, subject: str, setting: str) -> StepError:
    """The end of a step in which `error` kept us from getting a reply of `subject`, found by `setting`."""
    chain = tuple(_chain(error))
    for link in chain:
        if isinstance(link, ssl.SSLError) and not isinstance(link, ssl.SSLEOFError):
            words = _tls(link, setting)
            # The same certificate is shown the next time too: asking again only costs the deadline.
            return FinalError(Unreachable(f"{subject}: {words.cause}", words.next_step))
    if isinstance(error, httpx.RemoteProtocolError) and "disconnected" not in str(error):
        return _explain_protocol_error(error, subject, setting)
    if isinstance(error, httpx.InvalidURL | httpx.UnsupportedProtocol | UnicodeError):
        return FinalError(Unreachable(f"{subject} is no usable address", f"check {setting}"))
    cause, next_step = _connection(error, chain, setting)
    refused = any(isinstance(link, ConnectionRefusedError) for link in chain)
    kind = RefusedError if refused else RetryableError
    return kind(Unreachable(f"{subject}: {cause}", next_step))


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


def _tls(error: ssl.SSLError, setting: str) -> Trouble:
    if isinstance(error, ssl.SSLCertVerificationError):
        cause = f"TLS certificate verify failed ({error.verify_message.rstrip('.')})"
        if error.verify_code in _HOST_MISMATCH:
            return Trouble(cause, f"use a name of the certificate in {setting}")
        if error.verify_code == _EXPIRED:
            return Trouble(cause, "renew the server's certificate")
        if error.verify_code == _NOT_YET_VALID:
            return Trouble(cause, "check the clocks of this machine and of the issuer")
        return Trouble(cause, "name its authority in api.caBundle")
    # Errors that OpenSSL did not raise itself carry no reason.
    reason: str = getattr(error, "reason", None) or "UNKNOWN_REASON"
    cause = f"TLS failed ({reason.replace('_', ' ').lower()})"
    if reason.endswith(_OTHER_VERSION):
        return Trouble(cause, "let the server speak TLS 1.2 or newer")
    if "ALERT" in reason:
        # Servers refuse a missing certificate and a strange one with alerts of many names.
        return Trouble(cause, "the server refused us: check api.clientCertificate and api.clientKey")
    return Trouble(cause, f"check whether {setting} must be http, or has another port")


def _chain(error: BaseException) -> Iterator[BaseException]:
    """An error and everything behind it: the network's own words lie at the bottom of httpx's."""
    link: BaseException | None = error
    while link is not None:
        yield link
        if isinstance(link, BaseExceptionGroup):
            for member in link.exceptions:
                yield from _chain(member)
        link = link.__cause__ or link.__context__


def _explain_protocol_error(error: httpx.RemoteProtocolError, subject: str, setting: str) -> StepError:
    """The end of a step in which `subject` began an answer that cannot be parsed."""
    said = str(error)
    if said.startswith(_NOT_TO_THE_END):
        # A server that stops in the middle of an answer may be back in a moment.
        cause = f"{subject} broke off in the middle of its answer"
        return RetryableError(Nonsense(cause, "check the server's log"))
    if said.startswith(_NO_HTTP_AT_ALL):
        next_step = f"check whether {setting} must be https, or has another port"
        return FinalError(Nonsense(f"{subject} does not speak HTTP", next_step))
    reason = next((plain for part, plain in _PLAIN_WORDS.items() if part in said), None)
    cause = f"{subject} answered in broken HTTP ({reason or _QUOTED_BYTES.sub('', said)})"
    return FinalError(Nonsense(cause, "check the server, and what stands between us and it"))
