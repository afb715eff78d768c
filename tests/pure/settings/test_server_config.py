"""Settings of a server's configuration that cannot work are refused before anything is declared."""

from typing import Any

import pytest

from dittoinfra.settings import effective_servers
from lab.bed.credentials import credential
from tests.engine.deploy.config import JOIN, JWT, KERBEROS, LDAP, PASSWORD, account, deployed
from tests.engine.world import CREDENTIALS
from tests.pure.settings.reading import IN_THE_CLEAR, problems, read

PLACE = "dittoinfra:servers[0].deploy"
SECRET = credential("password")


def refused(deploy: dict[str, Any], **keys: object) -> list[str]:
    block = {"name": "media", "deploy": {"credentials": CREDENTIALS, **deploy}}
    return problems(servers=[block], **keys)


@pytest.mark.parametrize(
    ("deploy", "line"),
    [
        (
            {"config": {"extra": {"metrics": {"token_file": "/t"}}}},
            "config.extra: metrics.token_file is also used outside config.yaml; "
            "use deploy.metrics.bearerToken",
        ),
        (
            {"config": {"logging": {"output": "dittofs.log"}}},
            "config.logging.output: must match pattern '^(stdout|stderr|/.*[^/])$' (it is 'dittofs.log')",
        ),
        (
            {"config": {"extra": {"controlplane": {"port": 1}}}},
            "config.extra: controlplane.port is also used outside config.yaml; use deploy.api.port",
        ),
        (
            {"config": {"extra": {"controlplane": {"JWT": {"Secret": SECRET}}}}},
            "config.extra: controlplane.jwt.secret would be readable in the ConfigMap; "
            "use deploy.credentials.jwt, or give it as a secret",
        ),
        (
            {"config": {"extra": {"database": {"postgres.password": SECRET}}}},
            "config.extra: database.postgres.password would be readable in the ConfigMap; "
            "use deploy.database.postgres.secret",
        ),
        (
            {"config": {"tokens": {"access": "25000h"}}},
            "config.tokens.access: must be longer than nothing and at most 24000h (it is '25000h')",
        ),
        (
            {"database": {"postgres": {"secret": "pg"}, "percona": {}}},
            "database: postgres and percona are 2 databases; choose one",
        ),
        (
            {"database": {"sqlite": {}, "percona": {}}},
            "database: sqlite and percona are 2 databases; choose one",
        ),
        (
            {"database": {"postgres": {"secret": "pg", "ca": {"secret": "pg", "key": "ca"}}}},
            "database.postgres: ca is for sslmode verify-ca or verify-full; set one of them, or drop ca",
        ),
        (
            {"config": {"ldap": {**LDAP, "url": "http://dc"}}},
            "config.ldap.url: must be an address such as ldaps://dc.example.com:636 (it is 'http://dc')",
        ),
        (
            {"config": {"ldap": {**LDAP, "url": f"ldaps://me:{SECRET}@dc"}}},
            "config.ldap.url: must not carry credentials; use bindDn and bindPassword",
        ),
        (
            {"config": {"ldap": {**LDAP, "url": "ldap://dc"}}},
            "config.ldap: url is not encrypted; use ldaps://, set startTls, or accept it: allowPlaintext",
        ),
        (
            {"config": {"kerberos": account()}},
            "config.kerberos.machineAccount: needs the password or keytab of an account that exists, "
            "or onlineJoin; not both",
        ),
        (
            {"config": {"kerberos": {**account(onlineJoin=JOIN), "netbiosDomain": None}}},
            "config.kerberos: machineAccount needs netbiosDomain: without it the server makes no use of one",
        ),
        (
            {"config": {"kerberos": account(onlineJoin={**JOIN, "ldapUrl": "ldap://dc"})}},
            "config.kerberos.machineAccount.onlineJoin: ldapUrl is not encrypted; "
            "use ldaps://, or set startTls",
        ),
    ],
)
def test_what_the_server_would_refuse_or_overlook_is_refused_here(deploy: dict[str, Any], line: str) -> None:
    assert refused(deploy) == [f"{PLACE}.{line}"]
    assert SECRET not in line


def test_every_reason_in_the_free_part_is_told_at_once() -> None:
    extra = {
        "ldap": {"bind_password": SECRET},
        "shutdown_timeout": "1s",
        "gc": {"auto_enabled": False},
    }

    [line] = refused({"config": {"extra": extra}})

    assert "use deploy.config.ldap.bindPassword" in line
    assert "use deploy.config.shutdownTimeout" in line
    assert SECRET not in line


def test_lifetimes_of_tokens_may_be_longer_than_an_hour() -> None:
    _, deploy = deployed(config={"tokens": {"access": "12h", "refresh": "720h"}})

    assert deploy.config.tokens.access.total_seconds() == 12 * 3600


