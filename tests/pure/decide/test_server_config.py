"""The file, the environment and the mounts that a server starts from."""

from typing import Any

import pytest
import yaml
from pydantic import SecretStr

from dittoinfra.decide.config_file import config_hash, config_yaml
from dittoinfra.decide.custom_kinds import percona_spec
from dittoinfra.decide.pod import (
    Mount,
    SecretVariable,
    database_wait_command,
    mounts,
    secret_variables,
    waiting_script,
)
from tests.engine.deploy.config import deployed
from tests.pure.decide.make import server

CONFIG = Mount("config", "/config", {"config.yaml": "config.yaml"}, config_map="media-config")


def rendered(**deploy: object) -> dict[str, Any]:
    document = yaml.safe_load(config_yaml(*deployed(**deploy)))
    assert isinstance(document, dict)
    return document


def secret(name: str, of: str, key: str, *, optional: bool = False) -> SecretVariable:
    return SecretVariable(name, of, key, optional)


def test_a_server_with_nothing_said_has_the_operators_file_and_the_scheduler() -> None:
    assert rendered() == {
        "logging": {"level": "INFO", "format": "json", "output": "stdout"},
        "shutdown_timeout": "30s",
        "database": {"type": "sqlite", "sqlite": {"path": "/data/controlplane/controlplane.db"}},
        "controlplane": {
            "host": "0.0.0.0",
            "port": 8080,
            "jwt": {"access_token_duration": "15m", "refresh_token_duration": "168h"},
        },
        "admin": {"username": "admin"},
        "snapshot": {
            "restore_http_timeout": "30m",
            "scheduler_disabled": False,
            "scheduler_poll_interval": "1m",
        },
    }


def test_the_free_part_wins_and_leaves_its_neighbours_alone() -> None:
    config = rendered(config={"extra": {"logging": {"output": "stderr"}, "gc": {"auto_enabled": False}}})

    assert config["logging"] == {"level": "INFO", "format": "json", "output": "stderr"}
    assert config["gc"] == {"auto_enabled": False}


def test_the_text_does_not_depend_on_the_order_in_which_settings_were_written() -> None:
    one = {"gc": {"a": 1, "b": 2}, "logging": {"output": "stderr"}}
    other = {"logging": {"output": "stderr"}, "gc": {"b": 2, "a": 1}}

    assert config_yaml(*deployed(config={"extra": one})) == config_yaml(*deployed(config={"extra": other}))


def test_people_can_read_what_they_wrote() -> None:
    motto = "Straße und Café, " * 6
    text = config_yaml(*deployed(config={"extra": {"gc": {"motto": motto.strip(" ,")}}}))

    assert motto.strip(" ,") in text, "in their letters, and on one line"


def test_an_upgrade_restarts_no_server() -> None:
    # A server restarts when the hash of its configuration changes: this is one of the first release.
    assert config_hash("a") == "9615a95d4a336118c435b9cd54c5e8644ab956b573aa2926274a1280b6674713"


def test_the_hash_follows_the_text_and_the_signing_key_and_gives_neither_away() -> None:
    key, other = SecretStr("k" * 32), SecretStr("o" * 32)

    hashes = [config_hash("a"), config_hash("b"), config_hash("a", key), config_hash("a", other)]

    assert len(set(hashes)) == len(hashes)
    assert config_hash("a", key) == config_hash("a", key)
    assert not any(key.get_secret_value() in text for text in hashes)


def test_secrets_are_the_operators_unless_others_are_named() -> None:
    own = {"jwt": {"secret": "vault", "key": "signing"}, "adminPassword": {"secret": "vault", "key": "admin"}}

    assert secret_variables(*deployed()) == (
        secret("DITTOFS_CONTROLPLANE_SECRET", "media-jwt-secret", "jwt-secret"),
        secret("DITTOFS_ADMIN_INITIAL_PASSWORD", "media-admin-bootstrap-credentials", "password"),
    )
    assert secret_variables(*deployed(credentials=own)) == (
        secret("DITTOFS_CONTROLPLANE_SECRET", "vault", "signing"),
        secret("DITTOFS_ADMIN_INITIAL_PASSWORD", "vault", "admin"),
    )


def test_where_nothing_is_said_of_secrets_they_are_the_ones_that_the_stack_makes() -> None:
    media = server(deploy={})
    assert media.deploy is not None

    assert secret_variables(media, media.deploy) == (
        secret("DITTOFS_CONTROLPLANE_SECRET", "media-jwt-secret", "jwt-secret"),
        secret("DITTOFS_ADMIN_INITIAL_PASSWORD", "media-admin-bootstrap-credentials", "password"),
    )


def test_a_sqlite_server_has_its_configuration_mounted_and_waits_for_no_database() -> None:
    assert mounts(*deployed()) == (CONFIG,)
    assert database_wait_command(deployed()[1]) is None


