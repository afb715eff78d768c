"""Answers that come too slowly, or never come to an end."""

import itertools
from collections.abc import Iterable

from dittoinfra.model import Nonsense, Unreachable
from tests.chaos.faults.caller import Caller
from tests.chaos.faults.connection import TOO_SLOW
from tests.chaos.faults.fault import SLOW, Fault
from tests.chaos.faults.serving import HEALTHY, Talk, answer, api, head

TOO_LARGE = "answered with more than 1024 KiB"
GIBIBYTE = 1024**3
BLOCK = b" " * 65536
HEADERS = b"X-More: more\r\n" * 5000
CHUNKED = head(b"HTTP/1.1 200 OK", b"Content-Type: application/json", b"Transfer-Encoding: chunked")


def bit_by_bit(first: bytes, rest: Iterable[bytes], every: float = 0.0) -> Talk:
    """Say the beginning at once and the rest in bits, and then keep the connection."""

    def talk(caller: Caller) -> None:
        caller.say(first)
        for bit in rest:
            if not caller.stays(every):
                return
            caller.say(bit)
        caller.fall_silent()

    return talk


def endlessly(bit: bytes) -> list[bytes]:
    """As good as endless: a reader without limits holds a gibibyte by then, and still waits for more."""
    return [bit] * (GIBIBYTE // len(BLOCK))


def letters(words: bytes) -> list[bytes]:
    """Every byte for itself."""
    return [bytes([letter]) for letter in words]


OK = b"HTTP/1.1 200 OK\r\n"
SLOW_HEADER = bit_by_bit(b"", letters(answer(HEALTHY)), every=0.2)
SLOW_BODY = bit_by_bit(answer(HEALTHY)[: -len(HEALTHY)], letters(HEALTHY), every=1.0)
ENDLESS_WAITING = bit_by_bit(b"", itertools.repeat(b"HTTP/1.1 102 Processing\r\n\r\n"), every=0.01)
ENDLESS_HEADER = bit_by_bit(OK, endlessly(HEADERS))
ENDLESS_HEADER_LINE = bit_by_bit(OK + b"X-More: ", endlessly(BLOCK))
ENDLESS_CHUNKS = bit_by_bit(CHUNKED, endlessly(b"%x\r\n%s\r\n" % (len(BLOCK), BLOCK)))
ENDLESS_CHUNK_HEADER = bit_by_bit(CHUNKED + b"1;", endlessly(BLOCK))
ENDLESS_TRAILERS = bit_by_bit(CHUNKED + b"2\r\n[]\r\n0\r\n", endlessly(HEADERS))
ENDLESS_REST = bit_by_bit(OK + b"Connection: close\r\n\r\n", endlessly(BLOCK))
GIBIBYTE_BODY = bit_by_bit(OK + b"Content-Length: %d\r\n\r\n" % GIBIBYTE, endlessly(BLOCK))

FAULTS = (
    Fault("slow-header", api(SLOW_HEADER), Unreachable, TOO_SLOW, limits=SLOW),
    Fault("one-byte-a-second", api(SLOW_BODY), Unreachable, TOO_SLOW, limits=SLOW),
    Fault("never-ending-waiting", api(ENDLESS_WAITING), Unreachable, TOO_SLOW, limits=SLOW),
    Fault("never-ending-header", api(ENDLESS_HEADER), Nonsense, "(a header without end)"),
    Fault("never-ending-header-line", api(ENDLESS_HEADER_LINE), Nonsense, "(a header without end)"),
    Fault("never-ending-body", api(ENDLESS_CHUNKS), Nonsense, TOO_LARGE),
    Fault("never-ending-body-at-the-login", api(ENDLESS_CHUNKS, at="login"), Nonsense, TOO_LARGE),
    Fault("never-ending-body-of-no-length", api(ENDLESS_REST), Nonsense, TOO_LARGE),
    Fault("never-ending-chunk-header", api(ENDLESS_CHUNK_HEADER), Nonsense, "(a header without end)"),
    Fault("never-ending-trailers", api(ENDLESS_TRAILERS), Nonsense, "(a header without end)"),
    Fault("one-gibibyte", api(GIBIBYTE_BODY), Nonsense, TOO_LARGE),
)
