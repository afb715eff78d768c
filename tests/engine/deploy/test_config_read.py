"""The real server finds every setting where it looks for it."""

import json
import subprocess
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
import yaml

from dittoinfra.settings.dittofs_keys import FREE_SECTIONS, KEYS_SINCE
from lab.bed.credentials import credential
from lab.simulator.versions import TESTED, ServerVersion
from tests.dittofs_kinds import DfsBinaries
from tests.engine.deploy.config import JOIN, KERBEROS, LDAP, Secrets, account
from tests.engine.deploy.config_server import IGNORED, Container, container, variable_names

HIDDEN = "********"
"""What the server shows in the place of a secret that it has."""

SECRETS: Secrets = {
    "ldap": {"password": credential("bind")},
    "kerberos": {"keytab": "", "conf": ""},
    "machine": {"password": credential("account")},
    "scrape": {"token": credential("scraper")},
    "join": {"password": credential("joiner")},
    "pg": {
        "host": "db.example.com",
        "database": "files",
        "user": "ditto",
        "password": credential("p@ss word"),
        "port": "6432",
    },
    "media-postgres-pguser-dittofs": {
        "host": "media-postgres-primary.files.svc",
        "dbname": "dittofs",
        "user": "dittofs",
        "password": credential("/|+{,"),
        "port": "5432",
    },
}

