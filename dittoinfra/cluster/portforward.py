"""A port of a Pod as a stream of bytes, through the Kubernetes API."""

import contextlib
from collections.abc import Iterator
from urllib.parse import quote

import anyio
import websockets
from anyio.abc import ByteStream
from websockets.asyncio.client import ClientConnection

from dittoinfra.cluster.errors import UnansweredError
from dittoinfra.cluster.live import LiveCluster
from dittoinfra.cluster.rules import Rule

PROTOCOL = "v4.channel.k8s.io"
"""Every message is of one channel, named by its first byte; the first message of each repeats the port."""

_DATA, _ERROR = 0, 1


def forward_rules(pod: str | None) -> Iterator[Rule]:
    """What a port-forward takes."""
    # A WebSocket begins as a GET; from Kubernetes 1.35 on the right to create is asked for as well.
    for verb in ("create", "get"):
        yield Rule(verb, "pods/portforward", pod)


async def open_port(cluster: LiveCluster, namespace: str, pod: str, port: int) -> ByteStream:
    """A connection to a port of a running Pod, or `ClusterError`."""
    websocket = await cluster.websocket(
        f"/api/v1/namespaces/{quote(namespace, safe='')}/pods/{quote(pod, safe='')}/portforward",
        PROTOCOL,
        Rule("create", "pods/portforward", pod),
        namespace,
        ports=str(port),
    )
    if websocket.subprotocol != PROTOCOL:
        await websocket.close()
        raise UnansweredError(
            f"the Kubernetes API does not forward ports as {PROTOCOL}; check what stands in front of it"
        )
    return PodPort(websocket, pod, port)


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
        """The protocol has no word for half an end."""
        raise NotImplementedError

    async def aclose(self) -> None:
        try:
            await self._websocket.close()
        finally:
            # Whoever gives up on the goodbye leaves no connection behind.
            self._websocket.transport.abort()

    async def _next(self) -> bytes:
        try:
            message = await self._websocket.recv(decode=False)
        except websockets.ConnectionClosed:
            if self._answered:
                raise anyio.EndOfStream from None
            # A connection that is reset takes along what had not been read: even the Pod's own words.
            raise anyio.BrokenResourceError(f"{self._where} closed the connection") from None
        channel, content = message[0] if message else -1, message[1:]
        if channel not in self._begun:
            self._begun.add(channel)
            return b""
        if channel == _ERROR:
            said = " ".join(content.decode(errors="replace").split())
            raise anyio.BrokenResourceError(f"{self._where} does not answer ({said})")
        self._answered = True
        return content
