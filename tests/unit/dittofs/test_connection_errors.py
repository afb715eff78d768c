"""What became of a connection, whichever error the network hides behind those of httpx."""

import errno
import socket

import httpx
import pytest

from dittoinfra.dittofs.poll_errors import FinalError, RefusedError, RetryableError, StepError, explain

RUNNING = "check api.url and that the server is running"


def behind(error: Exception, *, context: bool = False) -> Exception:
    """The error as httpx shows it: with one of its own in front."""
    outer = httpx.ConnectError("words that change with every release")
    if context:
        outer.__context__ = error
    else:
        outer.__cause__ = error
    return outer


def ended(error: Exception) -> StepError:
    return explain(error, "http://h", "api.url")


@pytest.mark.parametrize(
    ("error", "words"),
    [
        (socket.gaierror(socket.EAI_NONAME, "x"), "the host name cannot be resolved; check api.url"),
        (ConnectionRefusedError(errno.ECONNREFUSED, "x"), f"the connection was refused; {RUNNING}"),
        (ConnectionResetError(errno.ECONNRESET, "x"), f"the connection was reset; {RUNNING}"),
        (BrokenPipeError(errno.EPIPE, "x"), f"the connection was reset; {RUNNING}"),
        (
            OSError(errno.ENETUNREACH, "x"),
            "no connection (Network is unreachable); check api.url and the network",
        ),
        (OSError("without a number"), f"no connection; {RUNNING}"),
    ],
)
def test_an_error_of_the_network_is_found_behind_the_others(error: Exception, words: str) -> None:
    for shown in (behind(error), behind(error, context=True)):
        ending = ended(shown)

        assert type(ending) is (RefusedError if isinstance(error, ConnectionRefusedError) else RetryableError)
        assert ending.outcome.why == f"http://h: {words}"
        assert ending.retry_after is None


@pytest.mark.parametrize(
    ("error", "words"),
    [
        (httpx.ProxyError("x"), "the proxy did not connect us; check api.proxy"),
        (httpx.ReadError("x"), f"the connection was closed without an answer; {RUNNING}"),
        (
            httpx.RemoteProtocolError("Server disconnected without sending a response."),
            f"the connection was closed without an answer; {RUNNING}",
        ),
    ],
)
def test_an_error_with_nothing_behind_it(error: Exception, words: str) -> None:
    assert ended(error).outcome.why == f"http://h: {words}"


@pytest.mark.parametrize(
    "error",
    [
        httpx.InvalidURL("x"),
        httpx.UnsupportedProtocol("x"),
        UnicodeError("x"),
    ],
)
def test_an_address_that_is_none_is_not_tried_again(error: Exception) -> None:
    ending = ended(error)

    assert type(ending) is FinalError
    assert ending.outcome.why == "http://h is no usable address; check api.url"


def test_an_answer_that_is_no_http_is_told_with_the_address_and_its_setting() -> None:
    ending = ended(httpx.RemoteProtocolError("illegal status line: bytearray(b'SSH-2.0')"))

    assert type(ending) is FinalError
    assert ending.outcome.why == (
        "http://h does not speak HTTP; check whether api.url must be https, or has another port"
    )
