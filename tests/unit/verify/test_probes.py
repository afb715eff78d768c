"""Every way in which a port can be wrong for its protocol, on servers that are wrong in that way."""

import struct
import subprocess
import sys
import time

import pytest

from dittoinfra.verify.onc_rpc import as_record
from dittoinfra.verify.probe_outcomes import (
    Closed,
    ExpectedProtocol,
    NotProbed,
    Open,
    ProbeOutcome,
    Refused,
    Silent,
    Spoken,
    Unsuitable,
    WrongProtocol,
)
from dittoinfra.verify.smb2 import negotiate
from lab.bed.process import free_ports
from tests.unit.verify.loopback import (
    TIMEOUT,
    Talk,
    answering,
    breaking_off,
    closing,
    greeting,
    http,
    probe,
    probe_talk,
    saying_nothing,
    udp_server,
)

XID = 0x0D0A0D0A
NFS_SETTINGS = "see what the server's nfs settings allow"


def reply(*words: int, xid: int = XID) -> bytes:
    """A reply of ONC RPC without a verifier; the words begin with its accept status."""
    return struct.pack(f">{5 + len(words)}I", xid, 1, 0, 0, 0, *words)


def smb_answer(status: int = 0, dialect: int = 0x0311, command: int = 0, flags: int = 1) -> bytes:
    """An answer of SMB 2, as a stream carries it."""
    header = struct.pack(
        "<4sHHIHHIIQIIQ16s", b"\xfeSMB", 64, 0, status, command, 1, flags, 0, 0, 0, 0, 0, bytes(16)
    )
    message = header + struct.pack("<HHH", 65, 1, dialect) + bytes(59)
    return struct.pack(">I", len(message)) + message


DONE = as_record(reply(0))
OTHER = as_record(reply(2, 4, 4))


@pytest.mark.parametrize(
    ("answers", "outcome"),
    [
        ((DONE, DONE), Spoken("speaks NFS 3 and 4")),
        ((OTHER, DONE), Spoken("speaks NFS 4")),
        ((DONE, OTHER), Spoken("speaks NFS 3")),
        ((OTHER, OTHER), Unsuitable("serves NFS in versions 4 to 4 only", NFS_SETTINGS)),
        ((as_record(reply(1)),) * 2, Unsuitable("does not serve this program", NFS_SETTINGS)),
        ((as_record(reply(9)),) * 2, Unsuitable("answers with status 9", NFS_SETTINGS)),
        (
            (as_record(struct.pack(">5I", XID, 1, 1, 1, 5)),) * 2,
            Unsuitable("refuses calls without a login", NFS_SETTINGS),
        ),
    ],
)
def test_nfs_is_asked_for_both_versions(answers: tuple[bytes, ...], outcome: ProbeOutcome) -> None:
    assert probe_talk(answering(*answers), ExpectedProtocol.NFS) == outcome


@pytest.mark.parametrize(
    ("answer", "outcome"),
    [
        (smb_answer(), Spoken("speaks SMB 3.1.1")),
        (smb_answer(dialect=0x0202), Spoken("speaks SMB 2.0.2")),
        (smb_answer(dialect=0x0399), Spoken("speaks SMB 0x0399")),
        (
            smb_answer(status=0xC00000BB),
            Unsuitable(
                "refuses to negotiate (status 0xc00000bb)",
                "see which dialects the server's smb settings allow",
            ),
        ),
        (
            struct.pack(">I", 36) + b"\xffSMB" + bytes(32),
            Unsuitable("speaks SMB 1 only", "see which dialects the server's smb settings allow"),
        ),
    ],
)
def test_smb_is_negotiated(answer: bytes, outcome: ProbeOutcome) -> None:
    assert probe_talk(answering(answer), ExpectedProtocol.SMB) == outcome


def test_smb_is_asked_for_each_dialect_and_the_handshake_of_the_newest() -> None:
    message = negotiate()
    length, protocol, contexts_at = struct.unpack(">I4s", message[:8]) + struct.unpack("<I", message[96:100])

    assert (length, protocol) == (len(message) - 4, b"\xfeSMB")
    assert struct.unpack("<5H", message[104:114]) == (0x0202, 0x0210, 0x0300, 0x0302, 0x0311)
    # Servers look for it at a multiple of eight from the header on.
    assert contexts_at % 8 == 0
    integrity, sha_512 = (1, 38, 0), (1, 32, 1)
    assert struct.unpack_from("<HHIHHH", message, 4 + contexts_at) == integrity + sha_512


def test_the_library_of_smb_is_loaded_by_its_first_probe_only() -> None:
    loading = "import sys, dittoinfra.cli.verify, dittoinfra.verify.verify_stack"
    code = f"{loading}; print('smbprotocol' in sys.modules)"

    assert subprocess.run([sys.executable, "-c", code], capture_output=True, check=True).stdout == b"False\n"


def test_odd_words_after_the_dialect_hide_nothing() -> None:
    assert probe_talk(answering(smb_answer()[:-59] + b"\xff" * 59), ExpectedProtocol.SMB) == Spoken(
        "speaks SMB 3.1.1"
    )


