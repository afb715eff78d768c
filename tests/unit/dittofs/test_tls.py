"""TLS is verified, always, and a failure says what to change."""

import ssl
from collections.abc import Iterator
from datetime import UTC, datetime
from pathlib import Path

import pytest
import trustme
from pydantic import SecretStr

from dittoinfra.dittofs import ApiAccess, resolve_access
from dittoinfra.dittofs.tls import tls_context, untrusting_context
from dittoinfra.model import Answered, Outcome, Unreachable
from dittoinfra.settings.server import ServerSettings
from lab.simulator import SimulatedDittoFS
from tests.unit.dittofs.bench import PASSWORD, USERNAME, access_to, poll, server_context

LOGIN = "/api/v1/auth/login"


def serving(context: ssl.SSLContext) -> SimulatedDittoFS:
    simulated = SimulatedDittoFS(tls=context)
    simulated.add_user(USERNAME, PASSWORD)
    return simulated


def poll_with(url: str, root: Path, **api: str) -> Outcome:
    settings = ServerSettings.model_validate(
        {"name": "media", "api": {"url": url, "username": USERNAME, "deadline": "5s", **api}}
    )
    access = resolve_access(settings, {"media": SecretStr(PASSWORD)}, {}, root)
    assert isinstance(access, ApiAccess)
    return poll(access)


@pytest.fixture(scope="module")
def authority() -> trustme.CA:
    return trustme.CA()


@pytest.fixture(scope="module")
def root(authority: trustme.CA, tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("project")
    authority.cert_pem.write_to_path(str(folder / "ca.pem"))
    trustme.CA().cert_pem.write_to_path(str(folder / "other.pem"))
    client = authority.issue_cert("client@example.com")
    client.private_key_and_cert_chain_pem.write_to_path(str(folder / "client.pem"))
    client.cert_chain_pems[0].write_to_path(str(folder / "client.crt"))
    client.private_key_pem.write_to_path(str(folder / "client.key"))
    stranger = trustme.CA().issue_cert("stranger@example.com")
    stranger.private_key_and_cert_chain_pem.write_to_path(str(folder / "stranger.pem"))
    return folder


@pytest.fixture
def server(authority: trustme.CA) -> Iterator[SimulatedDittoFS]:
    with serving(server_context(authority.issue_cert("127.0.0.1"))) as simulated:
        yield simulated


@pytest.fixture
def mutual_server(authority: trustme.CA) -> Iterator[SimulatedDittoFS]:
    context = server_context(authority.issue_cert("127.0.0.1"))
    context.verify_mode = ssl.CERT_REQUIRED
    authority.configure_trust(context)
    with serving(context) as simulated:
        yield simulated


def test_a_bundle_in_a_file_is_trusted(server: SimulatedDittoFS, root: Path) -> None:
    assert isinstance(poll_with(server.url, root, caBundle="ca.pem"), Answered)


def test_a_bundle_in_the_settings_is_trusted(server: SimulatedDittoFS, root: Path) -> None:
    assert isinstance(poll_with(server.url, root, caBundle=(root / "ca.pem").read_text()), Answered)


def test_a_certificate_may_be_its_own_authority(authority: trustme.CA, root: Path) -> None:
    leaf = authority.issue_cert("127.0.0.1")
    with serving(server_context(leaf)) as server:
        pinned = leaf.cert_chain_pems[0].bytes().decode()

        assert isinstance(poll_with(server.url, root, caBundle=pinned), Answered)


@pytest.mark.parametrize("api", [{}, {"caBundle": "other.pem"}])
def test_an_unknown_authority_is_not_trusted(
    server: SimulatedDittoFS, root: Path, api: dict[str, str]
) -> None:
    outcome = poll_with(server.url, root, **api)

    assert outcome == Unreachable(
        f"{server.url}{LOGIN}: TLS certificate verify failed (unable to get local issuer certificate)",
        "name its authority in api.caBundle",
    )
    assert server.requests == ()


def test_a_certificate_of_another_host_is_not_trusted(authority: trustme.CA, root: Path) -> None:
    with serving(server_context(authority.issue_cert("elsewhere.example"))) as server:
        outcome = poll_with(server.url, root, caBundle="ca.pem")

    assert outcome == Unreachable(
        f"{server.url}{LOGIN}: TLS certificate verify failed "
        "(IP address mismatch, certificate is not valid for '127.0.0.1')",
        "use a name of the certificate in api.url",
    )


def test_an_expired_certificate_is_not_trusted(authority: trustme.CA, root: Path) -> None:
    expired = authority.issue_cert("127.0.0.1", not_after=datetime(2020, 1, 1, tzinfo=UTC))
    with serving(server_context(expired)) as server:
        outcome = poll_with(server.url, root, caBundle="ca.pem")

    assert outcome == Unreachable(
        f"{server.url}{LOGIN}: TLS certificate verify failed (certificate has expired)",
        "renew the server's certificate",
    )


def test_a_certificate_of_tomorrow_is_not_trusted_yet(authority: trustme.CA, root: Path) -> None:
    end = datetime(2099, 1, 1, tzinfo=UTC)
    early = authority.issue_cert("127.0.0.1", not_before=end.replace(year=2098), not_after=end)
    with serving(server_context(early)) as server:
        outcome = poll_with(server.url, root, caBundle="ca.pem")

    assert outcome == Unreachable(
        f"{server.url}{LOGIN}: TLS certificate verify failed (certificate is not yet valid)",
        "check the clocks of this machine and of the issuer",
    )


@pytest.mark.parametrize(
    "api",
    [{"clientCertificate": "client.pem"}, {"clientCertificate": "client.crt", "clientKey": "client.key"}],
)
def test_a_client_certificate_is_shown(
    mutual_server: SimulatedDittoFS, root: Path, api: dict[str, str]
) -> None:
    assert isinstance(poll_with(mutual_server.url, root, caBundle="ca.pem", **api), Answered)


def test_a_strange_client_certificate_is_named(mutual_server: SimulatedDittoFS, root: Path) -> None:
    outcome = poll_with(mutual_server.url, root, caBundle="ca.pem", clientCertificate="stranger.pem")

    assert isinstance(outcome, Unreachable)
    assert outcome.why.startswith(f"{mutual_server.url}{LOGIN}: TLS failed (")
    assert outcome.why.endswith("the server refused us: check api.clientCertificate and api.clientKey")


def test_a_hundred_servers_with_the_same_files_share_one_context(root: Path) -> None:
    def tls_of(number: int) -> ssl.SSLContext | None:
        settings = ServerSettings.model_validate(
            {
                "name": f"media-{number}",
                "api": {"url": "https://h.example", "caBundle": "ca.pem", "clientCertificate": "client.pem"},
            }
        )
        access = resolve_access(settings, {"*": SecretStr("x")}, {}, root)
        assert isinstance(access, ApiAccess)
        return access.tls

    assert len({tls_of(number) for number in range(100)}) == 1


def test_verification_is_always_on() -> None:
    for context in (tls_context(None, None), untrusting_context()):
        assert context.verify_mode is ssl.CERT_REQUIRED
        assert context.check_hostname
        assert context.minimum_version >= ssl.TLSVersion.TLSv1_2


def test_plain_http_needs_no_context() -> None:
    assert access_to("http://127.0.0.1").tls is None
