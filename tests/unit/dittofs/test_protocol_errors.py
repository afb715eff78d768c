"""Answers that cannot be read, in words of ours and in none of the server's."""

import httpx
import pytest

from dittoinfra.dittofs.poll_errors import FinalError, RetryableError, StepError, explain
from dittoinfra.model import Nonsense

BETWEEN = "check the server, and what stands between us and it"


@pytest.mark.parametrize(
    ("reader", "kind", "words"),
    [
        (
            "peer closed connection without sending complete message body (received 2 bytes, expected 500)",
            RetryableError,
            "broke off in the middle of its answer; check the server's log",
        ),
        (
            "illegal status line: bytearray(b'SSH-2.0-hunter2')",
            FinalError,
            "does not speak HTTP; check whether api.url must be https, or has another port",
        ),
        (
            "illegal request line",
            FinalError,
            "does not speak HTTP; check whether api.url must be https, or has another port",
        ),
        (
            "no response line received",
            FinalError,
            "does not speak HTTP; check whether api.url must be https, or has another port",
        ),
        (
            "illegal header line: bytearray(b'hunter2')",
            FinalError,
            f"answered in broken HTTP (illegal header line); {BETWEEN}",
        ),
        (
            "Illegal header value b'hunter2\\n'",
            FinalError,
            f"answered in broken HTTP (Illegal header value); {BETWEEN}",
        ),
        (
            "malformed chunk footer: bytearray(b'x') (expected b'\\r\\n')",
            FinalError,
            f"answered in broken HTTP (malformed chunk footer); {BETWEEN}",
        ),
        ("bad Content-Length", FinalError, f"answered in broken HTTP (bad Content-Length); {BETWEEN}"),
        (
            "Only Transfer-Encoding: chunked is supported",
            FinalError,
            f"answered in broken HTTP (Only Transfer-Encoding: chunked is supported); {BETWEEN}",
        ),
        ("Receive buffer too long", FinalError, f"answered in broken HTTP (a header without end); {BETWEEN}"),
        (
            "Response status_code should be in range [200, 1000), not 42",
            FinalError,
            f"answered in broken HTTP (a status that HTTP does not have); {BETWEEN}",
        ),
        (
            "Received server _SWITCH_UPGRADE event without a pending proposal",
            FinalError,
            f"answered in broken HTTP (another protocol than asked for); {BETWEEN}",
        ),
    ],
)
def test_what_is_broken_is_named(reader: str, kind: type[StepError], words: str) -> None:
    ending = explain(httpx.RemoteProtocolError(reader), "http://h", "api.url")

    assert type(ending) is kind
    assert isinstance(ending.outcome, Nonsense)
    assert ending.outcome.why == f"http://h {words}"
