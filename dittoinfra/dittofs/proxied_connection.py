"""HTTP through a proxy, which is left to httpx: it is rare, and there is more than one way to ask for it."""

import ssl

import httpx

from dittoinfra.dittofs.tls import untrusting_context
from dittoinfra.dittofs.transport import Head, HttpRequest


class ProxiedConnection:
    """httpx's transport, not its client: no cookies, no environment, no decoding and no redirects."""

    def __init__(self, tls: ssl.SSLContext | None, proxy: str, proxy_tls: ssl.SSLContext | None) -> None:
        self._transport = httpx.AsyncHTTPTransport(
            verify=tls or untrusting_context(), proxy=httpx.Proxy(proxy, ssl_context=proxy_tls)
        )
        self._response: httpx.Response | None = None

    async def send(self, request: HttpRequest) -> Head:
        """The beginning of the reply to a request."""
        await self._give_up()
        response = self._response = await self._transport.handle_async_request(
            httpx.Request(
                request.method,
                request.base.copy_with(raw_path=request.target),
                headers=dict(request.headers),
                content=request.content,
            )
        )
        stream = response.extensions.get("network_stream")
        tls = stream.get_extra_info("ssl_object") if stream is not None else None
        headers = tuple((name.lower(), value) for name, value in response.headers.raw)
        return Head(response.status_code, headers, tls)

    async def body(self, most: int) -> bytes | None:
        """The rest of that reply; None where it is longer than `most`."""
        if self._response is None:
            raise RuntimeError("there is no reply to read")
        body = bytearray()
        async for chunk in self._response.aiter_raw():
            body += chunk
            if len(body) > most:
                return None
        await self._give_up()
        return bytes(body)

    async def aclose(self) -> None:
        """Close everything; a further request opens another connection."""
        await self._give_up()
        await self._transport.aclose()

    async def _give_up(self) -> None:
        """Give the connection back, or close it where a reply was not read to its end."""
        if self._response is not None:
            await self._response.aclose()
            self._response = None