@pytest.mark.parametrize("kerberos", [account(password=KERBEROS["keytab"]), account(onlineJoin=JOIN)])
def test_a_machine_account_exists_or_is_made(kerberos: dict[str, Any]) -> None:
    _, deploy = deployed(config={"kerberos": kerberos})

    assert deploy.config.kerberos is not None


def test_a_server_without_secrets_is_told_where_to_put_them() -> None:
    place = f"{PLACE}.credentials"
    put = "is required; name a Secret that exists, or set one with: pulumi config set --secret --path"

    assert problems(servers=[{"name": "media", "deploy": {}}]) == [
        f"{place}.adminPassword: {put} 'dittoinfra:serverSecrets.media.adminPassword'",
        f"{place}.jwt: {put} 'dittoinfra:serverSecrets.media.jwt'",
    ]


def test_secrets_come_from_one_place() -> None:
    assert refused({}, serverSecrets={"media": {"jwt": JWT}}) == [
        f"{PLACE}.credentials.jwt: "
        "and dittoinfra:serverSecrets.media.jwt both say where it comes from; drop one"
    ]


def test_encrypted_configuration_is_enough() -> None:
    stack = read(
        servers=[{"name": "media", "deploy": {}}],
        serverSecrets={"media": {"jwt": JWT, "adminPassword": PASSWORD}},
    )

    assert effective_servers(stack)[0].deploy is not None
    assert JWT not in repr(stack)
    assert PASSWORD not in repr(stack)


@pytest.mark.parametrize(
    ("key", "value", "why"),
    [
        ("jwt", credential("short"), "must be at least 32 characters long"),
        ("adminPassword", "short", "must be 8 to 72 bytes long"),
        ("adminPassword", "long" * 19, "must be 8 to 72 bytes long"),
        ("jwt", 12345, "must be text: write it in quotes"),
    ],
    ids=["short key", "short password", "long password", "number"],
)
def test_a_secret_that_the_server_refuses_is_refused_and_not_shown(key: str, value: object, why: str) -> None:
    good = {"jwt": JWT, "adminPassword": PASSWORD}

    [line] = problems(
        servers=[{"name": "media", "deploy": {}}], serverSecrets={"media": {**good, key: value}}
    )

    assert line.startswith(f"dittoinfra:serverSecrets.media.{key}: {why}")
    assert str(value) not in line


def test_secrets_in_the_clear_are_refused() -> None:
    [line] = problems(
        IN_THE_CLEAR,
        servers=[{"name": "media", "deploy": {}}],
        serverSecrets={"media": {"jwt": JWT, "adminPassword": PASSWORD}},
    )

    assert line == (
        "dittoinfra:serverSecrets: is stored in the clear; store it with "
        "`pulumi config set --secret --path 'dittoinfra:serverSecrets.SERVER.jwt'`"
    )


def test_secrets_of_a_server_that_is_not_deployed_are_refused() -> None:
    assert problems(servers=[{"name": "media"}], serverSecrets={"media": {"jwt": JWT}}) == [
        "dittoinfra:serverSecrets.media: is not the name of a server that this stack deploys"
    ]


def test_a_name_that_is_too_long_for_percona_is_refused() -> None:
    block = {"name": "m" * 29, "deploy": {"credentials": CREDENTIALS, "database": {"percona": {}}}}

    [line] = problems(servers=[block])

    assert "needs a server name of at most 28 characters" in line


@pytest.mark.parametrize(
    ("api", "tls", "lines"),
    [
        ({"url": "https://media:8080"}, {}, []),
        ({"url": "https://media:8080", "clientCertificate": "c.pem"}, {"clientCa": "ca"}, []),
        ({}, {"clientCa": "ca"}, []),
        (
            {"url": "http://media:8080"},
            {},
            ["api.url: must be https://, because deploy.api.tls makes the API speak TLS"],
        ),
        (
            {"url": "https://media:8080"},
            {"clientCa": "ca"},
            [
                "api.clientCertificate: is required, "
                "because deploy.api.tls.clientCa lets no client in without one"
            ],
        ),
    ],
)
def test_our_own_client_must_be_able_to_speak_with_the_api(
    api: dict[str, str], tls: dict[str, str], lines: list[str]
) -> None:
    deploy = {"credentials": CREDENTIALS, "api": {"tls": {"secret": "media-tls", **tls}}}
    keys = {"servers": [{"name": "media", "api": api, "deploy": deploy}]}

    if lines:
        assert problems(**keys) == [f"dittoinfra:servers[0].{line}" for line in lines]
    else:
        assert read(**keys).servers


def test_behind_a_route_the_client_may_meet_something_else() -> None:
    api = {"tls": {"secret": "media-tls"}, "ingress": {"host": "media.example.com"}}
    deploy = {"credentials": CREDENTIALS, "api": api}

    assert read(
        servers=[{"name": "media", "api": {"url": "http://media.example.com"}, "deploy": deploy}]
    ).servers
