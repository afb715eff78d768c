"""`config.yaml`: everything the server must know that is not secret."""

import hmac
from collections.abc import Mapping
from datetime import timedelta
from hashlib import sha256
from typing import Any

import yaml
from pydantic import SecretStr

from dittoinfra.decide.server_config import identity, mounted
from dittoinfra.settings import Deploy, ServerSettings
from dittoinfra.settings.base import duration_text
from dittoinfra.settings.deploy.api import ApiTls
from dittoinfra.settings.deploy.config import ServerConfig, Snapshots
from dittoinfra.settings.deploy.database import Database
from dittoinfra.settings.layers import merge

ADMIN = "admin"
"""The first administrator's name. The server's configuration has a key for it, and takes no notice."""

EVERY_ADDRESS = "0.0.0.0"  # noqa: S104  (a Service cannot reach the server's default, loopback)


def config_yaml(server: ServerSettings, deploy: Deploy) -> str:
    """The file's text: the same for the same settings, in whatever order they were written."""
    head = f"# Of the server {server.name}, by dittoinfra: what is edited here is gone with its next run.\n"
    return head + yaml.safe_dump(_config(deploy), sort_keys=True, allow_unicode=True, width=110)


def config_hash(text: str, jwt: SecretStr | None = None) -> str:
    """What changes with the configuration, and with nothing else: the server reads it at its start only.

    The signing key belongs to it where the stack makes its Secret. It gives away no more of the key than any
    token that the server issues: those are authenticated in the same way.
    """
    key = jwt.get_secret_value() if jwt is not None else ""
    return hmac.new(key.encode(), text.encode(), sha256).hexdigest()


def _config(deploy: Deploy) -> dict[str, Any]:
    config = deploy.config
    return merge(
        _without_none(
            {
                "logging": {**config.logging.model_dump(), "output": "stdout"},
                "shutdown_timeout": config.shutdown_timeout,
                "database": _database(deploy.database),
                "controlplane": _control_plane(deploy, config),
                "admin": {"username": ADMIN},
                "metrics": _metrics(deploy),
                "snapshot": _snapshot(config.snapshots),
                "ldap": identity.ldap(config.ldap) if config.ldap else None,
                "kerberos": identity.kerberos(config.kerberos) if config.kerberos else None,
            }
        ),
        config.extra,
    )


def _database(database: Database) -> dict[str, Any]:
    if database.postgres is not None:
        ca = database.postgres.ca and mounted.POSTGRES_CA
        postgres = {"sslmode": database.postgres.sslmode, "ssl_root_cert": ca}
        return {"type": "postgres", "postgres": postgres}
    if database.percona is not None:
        # Percona's clusters speak TLS, with an authority of their own, and nothing else to other Pods.
        return {"type": "postgres", "postgres": {"sslmode": "require"}}
    return {"type": "sqlite", "sqlite": {"path": database.sqlite.path}}


def _control_plane(deploy: Deploy, config: ServerConfig) -> dict[str, Any]:
    return {
        "host": EVERY_ADDRESS,
        "port": deploy.api.port,
        "jwt": {
            "access_token_duration": config.tokens.access,
            "refresh_token_duration": config.tokens.refresh,
        },
        "tls": _tls(deploy.api.tls) if deploy.api.tls else None,
    }


def _tls(tls: ApiTls) -> dict[str, Any]:
    return {
        "cert_file": mounted.TLS_CERTIFICATE,
        "key_file": mounted.TLS_KEY,
        "client_ca": tls.client_ca and mounted.TLS_CLIENT_CA,
        "min_version": tls.min_version,
    }


def _metrics(deploy: Deploy) -> dict[str, Any] | None:
    metrics = deploy.metrics
    if not metrics.enabled:
        return None
    return {"enabled": True, "host": EVERY_ADDRESS, "port": metrics.port, "path": metrics.path}


def _snapshot(snapshots: Snapshots) -> dict[str, Any]:
    return {
        "restore_http_timeout": snapshots.restore_timeout,
        "scheduler_disabled": not snapshots.scheduler,
        "scheduler_poll_interval": snapshots.poll_interval,
    }


def _without_none(block: Mapping[str, Any]) -> dict[str, Any]:
    """What is set, in values that YAML knows."""
    return {key: _plain(value) for key, value in block.items() if value is not None}


def _plain(value: object) -> object:
    match value:
        case timedelta():
            return duration_text(value)
        case Mapping():
            return _without_none(value)
        case _:
            return value
