"""The real server starts from what is rendered for it, and answers."""

import ssl
import struct
from pathlib import Path
from typing import Any

import httpx
import pytest
import trustme
from pydantic import SecretStr

from dittoinfra.dittofs import ApiAccess, resolve_access
from dittoinfra.model import Answered, Unreachable
from dittoinfra.settings import ServerSettings
from lab.bed.credentials import credential
from lab.bed.process import BedError, free_ports
from tests.engine.deploy.config import KERBEROS, LDAP, PASSWORD, Secrets, account
from tests.engine.deploy.config_server import Running, started
from tests.unit.dittofs.bench import poll

KRB5_CONF = "[libdefaults]\n default_realm = EXAMPLE.COM\n[realms]\n EXAMPLE.COM = {\n  kdc = 127.0.0.1\n }\n"


def keytab(service: str, host: str, realm: str) -> str:
    """A keytab with one key, in MIT's format, one character for each byte."""

    def counted(text: str) -> bytes:
        return struct.pack(">H", len(text)) + text.encode()

    key = bytes(range(32))
    name = struct.pack(">H", 2) + counted(realm) + counted(service) + counted(host) + struct.pack(">I", 1)
    entry = name + struct.pack(">IBHH", 0, 1, 18, len(key)) + key
    return (b"\x05\x02" + struct.pack(">i", len(entry)) + entry).decode("latin-1")


SECRETS: Secrets = {
    "ldap": {"password": credential("bind")},
    "kerberos": {"keytab": keytab("nfs", "media.example.com", "EXAMPLE.COM"), "conf": KRB5_CONF},
    "machine": {"password": credential("account")},
}


@pytest.fixture(scope="module")
def authority() -> trustme.CA:
    return trustme.CA()


@pytest.fixture
def tls_secrets(authority: trustme.CA) -> Secrets:
    """What cert-manager would have put there."""
    leaf = authority.issue_cert("127.0.0.1")
    pem = authority.cert_pem.bytes().decode()
    pair = {
        "tls.crt": leaf.cert_chain_pems[0].bytes().decode(),
        "tls.key": leaf.private_key_pem.bytes().decode(),
    }
    return {"media-tls": {**pair, "ca.crt": pem}, "clients": {"ca.crt": pem}}


def polled(running: Running, root: Path, **api: str) -> object:
    """What the program's own client makes of the server."""
    settings = ServerSettings.model_validate(
        {"name": "media", "api": {"url": running.url, "username": "admin", "deadline": "5s", **api}}
    )
    access = resolve_access(settings, {"media": SecretStr(PASSWORD)}, {}, root)
    assert isinstance(access, ApiAccess)
    return poll(access)


@pytest.mark.parametrize(
    "config",
    [
        {},
        {"ldap": {**LDAP, "url": "ldaps://127.0.0.1:1"}},
        {"kerberos": {**KERBEROS, "krb5Conf": {"secret": "kerberos", "key": "conf"}}},
        {
            "kerberos": {
                **account(
                    password={"secret": "machine", "key": "password"}, domainControllers=["127.0.0.1:1"]
                ),
                "krb5Conf": {"secret": "kerberos", "key": "conf"},
            }
        },
        {"snapshots": {"scheduler": False}, "extra": {"gc": {"auto_enabled": False}}},
    ],
    ids=["defaults", "ldap", "kerberos", "machine account", "extra"],
)
def test_it_answers(dfs_binary: Path, tmp_path: Path, config: dict[str, Any]) -> None:
    with started(dfs_binary, tmp_path, {"config": config}, SECRETS) as running:
        told = running.login()
        said = running.process.output

    assert told["user"]["username"] == "admin"
    assert not told["user"]["must_change_password"], "a password that was given need not be changed"
    assert PASSWORD not in said
    assert (tmp_path / "data" / "controlplane" / "controlplane.db").exists()


def test_tokens_live_as_long_as_configured(dfs_binary: Path, tmp_path: Path) -> None:
    with started(dfs_binary, tmp_path, {"config": {"tokens": {"access": "12h"}}}) as running:
        assert running.login()["expires_in"] == 12 * 3600


def test_metrics_are_where_they_were_asked_for(dfs_binary: Path, tmp_path: Path) -> None:
    [port] = free_ports(1)
    metrics = {"enabled": True, "port": port, "path": "/numbers"}

    with started(dfs_binary, tmp_path, {"metrics": metrics}):
        answer = httpx.get(f"http://127.0.0.1:{port}/numbers", trust_env=False)

    assert answer.is_success
    assert "dittofs_" in answer.text


def test_metrics_are_for_those_who_show_the_token(dfs_binary: Path, tmp_path: Path) -> None:
    [port] = free_ports(1)
    token = credential("scraper")
    metrics = {"enabled": True, "port": port, "bearerToken": {"secret": "scrape", "key": "token"}}
    url = f"http://127.0.0.1:{port}/metrics"

    with started(dfs_binary, tmp_path, {"metrics": metrics}, {"scrape": {"token": token}}):
        without = httpx.get(url, trust_env=False)
        shown = httpx.get(url, trust_env=False, headers={"Authorization": f"Bearer {token}"})

    assert without.status_code == httpx.codes.UNAUTHORIZED
    assert shown.is_success


def test_the_log_goes_where_it_was_asked_for(dfs_binary: Path, tmp_path: Path) -> None:
    logging = {"output": "/data/controlplane/dittofs.log"}

    with started(dfs_binary, tmp_path, {"config": {"logging": logging}}):
        pass

    assert '"level"' in (tmp_path / "data" / "controlplane" / "dittofs.log").read_text()


def test_a_short_signing_key_is_what_the_server_refuses_too(dfs_binary: Path, tmp_path: Path) -> None:
    short = {"media-jwt-secret": {"jwt-secret": credential("short")}}

    with pytest.raises(BedError, match="at least 32 characters"), started(dfs_binary, tmp_path, {}, short):
        pass


def test_our_client_trusts_an_api_with_tls_by_its_ca(
    dfs_binary: Path, tmp_path: Path, authority: trustme.CA, tls_secrets: Secrets
) -> None:
    (tmp_path / "ca.pem").write_bytes(authority.cert_pem.bytes())
    trust = ssl.create_default_context(cadata=authority.cert_pem.bytes().decode())
    deploy = {"api": {"tls": {"secret": "media-tls", "minVersion": "1.3"}}}

    with started(dfs_binary, tmp_path, deploy, tls_secrets, trust=trust) as running:
        assert isinstance(polled(running, tmp_path, caBundle="ca.pem"), Answered)
        assert isinstance(polled(running, tmp_path), Unreachable)


def test_with_a_client_ca_no_client_without_a_certificate_gets_in(
    dfs_binary: Path, tmp_path: Path, authority: trustme.CA, tls_secrets: Secrets
) -> None:
    own = authority.issue_cert("dittoinfra@example.com")
    own.private_key_and_cert_chain_pem.write_to_path(str(tmp_path / "client.pem"))
    (tmp_path / "ca.pem").write_bytes(authority.cert_pem.bytes())
    trust = ssl.create_default_context(cadata=authority.cert_pem.bytes().decode())
    own.configure_cert(trust)
    deploy = {"api": {"tls": {"secret": "media-tls", "clientCa": "clients"}}}

    with started(dfs_binary, tmp_path, deploy, tls_secrets, trust=trust) as running:
        welcome = polled(running, tmp_path, caBundle="ca.pem", clientCertificate="client.pem")
        assert isinstance(welcome, Answered)
        assert isinstance(polled(running, tmp_path, caBundle="ca.pem"), Unreachable)