def test_postgres_by_secret_reaches_the_server_through_its_environment() -> None:
    settings = {
        "secret": "pg",
        "keys": {"database": "dbname"},
        "sslmode": "verify-full",
        "ca": {"secret": "pg-ca", "key": "root.crt"},
    }
    server, deploy = deployed(database={"postgres": settings})

    assert secret_variables(server, deploy)[2:] == (
        secret("DITTOFS_DATABASE_POSTGRES_HOST", "pg", "host"),
        secret("DITTOFS_DATABASE_POSTGRES_DATABASE", "pg", "dbname"),
        secret("DITTOFS_DATABASE_POSTGRES_USER", "pg", "user"),
        secret("DITTOFS_DATABASE_POSTGRES_PASSWORD", "pg", "password"),
        secret("DITTOFS_DATABASE_POSTGRES_PORT", "pg", "port", optional=True),
    )
    assert yaml.safe_load(config_yaml(server, deploy))["database"] == {
        "type": "postgres",
        "postgres": {"sslmode": "verify-full", "ssl_root_cert": "/postgres-ca/ca.crt"},
    }
    assert mounts(server, deploy) == (
        CONFIG,
        Mount("postgres-ca", "/postgres-ca", {"root.crt": "ca.crt"}, secret="pg-ca"),
    )
    assert database_wait_command(deploy) is None


def test_percona_is_wired_by_the_secret_that_its_operator_writes_and_waited_for() -> None:
    server, deploy = deployed(database={"percona": {}})
    made = "media-postgres-pguser-dittofs"

    assert secret_variables(server, deploy)[2:] == (
        secret("DITTOFS_DATABASE_POSTGRES_HOST", made, "host"),
        secret("DITTOFS_DATABASE_POSTGRES_DATABASE", made, "dbname"),
        secret("DITTOFS_DATABASE_POSTGRES_USER", made, "user"),
        secret("DITTOFS_DATABASE_POSTGRES_PASSWORD", made, "password"),
        secret("DITTOFS_DATABASE_POSTGRES_PORT", made, "port"),
    )
    assert yaml.safe_load(config_yaml(server, deploy))["database"] == {
        "type": "postgres",
        "postgres": {"sslmode": "require"},
    }
    assert database_wait_command(deploy) == (
        "/bin/sh",
        "-c",
        waiting_script("/app/dfs", "/config/config.yaml"),
    )


@pytest.mark.parametrize(
    ("settings", "expected"),
    [
        ({}, {}),
        (
            {"postgresVersion": 17, "image": "example.com/postgres:17"},
            {"postgresVersion": 17, "image": "example.com/postgres:17"},
        ),
        ({"database": "files"}, {"users": [{"name": "dittofs", "databases": ["files"]}]}),
        (
            {"spec": {"tlsOnly": True, "backups": {"enabled": True}}},
            {"tlsOnly": True, "backups": {"enabled": True}},
        ),
    ],
)
def test_the_percona_cluster(settings: dict[str, Any], expected: dict[str, Any]) -> None:
    _, deploy = deployed(database={"percona": {"replicas": 3, "storage": "20Gi", **settings}})
    assert deploy.database.percona is not None

    assert percona_spec(deploy.database.percona) == {
        "postgresVersion": 16,
        "instances": [
            {
                "name": "instance1",
                "replicas": 3,
                "dataVolumeClaimSpec": {
                    "accessModes": ["ReadWriteOnce"],
                    "resources": {"requests": {"storage": "20Gi"}},
                },
            }
        ],
        "users": [{"name": "dittofs", "databases": ["dittofs"]}],
        "autoCreateUserSchema": True,
        "backups": {"enabled": False},
        **expected,
    }


def test_the_percona_clusters_storage_class() -> None:
    _, deploy = deployed(database={"percona": {"storageClass": "fast"}})
    assert deploy.database.percona is not None

    [instance] = percona_spec(deploy.database.percona)["instances"]
    assert instance["dataVolumeClaimSpec"]["storageClassName"] == "fast"


def test_tls_is_mounted_where_the_file_says() -> None:
    server, deploy = deployed(
        api={"tls": {"secret": "media-tls", "clientCa": "clients", "minVersion": "1.3"}}
    )

    assert yaml.safe_load(config_yaml(server, deploy))["controlplane"]["tls"] == {
        "cert_file": "/tls/tls.crt",
        "key_file": "/tls/tls.key",
        "client_ca": "/tls-client-ca/ca.crt",
        "min_version": "1.3",
    }
    pair = {"tls.crt": "tls.crt", "tls.key": "tls.key"}
    assert mounts(server, deploy)[1:] == (
        Mount("tls-cert", "/tls", pair, secret="media-tls"),
        Mount("tls-client-ca", "/tls-client-ca", {"ca.crt": "ca.crt"}, secret="clients"),
    )


def test_without_a_client_ca_every_client_is_welcome() -> None:
    server, deploy = deployed(api={"tls": {"secret": "media-tls"}})

    assert "client_ca" not in yaml.safe_load(config_yaml(server, deploy))["controlplane"]["tls"]
    assert [mount.name for mount in mounts(server, deploy)] == ["config", "tls-cert"]


def test_metrics_are_reachable_from_outside_the_pod() -> None:
    assert rendered(metrics={"enabled": True, "port": 9999, "path": "/m"})["metrics"] == {
        "enabled": True,
        "host": "0.0.0.0",
        "port": 9999,
        "path": "/m",
    }
