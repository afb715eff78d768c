"""The fast path for HTTP responses gives the same result as h11."""

import h11
import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from dittoinfra.dittofs.plain_reply import Headers, plain_reply

ORDINARY = b"HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nContent-Length: 2\r\n\r\n[]"


def by_h11(received: bytes) -> tuple[int, Headers, bytes] | None:
    """The same from h11; None where it sees more than one whole reply of a connection that may be kept."""
    reader = h11.Connection(our_role=h11.CLIENT)
    reader.send(h11.Request(method="GET", target="/", headers=[("Host", "h")]))
    reader.send(h11.EndOfMessage())
    reader.receive_data(received)
    head = reader.next_event()
    assert isinstance(head, h11.Response)
    body = b""
    while isinstance(event := reader.next_event(), h11.Data):
        body += bytes(event.data)
    if not isinstance(event, h11.EndOfMessage) or reader.their_state is not h11.DONE:
        return None
    return None if reader.trailing_data[0] else (head.status_code, tuple(head.headers), body)


LINES = st.lists(
    st.sampled_from(
        [
            b"Content-Length: 2",
            b"content-length: 2",
            b"Content-Length: 02",
            b"Content-Length: 3",
            b"Content-Length: 2, 2",
            b"Content-Length:2",
            b"Content-Length: 2 ",
            b"Transfer-Encoding: chunked",
            b"Connection: close",
            b"Connection: keep-alive",
            b"Content-Type: application/json",
            b"Date: Tue, 01 Jan 2030 00:00:00 GMT",
            b"Vary: a",
            b"vary: b",
            b" folded",
            b"no colon",
            b"X: \xe9",
            b"X:",
            b"X: a:b",
            b"\0: x",
        ]
    ),
    max_size=5,
)
STATUS = st.sampled_from([b"HTTP/1.1 200 OK", b"HTTP/1.1 200", b"HTTP/1.1 200 ", b"HTTP/1.0 200 OK"])
OTHER = st.sampled_from([b"HTTP/1.1 404 No", b"HTTP/1.1 204 No", b"HTTP/1.1 304 No", b"HTTP/1.1 100 No"])
BODIES = st.sampled_from([b"[]", b"", b"[] ", b"2\r\n[]\r\n0\r\n\r\n", ORDINARY])


@given(STATUS | OTHER, LINES, BODIES)
@example(b"HTTP/1.1 200 OK", [b"Content-Length: 2"], b"[]")
def test_whatever_is_read_at_a_glance_is_read_rightly(status: bytes, lines: list[bytes], body: bytes) -> None:
    received = b"\r\n".join([status, *lines, b"", b""]) + body

    found = plain_reply(received)

    assert found is None or found == by_h11(received)


@given(st.integers(0, len(ORDINARY) - 1))
def test_a_part_of_a_reply_is_left_to_h11(end: int) -> None:
    assert plain_reply(ORDINARY[:end]) is None


def test_an_ordinary_reply_is_read_at_a_glance() -> None:
    headers = ((b"content-type", b"application/json"), (b"content-length", b"2"))

    assert plain_reply(ORDINARY) == (200, headers, b"[]")


@pytest.mark.parametrize(
    "received",
    [
        ORDINARY * 2,
        ORDINARY.replace(b"OK", b"OK\r\nTransfer-Encoding: chunked"),
        ORDINARY.replace(b"OK", b"OK\r\nConnection: close"),
        ORDINARY.replace(b"OK", b"OK\r\nContent-Length: 2"),
        ORDINARY.replace(b"200", b"304"),
        ORDINARY.replace(b"\r\n", b"\n"),
        b"SSH-2.0-OpenSSH_9.9\r\n",
    ],
)
def test_everything_else_is_left_to_h11(received: bytes) -> None:
    assert plain_reply(received) is None
