"""NFS clients that never read their replies, for which a stopping adapter waits."""

import socket
import struct
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Final

_STUCK_SECONDS: Final = 2.0
"""Without a byte taken for so long, the server is waiting for its client."""

_MOST_CALLS: Final = 10_000

_CALL, _RPC_VERSION = 0, 2
_NFS, _NFS_VERSION, _COMPOUND = 100003, 4, 1
_NO_AUTH = (0, 0)
_LAST_FRAGMENT: Final = 1 << 31


@contextmanager
def deaf_client(port: int) -> Iterator[None]:
    """A client that lets all buffers fill up; the server tries to write to it for half a minute."""
    with socket.socket() as connection:
        connection.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 4096)
        connection.connect(("127.0.0.1", port))
        connection.settimeout(_STUCK_SECONDS)
        _talk_until_stuck(connection)
        yield


def _talk_until_stuck(connection: socket.socket) -> None:
    call = _echo(b"x" * 65536)
    for _ in range(_MOST_CALLS):
        try:
            connection.sendall(call)
        except TimeoutError:
            return
    raise AssertionError(f"the server took {_MOST_CALLS} calls whose replies were not read")


def _echo(tag: bytes) -> bytes:
    """A call that does nothing and whose reply is as long as the call: servers repeat a COMPOUND's tag."""
    header = struct.pack(">10I", 1, _CALL, _RPC_VERSION, _NFS, _NFS_VERSION, _COMPOUND, *_NO_AUTH, *_NO_AUTH)
    minor_version, operations = 0, 0
    body = struct.pack(">I", len(tag)) + tag + struct.pack(">2I", minor_version, operations)
    return struct.pack(">I", _LAST_FRAGMENT | len(header + body)) + header + body
