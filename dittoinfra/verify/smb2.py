"""The first message of SMB 2 and 3, and the answer to it, in the message types of `smbprotocol`. Pure.

Only its messages are used, because its connections open sockets of their own, and a probe may come through a
port-forward. To import it takes a tenth of a second: only what asks an SMB port imports this module.
"""

import struct
from dataclasses import dataclass
from uuid import UUID

from smbprotocol import MAX_PAYLOAD_SIZE, Dialects
from smbprotocol.connection import (
    HashAlgorithms,
    NegotiateContextType,
    SecurityMode,
    SMB2NegotiateContextRequest,
    SMB2NegotiateResponse,
    SMB2PreauthIntegrityCapabilities,
    SMB3NegotiateRequest,
)
from smbprotocol.header import Commands, Smb2Flags, SMB2HeaderRequest, SMB2HeaderResponse
from smbprotocol.transport import DirectTCPPacket

DIALECTS: dict[int, str] = {
    Dialects.SMB_2_0_2: "2.0.2",
    Dialects.SMB_2_1_0: "2.1",
    Dialects.SMB_3_0_0: "3.0",
    Dialects.SMB_3_0_2: "3.0.2",
    Dialects.SMB_3_1_1: "3.1.1",
}

_PROTOCOL, _OLD_PROTOCOL = b"\xfeSMB", b"\xffSMB"

_CLIENT = UUID(bytes=b"\r\n\r\ndittoinfra\r\n")
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
    # Dialect 3.1.1 needs to know how its handshake is protected.
    protection = SMB2PreauthIntegrityCapabilities()
    protection["hash_algorithms"] = [HashAlgorithms.SHA_512]
    protection["salt"] = bytes(32)
    context = SMB2NegotiateContextRequest()
    context["context_type"] = NegotiateContextType.SMB2_PREAUTH_INTEGRITY_CAPABILITIES
    context["data"] = protection
    request = SMB3NegotiateRequest()
    request["security_mode"] = SecurityMode.SMB2_NEGOTIATE_SIGNING_ENABLED
    request["client_guid"] = _CLIENT
    request["dialects"] = list(DIALECTS)
    request["negotiate_context_list"] = [context]
    header = SMB2HeaderRequest()
    header["command"] = Commands.SMB2_NEGOTIATE
    header["credit_request"] = 1
    header["data"] = request
    packet = DirectTCPPacket()
    packet["smb2_message"] = header
    return bytes(packet.pack())


def answer_length(mark: bytes) -> int | None:
    """The length of the answer that follows these four bytes; None where they begin something else."""
    length = int.from_bytes(mark)
    return length if 0 < length <= MAX_PAYLOAD_SIZE else None


def read_answer(message: bytes) -> Negotiated | NotNegotiated | None:
    """What the server says to the request; None where it is something else."""
    if message.startswith(_OLD_PROTOCOL):
        return NotNegotiated("speaks SMB 1 only")
    if not message.startswith(_PROTOCOL):
        return None
    header, answer = SMB2HeaderResponse(), SMB2NegotiateResponse()
    # Flags and dialects that the library does not know are no reason to take it for another protocol.
    header["flags"].flag_strict = answer["security_mode"].flag_strict = False
    answer["dialect_revision"].enum_strict = False
    try:
        header.unpack(message)
        rest = header["data"].get_value()
        # Nor is anything that follows the dialect, which is not needed.
        for field in ("structure_size", "security_mode", "dialect_revision"):
            rest = answer[field].unpack(rest)
    except struct.error:
        return None
    is_answer = header["flags"].has_flag(Smb2Flags.SMB2_FLAGS_SERVER_TO_REDIR)
    if header["command"].get_value() != Commands.SMB2_NEGOTIATE or not is_answer:
        return None
    if status := header["status"].get_value():
        return NotNegotiated(f"refuses to negotiate (status 0x{status:08x})")
    dialect: int = answer["dialect_revision"].get_value()
    return Negotiated(DIALECTS.get(dialect, f"0x{dialect:04x}"))
