"""One request and its whole reply, within limits of time, size and place."""

import asyncio
import ssl
from dataclasses import dataclass
from datetime import UTC, datetime

import httpx

from dittoinfra import __version__
from dittoinfra.dittofs.access import ApiAccess
from dittoinfra.dittofs.direct import DirectTransport
from dittoinfra.dittofs.ending import FinalError, PassingError
from dittoinfra.dittofs.retry import retry_after
from dittoinfra.dittofs.trouble import explain
from dittoinfra.dittofs.tunnel import TunnelTransport
from dittoinfra.dittofs.wording import Hide, cut, line, quote, seconds
from dittoinfra.model import Nonsense, Unreachable

LARGEST_BODY = 1024 * 1024
MOST_REDIRECTS = 3
LONGEST_SHOWN_URL = 120

_HEADERS = {
    "User-Agent": f"dittoinfra/{__version__}",
    "Accept": "application/json",
    "Accept-Encoding": "identity",
}
_REDIRECTS = (301, 302, 303, 307, 308)
_TOO_MANY_REQUESTS = 429


@dataclass(frozen=True, slots=True)
class Reply:
    """A reply that came whole."""

    subject: str
    """The address that was asked, as people see it."""
    status: int
    headers: httpx.Headers
    body: bytes
    certificate_end: datetime | None = None
    """When the certificate that the server showed runs out; None without TLS."""

    @property
    def content_type(self) -> str:
        return str(self.headers.get("content-type", ""))


class Wire:
    """Requests to one API.

    It drives httpx's transport, not its client: no cookies, no environment, no decoding and no redirects
    but those allowed here.
    """

    def __init__(self, access: ApiAccess, hide: Hide) -> None:
        self._access = access
        self._hide = hide
        self._transport = _transport(access)

    async def close(self) -> None:
        await self._transport.aclose()

    async def post(self, path: str, content: bytes, token: str | None = None) -> Reply:
        """A reply to a POST; its body may hold a password, so it goes nowhere else than asked."""
        url = self._url(path)
        headers = {**_HEADERS, "Content-Type": "application/json"}
        if token is not None:
            headers["Authorization"] = f"Bearer {token}"
        reply = await self._exchange(
            self._subject(url), httpx.Request("POST", url, headers=headers, content=content)
        )
        if reply.status in _REDIRECTS:
            raise self._astray(reply)
        return reply

    async def get(self, path: str, token: str) -> Reply:
        """A reply to a GET, through a few redirects inside the same origin."""
        url = self._url(path)
        # People see the address they configured; one that a redirect chose may say anything.
        subject = self._subject(url)
        headers = {**_HEADERS, "Authorization": f"Bearer {token}"}
        for _ in range(MOST_REDIRECTS + 1):
            reply = await self._exchange(subject, httpx.Request("GET", url, headers=headers))
            if reply.status not in _REDIRECTS:
                return reply
            target = _target(url, reply)
            if target is None:
                break
            url = target
        raise self._astray(reply)

    def _url(self, path: str) -> httpx.URL:
        try:
            return httpx.URL(self._access.url + path)
        except httpx.InvalidURL as error:
            raise explain(error, cut(self._access.url, LONGEST_SHOWN_URL), self._access.setting) from None

    async def _exchange(self, subject: str, request: httpx.Request) -> Reply:
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
            raise PassingError(Unreachable(line(cause, "check the server and the way to it"))) from None
        self._raise_if_busy(reply)
        return reply

    async def _send(self, subject: str, request: httpx.Request) -> Reply:
        response = await self._transport.handle_async_request(request)
        try:
            body = await self._body(subject, response)
            return Reply(subject, response.status_code, response.headers, body, _certificate_end(response))
        finally:
            await response.aclose()

    async def _body(self, subject: str, response: httpx.Response) -> bytes:
        encoding = response.headers.get("content-encoding", "identity").strip().lower()
        if encoding not in ("", "identity"):
            cause = f"{subject} answered encoded as {quote(encoding, self._hide)}, which was not asked for"
            raise FinalError(Nonsense(line(cause, "check what stands between us and the server")))
        body = bytearray()
        async for chunk in response.aiter_raw():
            body += chunk
            if len(body) > LARGEST_BODY:
                cause = f"{subject} answered with more than {LARGEST_BODY // 1024} KiB"
                raise FinalError(
                    Nonsense(line(cause, f"check that {self._access.setting} leads to a DittoFS API"))
                )
        return bytes(body)

    def _raise_if_busy(self, reply: Reply) -> None:
        if reply.status != _TOO_MANY_REQUESTS and reply.status < 500:
            return
        cause = f"{reply.subject} answered HTTP {reply.status}"
        asked = retry_after(reply.headers.get("retry-after"), datetime.now(UTC))
        if asked is not None and asked >= self._access.deadline:
            limit = seconds(self._access.deadline)
            cause += f" and asks to be left alone for longer than {limit} (api.deadline)"
            raise FinalError(Unreachable(line(cause, "run again later")))
        next_step = "run again later" if reply.status == _TOO_MANY_REQUESTS else "check the server's log"
        raise PassingError(Unreachable(line(cause, next_step)), asked)

    def _astray(self, reply: Reply) -> FinalError:
        where = quote(reply.headers.get("location", ""), self._hide)
        cause = f"{reply.subject} answered HTTP {reply.status}, a redirect to {where} that is not followed"
        return FinalError(Nonsense(line(cause, f"give the API's own address in {self._access.setting}")))

    def _subject(self, url: httpx.URL) -> str:
        through = f" through {self._access.proxy}" if self._access.proxy else ""
        return cut(f"{url}{through}", LONGEST_SHOWN_URL)


def _certificate_end(response: httpx.Response) -> datetime | None:
    stream = response.extensions.get("network_stream")
    tls = stream.get_extra_info("ssl_object") if stream is not None else None
    shown = tls.getpeercert() if tls is not None else None
    if not shown or "notAfter" not in shown:
        return None
    return datetime.fromtimestamp(ssl.cert_time_to_seconds(shown["notAfter"]), UTC)


def _transport(access: ApiAccess) -> httpx.AsyncBaseTransport:
    if access.tunnel is not None:
        return TunnelTransport(access.tunnel, access.tls)
    return DirectTransport(access.tls, access.proxy, access.proxy_tls)


def _target(url: httpx.URL, reply: Reply) -> httpx.URL | None:
    """Where a redirect leads, unless it leads away."""
    location: str | None = reply.headers.get("location")
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