@pytest.mark.parametrize(
    "answer",
    [
        smb_answer(command=1),
        smb_answer(flags=0),
        struct.pack(">I", 8) + b"\xfeSMB\x40\x00\x00\x00",
        struct.pack(">I", 68) + smb_answer()[4:72],
        struct.pack(">I", 8) + bytes(8),
    ],
)
def test_an_answer_that_only_begins_like_smb_is_none(answer: bytes) -> None:
    assert isinstance(probe_talk(answering(answer), ExpectedProtocol.SMB), WrongProtocol)


@pytest.mark.parametrize("answer", [reply(0, xid=7), b"short", reply(0)[:20], reply(2, 4)])
def test_an_answer_that_only_begins_like_rpc_is_none(answer: bytes) -> None:
    assert isinstance(probe_talk(answering(as_record(answer)), ExpectedProtocol.NFS), WrongProtocol)


@pytest.mark.parametrize("speaks", [ExpectedProtocol.NFS, ExpectedProtocol.SMB, ExpectedProtocol.PORTMAPPER])
def test_another_service_is_quoted(speaks: ExpectedProtocol) -> None:
    assert probe_talk(greeting(b"SSH-2.0-OpenSSH_9.9\r\n\x1b[2J"), speaks) == WrongProtocol(
        "SSH-2.0-OpenSSH_9.9 \N{REPLACEMENT CHARACTER}[2J"
    )
    [_, said] = str(probe_talk(greeting(b"\x7f" * 5000), speaks)).split("=")
    assert len(said) < 80


@pytest.mark.parametrize("speaks", [ExpectedProtocol.NFS, ExpectedProtocol.SMB, ExpectedProtocol.PORTMAPPER])
def test_a_server_that_waits_for_the_end_of_a_line_gets_one(speaks: ExpectedProtocol) -> None:
    assert probe_talk(http, speaks) == WrongProtocol("HTTP/1.1 400 Bad Request")


@pytest.mark.parametrize("speaks", [ExpectedProtocol.NFS, ExpectedProtocol.SMB, ExpectedProtocol.PORTMAPPER])
def test_silence_ends_with_the_deadline(speaks: ExpectedProtocol) -> None:
    began = time.monotonic()

    assert probe_talk(saying_nothing, speaks) == Silent()
    assert TIMEOUT <= time.monotonic() - began < TIMEOUT + 1


@pytest.mark.parametrize("speaks", [ExpectedProtocol.NFS, ExpectedProtocol.SMB, ExpectedProtocol.PORTMAPPER])
@pytest.mark.parametrize("talk", [closing, breaking_off])
def test_a_connection_that_ends_early(speaks: ExpectedProtocol, talk: Talk) -> None:
    assert probe_talk(talk, speaks) == Closed()


def test_nothing_listens() -> None:
    [nothing] = free_ports(1)

    assert probe(nothing, ExpectedProtocol.NFS) == Refused("connection refused")
    assert probe(nothing, ExpectedProtocol.MOUNT, udp=True) == Refused("connection refused")


@pytest.mark.parametrize("talk", [saying_nothing, closing, greeting(b"hello")])
def test_of_an_unknown_type_only_the_port_is_checked(talk: Talk) -> None:
    assert probe_talk(talk, ExpectedProtocol.ANYTHING) == Open()


@pytest.mark.parametrize(
    ("named", "outcome"),
    [
        (12049, Spoken("sends clients to port 12049")),
        (0, Unsuitable("knows no NFS", "see that the server's nfs adapter runs")),
        (
            2049,
            Unsuitable(
                "sends clients to port 2049, which is none of this Service",
                "set servicePort to 2049, or take the portmapper out of `extras`",
            ),
        ),
    ],
)
def test_a_portmapper_names_a_port_of_its_service(named: int, outcome: ProbeOutcome) -> None:
    assert probe_talk(answering(as_record(reply(0, named))), ExpectedProtocol.PORTMAPPER) == outcome


def test_a_portmapper_that_refuses() -> None:
    versions, refused = as_record(reply(2, 3, 4)), as_record(reply(1))
    settings = "see the server's nfs settings"

    assert probe_talk(answering(versions), ExpectedProtocol.PORTMAPPER) == Unsuitable(
        "is a portmapper of versions 3 to 4 only", settings
    )
    assert probe_talk(answering(refused), ExpectedProtocol.PORTMAPPER) == Unsuitable(
        "does not serve this program", settings
    )


def test_a_lost_datagram_is_sent_again() -> None:
    with udp_server(lambda _, number: reply(0) if number else None) as port:
        assert probe(port, ExpectedProtocol.MOUNT, udp=True, timeout=5) == Spoken("speaks MOUNT 3")


def test_datagrams_without_an_answer_or_with_no_proper_reply() -> None:
    with udp_server(lambda *_: None) as port:
        assert probe(port, ExpectedProtocol.MOUNT, udp=True) == Silent()
    with udp_server(lambda *_: b"pong") as port:
        assert probe(port, ExpectedProtocol.PORTMAPPER, udp=True) == WrongProtocol("pong")
    assert isinstance(probe(1, ExpectedProtocol.ANYTHING, udp=True), NotProbed)
