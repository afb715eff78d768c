"""The API over TLS, on both servers."""

import ssl
from collections.abc import Callable
from pathlib import Path

import httpx
import pytest
import trustme

from lab.bed.certificates import Tls, issue
from lab.bed.dittofs import DittoFSServer
from tests.contract.dittofs.conftest import NewServer

Serve = Callable[[Tls], DittoFSServer]


@pytest.fixture
def serve(new_server: NewServer) -> Serve:
    """Makes a server with these certificates, not yet started."""
    return lambda tls: new_server(tls=tls)


def health(url: str, context: ssl.SSLContext) -> httpx.Response:
    return httpx.get(f"{url}/health", verify=context, trust_env=False, timeout=60)


def test_a_client_that_knows_the_authority_gets_through(serve: Serve, tmp_path: Path) -> None:
    tls = issue(trustme.CA(), tmp_path)

    with serve(tls) as server:
        assert server.url.startswith("https://127.0.0.1:")
        assert health(server.url, tls.client_context()).status_code == 200


def test_a_client_that_does_not_know_the_authority_turns_away(serve: Serve, tmp_path: Path) -> None:
    with (
        serve(issue(trustme.CA(), tmp_path)) as server,
        pytest.raises(httpx.ConnectError, match="CERTIFICATE_VERIFY_FAILED"),
    ):
        health(server.url, ssl.create_default_context())


def test_a_server_may_ask_for_a_certificate_of_the_client(serve: Serve, tmp_path: Path) -> None:
    tls = issue(trustme.CA(), tmp_path, mutual=True)

    with serve(tls) as server:
        assert health(server.url, tls.client_context()).status_code == 200
        # With TLS 1.3 the refusal comes after the client's handshake: it may meet the request or the answer.
        with pytest.raises(httpx.TransportError):
            health(server.url, ssl.create_default_context(cafile=tls.ca_file))


def test_a_new_certificate_is_shown_without_a_restart(serve: Serve, tmp_path: Path) -> None:
    first, second = (issue(trustme.CA(), tmp_path / name) for name in ("first", "second"))

    with serve(first) as server:
        started_at = health(server.url, first.client_context()).json()["data"]["started_at"]

        server.rotate_certificate(second)

        assert health(server.url, second.client_context()).json()["data"]["started_at"] == started_at
        with pytest.raises(httpx.ConnectError, match="CERTIFICATE_VERIFY_FAILED"):
            health(server.url, first.client_context())
