"""One request and its whole reply, within limits of time, size and place."""

import asyncio
import json
import math
import re
import ssl
from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import UTC, datetime
from email.utils import parsedate_to_datetime
from functools import cached_property

import httpx

from dittoinfra import __version__
from dittoinfra.dittofs.api_access import LONGEST_SHOWN_URL, ApiAccess
from dittoinfra.dittofs.http_connection import HttpConnection
from dittoinfra.dittofs.parse import InvalidAnswerError, read_json
from dittoinfra.dittofs.plain_reply import Headers
from dittoinfra.dittofs.poll_errors import FinalError, RetryableError, explain
from dittoinfra.dittofs.proxied_connection import ProxiedConnection
from dittoinfra.dittofs.text import Hide, cut, quote, seconds
from dittoinfra.dittofs.transport import Connection, Head, HttpRequest
from dittoinfra.model import Nonsense, Unreachable

LARGEST_BODY = 1024 * 1024
MOST_REDIRECTS = 3

_HEADERS = {
    "User-Agent": f"dittoinfra/{__version__}",
    "Accept": "application/json",
    "Accept-Encoding": "identity",
}
_NEW_PASSWORD = re.compile(
    r"must (set|change) .*password|password (must be changed|change (is )?required)", re.IGNORECASE
)
_LONGEST_DELAY_DIGITS = 9
_REDIRECTS = (301, 302, 303, 307, 308)
_TOO_MANY_REQUESTS = 429


@dataclass(frozen=True, slots=True)
class Reply:
    """A reply that came whole."""

    subject: str
    """The address that was asked, as people see it."""
    status: int
    headers: Headers
    body: bytes
    tls: ssl.SSLObject | None = field(default=None, repr=False)
    """The encryption that it came through; None without TLS."""

    @property
    def content_type(self) -> str:
        return self.header("content-type") or ""

    def header(self, name: str) -> str | None:
        """The value of a header, its name in lower case; several of one name as a list."""
        return header(self.headers, name)

    @property
    def certificate_end(self) -> datetime | None:
        """When the certificate that the server showed expires; None without TLS."""
        shown = self.tls.getpeercert() if self.tls is not None else None
        if not shown or "notAfter" not in shown:
            return None
        return datetime.fromtimestamp(ssl.cert_time_to_seconds(str(shown["notAfter"])), UTC)

    @property
    def wants_new_password(self) -> bool:
        """Whether the server refuses everything until the user's password is changed."""
        return self.status == 403 and _NEW_PASSWORD.search(self._text()) is not None

    def refusal(self, hide: Hide) -> str:
        """What was refused, and where, with the server's own reason where it gave one."""
        text = self._text().strip()
        said = f" {quote(text, hide)}" if text else ""
        return f"{self.subject} answered HTTP {self.status}{said}"

    def _text(self) -> str:
        # DittoFS's handlers answer problem+json, its middleware plain text.
        try:
            match read_json(self.body):
                case {"detail": str(detail)}:
                    return detail
        except InvalidAnswerError:
            pass
        return self.body.decode("utf-8", "replace")


