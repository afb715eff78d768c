"""Answers that are not HTTP, or whose parts contradict each other."""

from dittoinfra.model import Answered, Nonsense, Unreachable
from tests.chaos.faults.caller import Caller
from tests.chaos.faults.connection import BROKE_OFF, CLOSED
from tests.chaos.faults.fault import LASTING, Fault
from tests.chaos.faults.pace import CHUNKED
from tests.chaos.faults.serving import HEALTHY, answer, api, head, logged_in, saying

OK = b"HTTP/1.1 200 OK"
NOT_HTTP = "does not speak HTTP"


def lengths(*values: bytes) -> bytes:
    """An answer that says these lengths of its body."""
    return head(OK, *(b"Content-Length: " + value for value in values), b"Connection: close") + HEALTHY


def broken(name: str, words: bytes, says: str) -> Fault:
    """An answer that cannot be read, however often it is asked for."""
    return Fault(name, api(saying(words)), Nonsense, says)


def cut(name: str, words: bytes) -> Fault:
    """An answer whose end does not come."""
    return Fault(name, api(saying(words)), Nonsense, BROKE_OFF, limits=LASTING)


def twice(caller: Caller) -> None:
    """Log us in, and once more before anybody asks."""
    caller.say(logged_in() * 2)


SHORT = b"%d" % (len(HEALTHY) - 10)
LONG = b"%d" % (len(HEALTHY) + 10)
RIGHT = b"%d" % len(HEALTHY)

SSH = b"SSH-2.0-OpenSSH_9.9\r\n"
HTTP2_SETTINGS = b"\0\0\x12\x04\0\0\0\0\0" + b"\0" * 18

FAULTS = (
    broken("zero-bytes", b"\0" * 64, NOT_HTTP),
    Fault("another-protocol", api(saying(SSH), at="login"), Unreachable, CLOSED, limits=LASTING),
    broken("http2-unasked", HTTP2_SETTINGS, NOT_HTTP),
    broken("letters-for-a-status", answer(HEALTHY, status=b"2OO OK"), NOT_HTTP),
    broken("status-of-no-kind", answer(HEALTHY, status=b"042 Hm"), "(a status that HTTP does not have)"),
    broken("switching-protocols", head(b"HTTP/1.1 101 Switching"), "(another protocol than asked for)"),
    broken("illegal-header", head(OK, b"no colon here") + HEALTHY, "(illegal header line)"),
    broken("length-too-short", lengths(SHORT), "is not JSON from character"),
    cut("length-too-long", lengths(LONG)),
    broken("two-lengths", lengths(RIGHT, LONG), "(conflicting Content-Length headers)"),
    broken("negative-length", lengths(b"-5"), "(bad Content-Length)"),
    broken("endless-length", lengths(b"9" * 5000), "(bad Content-Length)"),
    broken("chunked-garbage", CHUNKED + b"what?\r\n" + HEALTHY, "(illegal chunk header)"),
    broken("chunk-too-short", CHUNKED + b"2\r\n[]]]\r\n", "(malformed chunk footer)"),
    cut("chunk-without-end", CHUNKED + b"2\r\n[]\r\n"),
    broken(
        "unknown-transfer-encoding",
        head(OK, b"Transfer-Encoding: gzip, chunked") + HEALTHY,
        "(Only Transfer-Encoding: chunked is supported)",
    ),
    Fault("answered-twice", api(saying(answer(HEALTHY) * 2)), Answered),
    Fault("garbage-after-the-answer", api(saying(answer(HEALTHY) + b"\0 garbage")), Answered),
    Fault("login-answered-twice", api(twice, at="login"), Nonsense, "is not a list"),
)
