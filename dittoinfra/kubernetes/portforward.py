"""A port of a Pod as a stream of bytes, through the Kubernetes API."""

import contextlib
import ssl
from collections.abc import Iterable, Iterator, Mapping
from typing import Any
from urllib.parse import urlencode

import anyio
import httpx
import websockets
from anyio.abc import ByteStream
from websockets.asyncio.client import ClientConnection, connect
from websockets.typing import Subprotocol

from dittoinfra.kubernetes.cluster_client import POLL_TIMEOUT, Cluster, api_path
from dittoinfra.kubernetes.cluster_errors import (
    NotReadyError,
    NotThereError,
    UnansweredError,
    denial,
    unanswered,
)
from dittoinfra.kubernetes.credentials import Credentials
from dittoinfra.kubernetes.rbac import Rule
from dittoinfra.object_model import SERVICE_NAME_LABEL, endpoint_is_ready
from dittoinfra.visible import one_line

PROTOCOL = Subprotocol("v4.channel.k8s.io")
"""Every message is of one channel, named by its first byte; the first message of each repeats the port."""

CLOSE_TIMEOUT = 1.0
"""Seconds for the close handshake."""
LARGEST_FRAME = 1024 * 1024
MOST_WAITING_FRAMES = 4
MOST_SLICES = 20
"""Of a Service with more than a thousand Pods any twenty slices will do."""

_DATA, _ERROR = 0, 1

_LONGEST_REASON = 200
"""Characters of what a node says about a Pod's port: enough for any error of its own."""


class PortUnansweredError(anyio.BrokenResourceError):
    """The node could not connect to the port of the Pod; `said` are its words."""

    def __init__(self, where: str, said: str) -> None:
        super().__init__(f"{where} does not answer ({said})")
        self.said = said


def pod_rule(name: str) -> Rule:
    """What `running_pod` has to be allowed."""
    return Rule("get", "pods", name)


def slices_rule() -> Rule:
    """What `service_slices`, and asking whether a Service has a ready endpoint, have to be allowed."""
    return Rule("list", "endpointslices", group="discovery.k8s.io")


def forward_rules(pod: str | None) -> Iterator[Rule]:
    """What `open_port` has to be allowed."""
    # A WebSocket begins as a GET; from Kubernetes 1.35 on the right to create is asked for as well.
    for verb in ("create", "get"):
        yield Rule(verb, "pods/portforward", pod)


async def running_pod(cluster: Cluster, namespace: str, name: str) -> str:
    """The name of a Pod that can be connected to, or `ClusterError`."""
    try:
        pod = await cluster.get_async(api_path("v1", "pods", namespace, name), pod_rule(name), namespace)
    except NotThereError:
        raise NotThereError(
            f"there is no Pod {name} in namespace {namespace}",
            "deploy the server, or name its Pod in api.portForward.target",
        ) from None
    if reason := _not_running(pod):
        raise NotReadyError(f"Pod {name} in namespace {namespace} {reason}", "run again when it runs")
    return name


async def service_slices(cluster: Cluster, namespace: str, service: str) -> list[dict[str, Any]]:
    """The EndpointSlices of a Service, or `ClusterError`."""
    found = await cluster.get_async(
        api_path("discovery.k8s.io/v1", "endpointslices", namespace),
        slices_rule(),
        namespace,
        labelSelector=f"{SERVICE_NAME_LABEL}={service}",
        limit=str(MOST_SLICES),
    )
    return list(found.get("items") or [])


async def pod_behind(cluster: Cluster, namespace: str, service: str) -> str:
    """The name of a ready Pod behind a Service, always the same of several, or `ClusterError`."""
    slices = await service_slices(cluster, namespace, service)
    if not slices:
        raise NotThereError(
            f"there is no Service {service} with Pods in namespace {namespace}",
            "check api.portForward.target",
        )
    ready = sorted(_ready_pods(slices))
    if not ready:
        raise NotReadyError(
            f"no Pod behind Service {service} in namespace {namespace} is ready", "run again when one is"
        )
    return ready[0]


async def open_port(cluster: Cluster, namespace: str, pod: str, port: int) -> ByteStream:
    """A connection to a port of a running Pod, or `ClusterError`."""
    path = f"{api_path('v1', 'pods', namespace, pod)}/portforward"
    credentials = await cluster.credentials_async()
    try:
        websocket = await _open_websocket(credentials, f"{path}?{urlencode({'ports': port})}")
    except websockets.InvalidStatus as error:
        response = httpx.Response(error.response.status_code, content=bytes(error.response.body))
        needed = Rule("create", "pods/portforward", pod)
        raise denial(credentials.server, response, path, needed, namespace) from None
    except (OSError, websockets.WebSocketException) as error:
        raise unanswered(credentials.server, f"GET {path}", error) from None
    if websocket.subprotocol != PROTOCOL:
        await websocket.close()
        raise UnansweredError(
            f"the Kubernetes API does not forward ports as {PROTOCOL}", "check what stands in front of it"
        )
    return PodPort(websocket, pod, port)