CASES: list[tuple[dict[str, Any], dict[str, Any]]] = [
    ({}, {"logging.level": "INFO", "logging.format": "json", "logging.output": "stdout"}),
    ({}, {"controlplane.host": "0.0.0.0", "controlplane.port": 8080, "controlplane.jwt.secret": HIDDEN}),
    ({}, {"snapshot.scheduler_poll_interval": "1m0s", "snapshot.restore_http_timeout": "30m0s"}),
    ({"config": {"logging": {"level": "DEBUG", "format": "text"}}}, {"logging.level": "DEBUG"}),
    ({"config": {"logging": {"output": "/data/controlplane/x.log"}}}, {"logging.level": "INFO"}),
    (
        {"metrics": {"enabled": True, "bearerToken": {"secret": "scrape", "key": "token"}}},
        {"metrics.auth": "token"},
    ),
    ({"config": {"shutdownTimeout": "90s"}}, {"shutdown_timeout": "1m30s"}),
    (
        {"config": {"tokens": {"access": "12h", "refresh": "720h"}}},
        {
            "controlplane.jwt.access_token_duration": "12h0m0s",
            "controlplane.jwt.refresh_token_duration": "720h0m0s",
        },
    ),
    (
        {"config": {"snapshots": {"scheduler": False, "pollInterval": "30s", "restoreTimeout": "2h"}}},
        {
            "snapshot.scheduler_disabled": True,
            "snapshot.scheduler_poll_interval": "30s",
            "snapshot.restore_http_timeout": "2h0m0s",
        },
    ),
    ({"metrics": {"enabled": True, "port": 9999}}, {"metrics.enabled": True, "metrics.port": 9999}),
    ({"database": {"sqlite": {"path": "/data/controlplane/x.db"}}}, {"database.type": "sqlite"}),
    (
        {"database": {"postgres": {"secret": "pg", "sslmode": "verify-full"}}},
        {
            "database.type": "postgres",
            "database.postgres.host": "db.example.com",
            "database.postgres.port": 6432,
            "database.postgres.database": "files",
            "database.postgres.user": "ditto",
            "database.postgres.password": HIDDEN,
            "database.postgres.sslmode": "verify-full",
        },
    ),
    (
        {"database": {"percona": {}}},
        {
            "database.type": "postgres",
            "database.postgres.host": "media-postgres-primary.files.svc",
            "database.postgres.port": 5432,
            "database.postgres.database": "dittofs",
            "database.postgres.user": "dittofs",
            "database.postgres.password": HIDDEN,
            "database.postgres.sslmode": "require",
        },
    ),
    (
        {"config": {"ldap": {**LDAP, "realm": "EXAMPLE.COM", "idmap": "rid", "nestedGroups": True}}},
        {
            "ldap.enabled": True,
            "ldap.url": "ldaps://dc.example.com:636",
            "ldap.base_dn": "DC=example,DC=com",
            "ldap.bind_dn": "CN=dittofs,DC=example,DC=com",
            "ldap.bind_password": HIDDEN,
            "ldap.user_attr": "sAMAccountName",
            "ldap.realm": "EXAMPLE.COM",
            "ldap.idmap": "rid",
            "ldap.nested_groups": True,
            "ldap.timeout": "10s",
            "ldap.max_group_results": 200,
            "ldap.tls.min_version": "1.2",
        },
    ),
    (
        {"config": {"ldap": {**LDAP, "url": "ldap://dc", "startTls": True, "userAttribute": "uid"}}},
        {"ldap.start_tls": True, "ldap.user_attr": "uid"},
    ),
    (
        {"config": {"kerberos": {**KERBEROS, "contextTtl": "24h", "maxClockSkew": "1m", "maxContexts": 5}}},
        {
            "kerberos.enabled": True,
            "kerberos.service_principal": "nfs/media.example.com@EXAMPLE.COM",
            "kerberos.realm": "EXAMPLE.COM",
            "kerberos.dns_domain": "example.com",
            "kerberos.context_ttl": "24h0m0s",
            "kerberos.max_clock_skew": "1m0s",
            "kerberos.max_contexts": 5,
        },
    ),
    (
        {
            "config": {
                "kerberos": account(
                    password={"secret": "machine", "key": "password"}, domainControllers=["dc1", "dc2:445"]
                )
            }
        },
        {
            "kerberos.netbios_domain": "EXAMPLE",
            "kerberos.machine_account.enabled": True,
            "kerberos.machine_account.account_name": "MEDIA$",
            "kerberos.machine_account.secret": HIDDEN,
            "kerberos.machine_account.dc_address": ["dc1", "dc2:445"],
        },
    ),
    (
        {
            "config": {
                "kerberos": account(
                    onlineJoin={
                        **JOIN,
                        "ou": "OU=Servers",
                        "dnsHostName": "media.example.com",
                        "spns": ["cifs/media.example.com"],
                        "rotationInterval": "720h",
                    }
                )
            }
        },
        {
            "kerberos.machine_account.online_join.enabled": True,
            "kerberos.machine_account.online_join.ldap_url": "ldaps://dc.example.com",
            "kerberos.machine_account.online_join.bind_dn": "CN=joiner",
            "kerberos.machine_account.online_join.bind_password": HIDDEN,
            "kerberos.machine_account.online_join.base_dn": "DC=example,DC=com",
            "kerberos.machine_account.online_join.ou": "OU=Servers",
            "kerberos.machine_account.online_join.dns_host_name": "media.example.com",
            "kerberos.machine_account.online_join.spns": ["cifs/media.example.com"],
            "kerberos.machine_account.online_join.rotation_interval": "720h0m0s",
        },
    ),
    (
        {"config": {"extra": {"gc": {"auto_interval": "1h"}, "controlplane": {"pprof": True}}}},
        {"gc.auto_interval": "1h0m0s", "controlplane.pprof": True, "controlplane.port": 8080},
    ),
]


def dfs(binary: Path, made: Container, *words: str) -> str:
    """What one of the server's commands prints; its complaints come first."""
    command: list[str | Path] = [binary, *words, "--config", made.config_file]
    done = subprocess.run(
        command, env=made.environment, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True
    )
    assert done.returncode == 0, done.stdout
    return done.stdout


def leaf(document: dict[str, Any], path: str) -> object:
    value: Any = document
    for step in path.split("."):
        value = value[step]
    return value


