"""What is wrong with a certificate or with TLS, and what to do about it, where loopback cannot produce it."""

import ssl

import pytest

from dittoinfra.dittofs.poll_errors import FinalError, explain

VERIFY = "TLS certificate verify failed"


def unverified(code: int, message: str) -> ssl.SSLError:
    error = ssl.SSLCertVerificationError(1, "x")
    error.verify_code, error.verify_message = code, message
    return error


def failed(reason: str | None) -> ssl.SSLError:
    error = ssl.SSLError(1, "x")
    if reason is not None:
        error.reason = reason
    return error


@pytest.mark.parametrize(
    ("error", "words"),
    [
        (
            unverified(62, "Hostname mismatch."),
            "(Hostname mismatch); use a name of the certificate in api.url",
        ),
        (unverified(63, "e-mail"), "(e-mail); use a name of the certificate in api.url"),
        (unverified(64, "address"), "(address); use a name of the certificate in api.url"),
        (unverified(10, "expired"), "(expired); renew the server's certificate"),
        (unverified(9, "early"), "(early); check the clocks of this machine and of the issuer"),
        (unverified(18, "self-signed"), "(self-signed); name its authority in api.caBundle"),
    ],
)
def test_a_certificate_that_is_not_believed(error: ssl.SSLError, words: str) -> None:
    ending = explain(error, "https://h", "api.url")

    assert type(ending) is FinalError
    assert ending.outcome.why == f"https://h: {VERIFY} {words}"
    assert str(ending) == ending.outcome.why


@pytest.mark.parametrize(
    ("reason", "words"),
    [
        (
            "TLSV1_ALERT_PROTOCOL_VERSION",
            "(tlsv1 alert protocol version); let the server speak TLS 1.2 or newer",
        ),
        ("UNSUPPORTED_PROTOCOL", "(unsupported protocol); let the server speak TLS 1.2 or newer"),
        (
            "TLSV13_ALERT_CERTIFICATE_REQUIRED",
            "(tlsv13 alert certificate required); the server refused us: check api.clientCertificate and "
            "api.clientKey",
        ),
        (
            "WRONG_VERSION_NUMBER",
            "(wrong version number); check whether api.url must be http, or has another port",
        ),
        (None, "(unknown reason); check whether api.url must be http, or has another port"),
    ],
)
def test_a_handshake_that_failed(reason: str | None, words: str) -> None:
    ending = explain(failed(reason), "https://h", "api.url")

    assert type(ending) is FinalError
    assert ending.outcome.why == f"https://h: TLS failed {words}"
