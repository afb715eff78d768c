"""The first message of SMB 2 and 3, and the answer to it (MS-SMB2, 2.2.3 and 2.2.4). Pure.

One message before any login is all that is needed, and it travels through a port-forward as well as through
a socket. `smbprotocol`, the library for it, opens sockets of its own, one thread for each, and brings SPNEGO
along for the login that is never made.
"""

import struct
from dataclasses import dataclass

DIALECTS = {0x0202: "2.0.2", 0x0210: "2.1", 0x0300: "3.0", 0x0302: "3.0.2", 0x0311: "3.1.1"}

_HEADER = struct.Struct("<4sHHIHHIIQIIQ16s")
_PROTOCOL, _OLD_PROTOCOL = b"\xfeSMB", b"\xffSMB"
_NEGOTIATE, _ANSWER_FLAG = 0, 1
_SIGNING_ENABLED = 1
_LONGEST_ANSWER = 65536
"""Bytes: it carries a security token of no fixed length."""

_CLIENT = b"\r\n\r\ndittoinfra\r\n"
"""16 bytes of our choice: with these a server that reads lines, such as HTTP, answers instead of waiting."""


@dataclass(frozen=True, slots=True)
class Negotiated:
    """The server chose a dialect."""

    dialect: str


@dataclass(frozen=True, slots=True)
class NotNegotiated:
    """The server speaks SMB, and accepts none of the dialects."""

    why: str


def negotiate() -> bytes:
    """The request, with the length that a stream needs in front."""
    header = _HEADER.pack(_PROTOCOL, 64, 0, 0, _NEGOTIATE, 1, 0, 0, 0, 0, 0, 0, bytes(16))
    dialects = struct.pack(f"<{len(DIALECTS)}H", *DIALECTS)
    fixed = 64 + 36 + len(dialects)
    # Dialect 3.1.1 needs to know how its handshake is protected: by SHA-512, with a salt of 32 bytes.
    contexts_at = (fixed + 7) // 8 * 8
    context = struct.pack("<HHIHHH", 1, 38, 0, 1, 32, 1) + bytes(32)
    body = struct.pack("<HHHHI16sIHH", 36, len(DIALECTS), _SIGNING_ENABLED, 0, 0, _CLIENT, contexts_at, 1, 0)
    message = header + body + dialects + bytes(contexts_at - fixed) + context
    return struct.pack(">I", len(message)) + message


def answer_length(mark: bytes) -> int | None:
    """The length of the answer that follows these four bytes; None where they begin something else."""
    length = int.from_bytes(mark)
    return length if 0 < length <= _LONGEST_ANSWER else None


def read_answer(message: bytes) -> Negotiated | NotNegotiated | None:
    """What the server says to the request; None where it is something else."""
    if message.startswith(_OLD_PROTOCOL):
        return NotNegotiated("speaks SMB 1 only")
    if len(message) < _HEADER.size + 6 or not message.startswith(_PROTOCOL):
        return None
    _, _, _, status, command, _, flags, *_ = _HEADER.unpack_from(message)
    if command != _NEGOTIATE or not flags & _ANSWER_FLAG:
        return None
    if status:
        return NotNegotiated(f"refuses to negotiate (status 0x{status:08x})")
    (dialect,) = struct.unpack_from("<H", message, _HEADER.size + 4)
    return Negotiated(DIALECTS.get(dialect, f"0x{dialect:04x}"))
