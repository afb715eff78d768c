"""The API over TLS, on both servers."""

import ssl
from collections.abc import Callable
from pathlib import Path

import httpx
import pytest
import trustme

from dittoinfra.simulator import SimulatedDittoFS
from tests.bed.dfs import RealDittoFS, Tls

Serve = Callable[[Tls], SimulatedDittoFS | RealDittoFS]


@pytest.fixture(params=["simulated", "real"])
def serve(request: pytest.FixtureRequest, tmp_path: Path) -> Serve:
    """Makes a server with these certificates, not yet started."""
    if request.param == "simulated":
        return lambda tls: SimulatedDittoFS(tls=server_context(tls))
    binary: Path = request.getfixturevalue("dfs_binary")
    return lambda tls: RealDittoFS(binary, tmp_path / "dfs", tls=tls)


def server_context(tls: Tls) -> ssl.SSLContext:
    context = ssl.create_default_context(ssl.Purpose.CLIENT_AUTH, cafile=tls.client_ca)
    context.load_cert_chain(tls.cert_file, tls.key_file)
    if tls.client_ca:
        context.verify_mode = ssl.CERT_REQUIRED
    return context


def issue(directory: Path, *, mutual: bool) -> Tls:
    """Certificates for a server and, if they are mutual, for its client."""
    authority = trustme.CA()
    ca_file = directory / "ca.pem"
    authority.cert_pem.write_to_path(str(ca_file))

    def pair(name: str, identity: str) -> tuple[Path, Path]:
        issued = authority.issue_cert(identity)
        cert_file, key_file = directory / f"{name}.pem", directory / f"{name}.key"
        issued.private_key_pem.write_to_path(str(key_file))
        cert_file.write_bytes(b"".join(blob.bytes() for blob in issued.cert_chain_pems))
        return cert_file, key_file

    server = pair("server", "127.0.0.1")
    if not mutual:
        return Tls(*server, ca_file)
    return Tls(*server, ca_file, client_ca=ca_file, client_cert=pair("client", "client@example.org"))


def health(url: str, context: ssl.SSLContext) -> httpx.Response:
    return httpx.get(f"{url}/health", verify=context, trust_env=False, timeout=60)


def test_a_client_that_knows_the_authority_gets_through(serve: Serve, tmp_path: Path) -> None:
    tls = issue(tmp_path, mutual=False)

    with serve(tls) as server:
        assert server.url.startswith("https://127.0.0.1:")
        assert health(server.url, tls.client_context()).status_code == 200


def test_a_client_that_does_not_know_the_authority_turns_away(serve: Serve, tmp_path: Path) -> None:
    with (
        serve(issue(tmp_path, mutual=False)) as server,
        pytest.raises(httpx.ConnectError, match="CERTIFICATE_VERIFY_FAILED"),
    ):
        health(server.url, ssl.create_default_context())


def test_a_server_may_ask_for_a_certificate_of_the_client(serve: Serve, tmp_path: Path) -> None:
    tls = issue(tmp_path, mutual=True)

    with serve(tls) as server:
        assert health(server.url, tls.client_context()).status_code == 200
        # With TLS 1.3 the refusal comes after the client's handshake: it may meet the request or the answer.
        with pytest.raises(httpx.TransportError):
            health(server.url, ssl.create_default_context(cafile=tls.ca_file))