async def _open_websocket(credentials: Credentials, path: str) -> ClientConnection:
    secure = credentials.server.startswith("https")
    server = credentials.server.removeprefix("https").removeprefix("http").rstrip("/")
    tls: dict[str, Any] = {}
    if secure:
        verify = credentials.verify
        tls["ssl"] = verify if isinstance(verify, ssl.SSLContext) else ssl.create_default_context()
        if credentials.tls_server_name:
            tls["server_hostname"] = credentials.tls_server_name
    return await connect(
        f"{'wss' if secure else 'ws'}{server}{path}",
        subprotocols=[PROTOCOL],
        additional_headers=credentials.headers,
        compression=None,
        proxy=credentials.proxy or True,
        open_timeout=POLL_TIMEOUT,
        ping_interval=None,
        close_timeout=CLOSE_TIMEOUT,
        max_size=LARGEST_FRAME,
        max_queue=MOST_WAITING_FRAMES,
        **tls,
    )


class PodPort(ByteStream):
    """One connection; may be closed by another task than opened it."""

    def __init__(self, websocket: ClientConnection, pod: str, port: int) -> None:
        self._websocket = websocket
        self._where = f"port {port} of Pod {pod}"
        self._begun: set[int] = set()
        self._answered = False
        self._rest = b""

    async def receive(self, max_bytes: int = 65536) -> bytes:
        while not self._rest:
            self._rest = await self._next()
        taken, self._rest = self._rest[:max_bytes], self._rest[max_bytes:]
        return taken

    async def send(self, item: bytes) -> None:
        try:
            await self._websocket.send(bytes((_DATA,)) + item)
        except websockets.ConnectionClosed:
            # What has arrived before the end may say why it came.
            with contextlib.suppress(anyio.EndOfStream):
                while True:
                    await self._next()
            raise anyio.BrokenResourceError(f"{self._where} closed the connection") from None

    async def send_eof(self) -> None:
        """Not possible: the protocol cannot close one direction only."""
        raise NotImplementedError

    async def aclose(self) -> None:
        try:
            await self._websocket.close()
        finally:
            # A task that is cancelled during the close handshake leaves no connection behind.
            self._websocket.transport.abort()

    async def _next(self) -> bytes:
        try:
            message = await self._websocket.recv(decode=False)
        except websockets.ConnectionClosed:
            if self._answered:
                raise anyio.EndOfStream from None
            # A reset connection loses what had not been read, even an error message of the Pod.
            raise anyio.BrokenResourceError(f"{self._where} closed the connection") from None
        channel, content = message[0] if message else -1, message[1:]
        if channel not in self._begun:
            self._begun.add(channel)
            return b""
        if channel == _ERROR:
            said = one_line(content.decode(errors="replace"), _LONGEST_REASON)
            raise PortUnansweredError(self._where, said)
        self._answered = True
        return content


def _ready_pods(slices: Iterable[Mapping[str, Any]]) -> Iterator[str]:
    for endpoint in (endpoint for part in slices for endpoint in part.get("endpoints") or []):
        target = endpoint.get("targetRef") or {}
        if target.get("kind") == "Pod" and endpoint_is_ready(endpoint):
            yield str(target["name"])


def _not_running(pod: Mapping[str, Any]) -> str:
    """Why a Pod cannot be connected to, in the cluster's words; empty when it can."""
    status = pod.get("status") or {}
    if pod.get("metadata", {}).get("deletionTimestamp"):
        return "is being deleted"
    phase = status.get("phase", "Unknown")
    if phase == "Running":
        return ""
    waiting = [(c.get("state") or {}).get("waiting") or {} for c in status.get("containerStatuses") or []]
    reasons = [str(state["reason"]) for state in waiting if state.get("reason")]
    reasons += [
        str(condition.get("message") or condition.get("reason") or "not scheduled")
        for condition in status.get("conditions") or []
        if condition.get("type") == "PodScheduled" and condition.get("status") == "False"
    ]
    return f"is {phase} ({one_line(reasons[0])})" if reasons else f"is {phase}"
