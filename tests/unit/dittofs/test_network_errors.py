"""Errors of the network in plain words, where loopback cannot produce them."""

import errno
import ssl

import httpx
import pytest

from dittoinfra.dittofs.poll_errors import FinalError, RefusedError, RetryableError, StepError, explain


def connect_error(*behind: Exception) -> Exception:
    """An error as httpx raises it for a name with several addresses."""
    failed = OSError("All connection attempts failed")
    failed.__cause__ = ExceptionGroup("multiple connection attempts failed", behind)
    error = httpx.ConnectError("All connection attempts failed")
    error.__cause__ = failed
    return error


@pytest.mark.parametrize(
    ("error", "kind", "words"),
    [
        (
            connect_error(ConnectionRefusedError(errno.ECONNREFUSED, "x"), ConnectionRefusedError()),
            RefusedError,
            "the connection was refused; check api.url and that the server is running",
        ),
        (
            connect_error(OSError(errno.EHOSTUNREACH, "x")),
            RetryableError,
            "no connection (No route to host); check api.url and the network",
        ),
        (
            httpx.ConnectError("in words that were not foreseen"),
            RetryableError,
            "no connection; check api.url and that the server is running",
        ),
        (
            connect_error(ssl.SSLEOFError(ssl.SSL_ERROR_EOF, "EOF occurred in violation of protocol")),
            RetryableError,
            "no connection; check api.url and that the server is running",
        ),
        (
            connect_error(ssl.SSLError(1, "not foreseen")),
            FinalError,
            "TLS failed (unknown reason); check whether api.url must be http, or has another port",
        ),
    ],
)
def test_an_error_is_put_into_words(error: Exception, kind: type[StepError], words: str) -> None:
    ending = explain(error, "https://h", "api.url")

    assert type(ending) is kind
    assert ending.outcome.why == f"https://h: {words}"
