"""Calls of ONC RPC (RFC 5531), and what is said in reply. Pure.

Our own few lines: every argument here is a number, and the libraries for it are whole NFS clients, or are no
longer maintained.
"""

import struct
from dataclasses import dataclass

PORTMAPPER, PORTMAPPER_VERSION, GETPORT = 100000, 2, 3
NFS, NFS_VERSIONS = 100003, (3, 4)
MOUNT, MOUNT_VERSIONS = 100005, (3,)
NULL = 0
TCP = 6
"""The number of that protocol, as the portmapper is asked for it."""

_XID = int.from_bytes(b"\r\n\r\n")
"""Any number will do. With this one a server that reads lines, such as HTTP, answers instead of waiting."""

_CALL, _REPLY, _RPC_VERSION = 0, 1, 2
_NO_AUTH = (0, 0)
_LAST_FRAGMENT = 1 << 31
_LONGEST_REPLY = 1024
"""Bytes: replies to these calls have at most 36, and up to 400 more where a server adds a verifier."""

_REFUSED = {
    1: "does not serve this program",
    3: "does not know this procedure",
    4: "cannot decode the call",
    5: "has an error of its own",
}


@dataclass(frozen=True, slots=True)
class Result:
    """The call was carried out."""

    content: bytes


@dataclass(frozen=True, slots=True)
class OtherVersions:
    """The server serves the program, but only in these versions."""

    lowest: int
    highest: int


@dataclass(frozen=True, slots=True)
class CallRefused:
    """The server understood the call, and did not carry it out."""

    why: str


Reply = Result | OtherVersions | CallRefused


def call(program: int, version: int, procedure: int = NULL, *arguments: int) -> bytes:
    """A call as one datagram."""
    header = (_XID, _CALL, _RPC_VERSION, program, version, procedure, *_NO_AUTH, *_NO_AUTH)
    return struct.pack(f">{len(header) + len(arguments)}I", *header, *arguments)


def as_record(message: bytes) -> bytes:
    """A message as one record of a stream, which marks its length."""
    return struct.pack(">I", _LAST_FRAGMENT | len(message)) + message


def record_length(mark: bytes) -> int | None:
    """The length of the reply that follows these four bytes; None where they begin something else."""
    (value,) = struct.unpack(">I", mark)
    length = int(value) - _LAST_FRAGMENT
    return length if 0 < length <= _LONGEST_REPLY else None


def read_reply(message: bytes) -> Reply | None:
    """The reply to a call; None where it is something else."""
    try:
        xid, kind, status = struct.unpack_from(">3I", message)
        if (xid, kind) != (_XID, _REPLY):
            return None
        if status:
            return CallRefused("refuses calls without a login")
        (verifier_length,) = struct.unpack_from(">I", message, 16)
        place = 20 + (verifier_length + 3) // 4 * 4
        (accepted,) = struct.unpack_from(">I", message, place)
        if accepted == 2:
            return OtherVersions(*struct.unpack_from(">2I", message, place + 4))
        if accepted:
            return CallRefused(_REFUSED.get(accepted, f"answers with status {accepted}"))
    except struct.error:
        return None
    return Result(message[place + 4 :])


def port_in(content: bytes) -> int | None:
    """The port that a portmapper names; 0 where it knows none, None where the result is no number."""
    return int.from_bytes(content) if len(content) == 4 else None
