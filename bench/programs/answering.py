"""Many servers in one process that know a login and a list of adapters, and nothing else of DittoFS.

`python -m bench.programs.answering COUNT LATENCY [TYPES]` prints the ports as JSON. A line on its standard
input, `counted` or `forget`, is answered with what was counted since it was last told to forget; after
`serve 7 3`, which is answered likewise, the server with that number has so many adapters, and after `mute 7`
it takes requests and never answers them.

The simulator of this project runs a thread for each server; a thousand of those would be what is measured.
"""

import asyncio
import json
import resource
import sys
import time
from functools import partial
from typing import Final

FIRST_PORT: Final = 12049
LOGIN: Final = b"POST /api/v1/auth/login "
PORTS: Final = b"GET /api/v1/adapters/ports "


class Counted:
    """What was seen on the wire."""

    def __init__(self) -> None:
        self.open = 0
        self.forget()

    def forget(self) -> None:
        """Count anew; connections that are open stay counted."""
        self.most_open = self.open
        self.connections = 0
        self.requests = 0
        self.first_request: float | None = None
        self.unanswered = 0

    def line(self) -> str:
        """Everything, as JSON."""
        return json.dumps(
            {
                "open": self.open,
                "most_open": self.most_open,
                "connections": self.connections,
                "requests": self.requests,
                "first_request": self.first_request,
                "unanswered": self.unanswered,
            }
        )


class Conversation(asyncio.Protocol):
    """One connection: requests one after the other, each answered after the latency."""

    def __init__(self, counted: Counted, latency: float, lists: list[bytes | None], number: int) -> None:
        self._counted = counted
        self._latency = latency
        self._lists = lists
        self._number = number
        self._heard = b""
        self._transport: asyncio.Transport | None = None

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        assert isinstance(transport, asyncio.Transport)  # noqa: S101 - it is a TCP server's
        self._transport = transport
        self._counted.open += 1
        self._counted.connections += 1
        self._counted.most_open = max(self._counted.most_open, self._counted.open)

    def connection_lost(self, exc: Exception | None) -> None:
        del exc
        self._counted.open -= 1

    def data_received(self, data: bytes) -> None:
        self._heard += data
        head, blank, body = self._heard.partition(b"\r\n\r\n")
        if not blank or len(body) < _length(head):
            return
        self._heard = b""
        self._counted.requests += 1
        if self._counted.first_request is None:
            self._counted.first_request = time.monotonic()
        asyncio.get_running_loop().call_later(self._latency, self._answer, head)

    def _answer(self, head: bytes) -> None:
        if self._transport is None or self._transport.is_closing():
            return
        adapters = self._lists[self._number]
        if adapters is None:
            self._counted.unanswered += 1
        elif head.startswith(LOGIN):
            self._transport.write(_reply(b"200 OK", TOKENS))
        elif head.startswith(PORTS):
            self._transport.write(_reply(b"200 OK", adapters))
        else:
            self._transport.write(_reply(b"404 Not Found", b"{}"))


TOKENS: Final = json.dumps(
    {
        "access_token": "a.token.of-nobody",
        "refresh_token": "another.token.of-nobody",
        "token_type": "Bearer",
        "expires_in": 86400,
        "user": {"must_change_password": False},
    }
).encode()


def listed(types: int) -> bytes:
    """An answer with so many running adapters."""
    names = ["nfs", "smb", *(f"proto{number}" for number in range(2, types))][:types]
    return json.dumps(
        [
            {"type": name, "port": FIRST_PORT + index, "enabled": True, "running": True}
            for index, name in enumerate(names)
        ]
    ).encode()


def _length(head: bytes) -> int:
    for line in head.split(b"\r\n")[1:]:
        name, _, value = line.partition(b":")
        if name.lower() == b"content-length":
            return int(value)
    return 0


def _reply(status: bytes, body: bytes) -> bytes:
    return (
        b"HTTP/1.1 " + status + b"\r\nContent-Type: application/json\r\nContent-Length: "
        b"%d\r\n\r\n" % len(body) + body
    )


async def serve(count: int, latency: float, types: int) -> None:
    """Serve until the standard input ends."""
    _, most = resource.getrlimit(resource.RLIMIT_NOFILE)
    resource.setrlimit(resource.RLIMIT_NOFILE, (most, most))
    loop = asyncio.get_running_loop()
    counted = Counted()
    lists: list[bytes | None] = [listed(types)] * count
    servers = [
        await loop.create_server(
            partial(Conversation, counted, latency, lists, number), "127.0.0.1", 0, backlog=16
        )
        for number in range(count)
    ]
    _say(json.dumps([server.sockets[0].getsockname()[1] for server in servers]))
    orders = asyncio.StreamReader()
    await loop.connect_read_pipe(lambda: asyncio.StreamReaderProtocol(orders), sys.stdin)
    while order := (await orders.readline()).strip():
        _say(counted.line())
        if order == b"forget":
            counted.forget()
        elif order.startswith(b"serve "):
            number, adapters = map(int, order.split()[1:])
            lists[number] = listed(adapters)
        elif order.startswith(b"mute "):
            lists[int(order.split()[1])] = None


def _say(line: str) -> None:
    sys.stdout.write(line + "\n")
    sys.stdout.flush()


if __name__ == "__main__":
    asyncio.run(serve(int(sys.argv[1]), float(sys.argv[2]), int((*sys.argv[3:], "2")[0])))