@pytest.mark.parametrize(("deploy", "expected"), CASES)
def test_a_setting_is_read(
    dfs_binary: Path, tmp_path: Path, deploy: dict[str, Any], expected: dict[str, Any]
) -> None:
    made = container(tmp_path, deploy, SECRETS)

    shown = dfs(dfs_binary, made, "config", "show")

    assert IGNORED not in shown
    document = yaml.safe_load(shown)
    assert {path: leaf(document, path) for path in expected} == expected


def test_every_path_in_the_file_leads_to_something_that_is_mounted(dfs_binary: Path, tmp_path: Path) -> None:
    pem = {"secret": "pem", "key": "ca.crt"}
    deploy = {
        "api": {"tls": {"secret": "pem", "clientCa": "pem"}},
        "database": {"postgres": {"secret": "pg", "sslmode": "verify-ca", "ca": pem}},
        "metrics": {"enabled": True, "bearerToken": {"secret": "scrape", "key": "token"}},
        "config": {
            "ldap": {**LDAP, "tls": {"ca": pem, "clientCertificate": "pem"}},
            "kerberos": {
                **account(keytab=KERBEROS["keytab"]),
                "krb5Conf": {"secret": "kerberos", "key": "conf"},
            },
        },
    }
    secrets = SECRETS | {"pem": {"tls.crt": "", "tls.key": "", "ca.crt": ""}}
    made = container(tmp_path, deploy, secrets)

    document = yaml.safe_load(dfs(dfs_binary, made, "config", "show"))

    files = [
        *("controlplane.tls.cert_file", "controlplane.tls.key_file", "controlplane.tls.client_ca"),
        *("ldap.tls.ca_cert_file", "ldap.tls.client_cert_file", "ldap.tls.client_key_file"),
        *("kerberos.keytab_path", "kerberos.krb5_conf", "kerberos.machine_account.keytab_path"),
        *("database.postgres.ssl_root_cert", "metrics.token_file"),
    ]
    assert [path for path in files if not Path(str(leaf(document, path))).is_file()] == []


def test_no_secret_is_in_the_file(tmp_path: Path) -> None:
    kerberos = account(password={"secret": "machine", "key": "password"})
    deploy = {"database": {"percona": {}}, "config": {"ldap": LDAP, "kerberos": kerberos}}
    made = container(tmp_path, deploy, SECRETS)

    text = made.config_file.read_text()

    assert len(variable_names(made)) == len(set(variable_names(made))) == 9
    secrets = {
        made.environment[name] for name in variable_names(made) if "PASSWORD" in name or "SECRET" in name
    }
    assert not {secret for secret in secrets if f" {secret}\n" in text}


def schema_paths(schema: dict[str, Any], above: str = "") -> Iterator[tuple[str, bool]]:
    """Every key that the server reads, and whether users choose the keys below it."""
    for key, value in schema.get("properties", {}).items():
        yield f"{above}{key}", isinstance(value.get("additionalProperties"), dict)
        yield from schema_paths(value, f"{above}{key}.")


@pytest.mark.parametrize("version", TESTED, ids=str)
def test_the_keys_that_we_know_are_those_that_the_server_reads(
    dfs_binaries: DfsBinaries, tmp_path: Path, version: ServerVersion
) -> None:
    schema = json.loads(dfs(dfs_binaries(version), container(tmp_path, {}), "config", "schema"))

    number = tuple(map(int, version.number.split(".")))
    read = dict(schema_paths(schema))
    assert set(read) == {path for path, since in KEYS_SINCE.items() if since <= number}
    assert {path for path, free in read.items() if free} == FREE_SECTIONS


def test_a_key_that_came_later_is_read_or_ignored_and_never_stops_the_server(
    dfs_binary: Path, tmp_path: Path
) -> None:
    made = container(tmp_path, {"config": {"extra": {"integrity": {"auto_interval": "12h"}}}})
    schema = json.loads(dfs(dfs_binary, made, "config", "schema"))

    shown = dfs(dfs_binary, made, "config", "show")

    assert (IGNORED in shown) != ("integrity" in schema["properties"])
    assert ("auto_interval: 12h0m0s" in shown) == ("integrity" in schema["properties"])
