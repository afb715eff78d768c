"""Questions to a Kubernetes API from inside an event loop, many at once."""

import asyncio
import re
import ssl
from collections.abc import Mapping
from typing import Any
from urllib.parse import urlencode

import httpx
import websockets
from websockets.asyncio.client import ClientConnection, connect
from websockets.typing import Subprotocol

from dittoinfra.cluster.answers import message_of
from dittoinfra.cluster.credentials import Credentials, load_credentials
from dittoinfra.cluster.errors import (
    ClusterError,
    ForbiddenError,
    NotThereError,
    UnansweredError,
    UnknownUserError,
)
from dittoinfra.cluster.kubeconfig import kubeconfig_source
from dittoinfra.cluster.rules import Rule

TIMEOUT_SECONDS = 10.0
CLOSING_SECONDS = 1.0
LARGEST_FRAME = 1024 * 1024
MOST_WAITING_FRAMES = 4

_CANNOT = re.compile(r'User "(?P<who>[^"]*)" cannot (?P<verb>\w+) resource "(?P<resource>[^"]*)"')


class LiveCluster:
    """One Kubernetes API; belongs to the event loop that asks it first.

    It keeps no connection of its own: whatever was opened for somebody is that somebody's to close.
    """

    def __init__(self, kubeconfig: str | None, context: str | None) -> None:
        self._kubeconfig = kubeconfig
        self._context = context
        self._credentials: asyncio.Task[Credentials] | None = None

    async def get(self, path: str, needed: Rule, namespace: str, **params: str) -> dict[str, Any]:
        """An object, or a list of them, or `ClusterError`; `needed` is what has to be allowed for it."""
        credentials = await self._known()
        response = await _get(credentials, path, params)
        if response.status_code == httpx.codes.UNAUTHORIZED:
            credentials = await self._renewed()
            response = await _get(credentials, path, params)
        if response.is_error:
            raise _refusal(credentials, response, path, needed, namespace)
        try:
            return dict(response.json())
        except ValueError:
            raise UnansweredError(
                f"the Kubernetes API at {credentials.server} answered GET {path} with something else than "
                "JSON; check that the kubeconfig leads to it"
            ) from None

    async def websocket(
        self, path: str, protocol: str, needed: Rule, namespace: str, **params: str
    ) -> ClientConnection:
        """A connection that stays open, or `ClusterError`."""
        credentials = await self._known()
        try:
            return await _websocket(credentials, path, protocol, params)
        except websockets.InvalidStatus as error:
            response = _as_response(error)
            raise _refusal(credentials, response, path, needed, namespace) from None
        except (OSError, websockets.WebSocketException) as error:
            raise _unanswered(credentials, f"GET {path}", error) from None

    async def _known(self) -> Credentials:
        if self._credentials is None:
            source = kubeconfig_source(self._kubeconfig)
            self._credentials = asyncio.create_task(load_credentials(source, self._context))
            # An error that nobody waits for any more is nobody's concern.
            self._credentials.add_done_callback(lambda task: task.cancelled() or task.exception())
        # Shared by all who ask: one whose time is over must not take it away from the others.
        return await asyncio.shield(self._credentials)

    async def _renewed(self) -> Credentials:
        refused = self._credentials
        # Those who were refused together are renewed together.
        if refused is not None and refused.done():
            self._credentials = None
        return await self._known()


async def _get(credentials: Credentials, path: str, params: Mapping[str, str]) -> httpx.Response:
    name = credentials.tls_server_name
    try:
        async with httpx.AsyncClient(
            base_url=credentials.server,
            headers=_authorization(credentials),
            verify=credentials.verify,
            proxy=credentials.proxy,
            timeout=TIMEOUT_SECONDS,
        ) as client:
            return await client.get(path, params=params, extensions={"sni_hostname": name} if name else {})
    except httpx.HTTPError as error:
        raise _unanswered(credentials, f"GET {path}", error) from None


async def _websocket(
    credentials: Credentials, path: str, protocol: str, params: Mapping[str, str]
) -> ClientConnection:
    secure = credentials.server.startswith("https")
    server = credentials.server.removeprefix("https").removeprefix("http")
    tls: dict[str, Any] = {"ssl": _context(credentials)} if secure else {}
    if secure and credentials.tls_server_name:
        tls["server_hostname"] = credentials.tls_server_name
    return await connect(
        f"{'wss' if secure else 'ws'}{server.rstrip('/')}{path}?{urlencode(params)}",
        subprotocols=[Subprotocol(protocol)],
        additional_headers=_authorization(credentials),
        compression=None,
        proxy=credentials.proxy or True,
        open_timeout=TIMEOUT_SECONDS,
        ping_interval=None,
        close_timeout=CLOSING_SECONDS,
        max_size=LARGEST_FRAME,
        max_queue=MOST_WAITING_FRAMES,
        **tls,
    )


def _as_response(error: websockets.InvalidStatus) -> httpx.Response:
    return httpx.Response(error.response.status_code, content=bytes(error.response.body))


def _authorization(credentials: Credentials) -> dict[str, str]:
    return {"Authorization": f"Bearer {credentials.token}"} if credentials.token else {}


def _context(credentials: Credentials) -> ssl.SSLContext:
    if isinstance(credentials.verify, ssl.SSLContext):
        return credentials.verify
    return ssl.create_default_context()


def _refusal(
    credentials: Credentials, response: httpx.Response, path: str, needed: Rule, namespace: str
) -> ClusterError:
    server = credentials.server
    match response.status_code:
        case httpx.codes.FORBIDDEN:
            # The API's own words name what it missed: behind one request there may be more than one question.
            said = _CANNOT.search(message_of(response))
            who = f"user {said['who']}" if said else "the user of the kubeconfig"
            rule = Rule(said["verb"], said["resource"], needed.name, needed.group) if said else needed
            return ForbiddenError(rule, namespace, who)
        case httpx.codes.UNAUTHORIZED:
            return UnknownUserError(
                f"the Kubernetes API at {server} does not know the credentials of the kubeconfig; renew them"
            )
        case httpx.codes.NOT_FOUND:
            return NotThereError(f"the Kubernetes API at {server} has no {path}")
        case status:
            cause = (
                f"the Kubernetes API at {server} answered GET {path} with {status}: {message_of(response)}"
            )
            return UnansweredError(f"{cause}; run again later")


def _unanswered(credentials: Credentials, what: str, error: Exception) -> UnansweredError:
    cause = " ".join(str(error).split()) or type(error).__name__
    return UnansweredError(
        f"no answer from the Kubernetes API at {credentials.server} to {what}: {cause}; "
        "check that the cluster of this kubeconfig can be reached"
    )