class HttpApi:
    """Requests to one API: no cookies, no environment, no decoding, no redirects but those allowed here."""

    def __init__(self, access: ApiAccess, hide: Hide) -> None:
        self._access = access
        self._hide = hide
        self._connection: Connection = (
            HttpConnection(access.tls, access.tunnel)
            if access.proxy is None
            else ProxiedConnection(access.tls, access.proxy, access.proxy_tls)
        )

    async def close(self) -> None:
        await self._connection.aclose()

    async def post(
        self, path: str, payload: Mapping[str, object], token: str | None = None, method: str = "POST"
    ) -> Reply:
        """A reply to a POST or PATCH; its body may hold a password, so it goes nowhere else than asked."""
        # ASCII escapes carry every string, even one of undecodable bytes from the environment.
        content = json.dumps(dict(payload)).encode("ascii")
        headers = {**_HEADERS, "Content-Type": "application/json"}
        if token is not None:
            headers["Authorization"] = f"Bearer {token}"
        request = HttpRequest(method, self._base, self._target(path), headers, content)
        reply = await self._exchange(self._subject(path), request)
        if reply.status in _REDIRECTS:
            raise self._not_followed(reply)
        return reply

    async def get(self, path: str, token: str | None = None) -> Reply:
        """A reply to a GET, through a few redirects inside the same origin."""
        target = self._target(path)
        # People see the address they configured; one that a redirect chose may say anything.
        subject = self._subject(path)
        headers = {**_HEADERS, "Authorization": f"Bearer {token}"} if token is not None else _HEADERS
        for _ in range(MOST_REDIRECTS + 1):
            reply = await self._exchange(subject, HttpRequest("GET", self._base, target, headers))
            if reply.status not in _REDIRECTS:
                return reply
            followed = _followed(self._base.copy_with(raw_path=target), reply)
            if followed is None:
                break
            target = followed.raw_path
        raise self._not_followed(reply)

    @cached_property
    def _base(self) -> httpx.URL:
        """The API's address, parsed once: that takes as long as a request."""
        try:
            return httpx.URL(self._access.url)
        except httpx.InvalidURL as error:
            raise explain(error, self._access.shown_url, self._access.setting) from None

    def _target(self, path: str) -> bytes:
        return self._base.raw_path.rstrip(b"/") + path.encode("ascii")

    async def _exchange(self, subject: str, request: HttpRequest) -> Reply:
        whole = self._access.request_timeout
        # Where the deadline comes first anyway, a second alarm at the same moment would only race it.
        limit = whole if whole < self._access.deadline else None
        try:
            async with asyncio.timeout(limit) as alarm:
                reply = await self._send(subject, request)
        # OSError is TLS's and the alarm's error too.
        except (httpx.HTTPError, httpx.InvalidURL, OSError, UnicodeError) as error:
            if not alarm.expired():
                raise explain(error, subject, self._access.setting) from error
            cause = f"{subject} gave no whole answer within {seconds(whole)} (api.requestTimeout)"
            raise RetryableError(Unreachable(cause, "check the server and the way to it")) from None
        self._raise_if_busy(reply)
        return reply

    async def _send(self, subject: str, request: HttpRequest) -> Reply:
        whole = False
        try:
            head = await self._connection.send(request)
            self._refuse_encoded(subject, head)
            body = await self._connection.body(LARGEST_BODY)
            whole = body is not None
        finally:
            if not whole:
                # Whatever is still to come would pass for the beginning of the next reply.
                await self._connection.aclose()
        if body is None:
            cause = f"{subject} answered with more than {LARGEST_BODY // 1024} KiB"
            raise FinalError(Nonsense(cause, self._access.check_setting))
        return Reply(subject, head.status, head.headers, body, head.tls)

    def _refuse_encoded(self, subject: str, head: Head) -> None:
        encoding = (header(head.headers, "content-encoding") or "identity").strip().lower()
        if encoding not in ("", "identity"):
            cause = f"{subject} answered encoded as {quote(encoding, self._hide)}, which was not asked for"
            raise FinalError(Nonsense(cause, "check what stands between us and the server"))

    def _raise_if_busy(self, reply: Reply) -> None:
        if reply.status != _TOO_MANY_REQUESTS and reply.status < 500:
            return
        cause = f"{reply.subject} answered HTTP {reply.status}"
        asked = retry_after(reply.header("retry-after"), datetime.now(UTC))
        if asked is not None and asked >= self._access.deadline:
            limit = seconds(self._access.deadline)
            cause += f" and asks to retry after more than {limit} (api.deadline)"
            raise FinalError(Unreachable(cause, "run again later"))
        next_step = "run again later" if reply.status == _TOO_MANY_REQUESTS else "check the server's log"
        raise RetryableError(Unreachable(cause, next_step), asked)

    def _not_followed(self, reply: Reply) -> FinalError:
        where = quote(reply.header("location") or "", self._hide)
        cause = f"{reply.subject} answered HTTP {reply.status}, a redirect to {where} that is not followed"
        return FinalError(Nonsense(cause, f"give the API's own address in {self._access.setting}"))

    def _subject(self, path: str) -> str:
        through = f" through {self._access.proxy}" if self._access.proxy else ""
        return cut(f"{str(self._base).rstrip('/')}{path}{through}", LONGEST_SHOWN_URL)


def header(headers: Headers, name: str) -> str | None:
    """The value of a header, its name in lower case; several of one name as a list."""
    sought = name.encode("ascii")
    values = [value for key, value in headers if key == sought]
    if not values:
        return None
    text = b", ".join(values)
    try:
        return text.decode("utf-8")
    except UnicodeDecodeError:
        return text.decode("iso-8859-1")


def retry_after(header: str | None, now: datetime) -> float | None:
    """Seconds that `Retry-After` asks for: never negative, endless when absurd, None when it says nothing."""
    if header is None:
        return None
    text = header.strip()
    if text.isascii() and text.isdigit():
        # int() of a million digits is an attack; so many seconds are longer than any deadline anyway.
        return float(text) if len(text) <= _LONGEST_DELAY_DIGITS else math.inf
    try:
        moment = parsedate_to_datetime(text)
    except (ValueError, OverflowError):
        return None
    if moment.tzinfo is None:
        moment = moment.replace(tzinfo=UTC)
    return max(0.0, (moment - now).total_seconds())


def _followed(url: httpx.URL, reply: Reply) -> httpx.URL | None:
    """Where a redirect leads, unless it leads away."""
    location = reply.header("location")
    if location is None:
        return None
    try:
        target = url.join(location)
    except (httpx.InvalidURL, ValueError):
        return None
    # User information in an address would become credentials of its own.
    return target if _origin(target) == _origin(url) and not target.userinfo else None


def _origin(url: httpx.URL) -> tuple[str, str, int | None]:
    return url.scheme, url.host, url.port
