"""`config.yaml`: every setting of the server that is not secret. Pure."""

import hmac
from collections.abc import Mapping
from datetime import timedelta
from hashlib import sha256
from typing import Any

import yaml
from pydantic import SecretStr

from dittoinfra.decide import pod
from dittoinfra.nested_values import mapped, without_nulls
from dittoinfra.settings import Deploy, ServerSettings
from dittoinfra.settings.base import duration_text
from dittoinfra.settings.deploy import Database
from dittoinfra.settings.deploy_api import ApiTls, Metrics
from dittoinfra.settings.dittofs_config import Kerberos, Ldap, MachineAccount
from dittoinfra.settings.layers import merge

ADMIN = "admin"
"""The first administrator's name. The server's configuration has a key for it, which the server ignores."""

_EVERY_ADDRESS = "0.0.0.0"  # noqa: S104  (a Service cannot reach the server's default, loopback)

_OF_THE_SECRET = dict.fromkeys(("host", "port", "database", "user"))
"""What the server is told of PostgreSQL by its environment."""

# Settings that the server's configuration calls the same.
_SAME_LDAP_KEYS = {
    *("url", "start_tls", "allow_plaintext", "base_dn", "bind_dn", "realm", "idmap"),
    *("nested_groups", "timeout", "max_group_results"),
}
_SAME_KERBEROS_KEYS = {
    *("service_principal", "realm", "netbios_domain", "dns_domain"),
    *("max_clock_skew", "context_ttl", "max_contexts"),
}
_SAME_JOIN_KEYS = {
    *("ldap_url", "start_tls", "bind_dn", "base_dn", "ou", "dns_host_name"),
    *("rotation_interval", "insecure_skip_verify"),
}


def config_yaml(server: ServerSettings, deploy: Deploy, carried: Mapping[str, Any] | None = None) -> str:
    """The file's text: the same for the same settings, whatever their order.

    `carried` is what was in the file before the server was adopted, and what no setting decides on.
    """
    head = f"# Of the server {server.name}, by dittoinfra: what is edited here is gone with its next run.\n"
    config = merge(carried or {}, config_blocks(deploy))
    return head + yaml.safe_dump(config, sort_keys=True, allow_unicode=True, width=110)


def config_hash(text: str, jwt: SecretStr | None = None) -> str:
    """A hash that changes only with the configuration, because the server reads that at its start only.

    It includes the signing key where the stack creates its Secret. The hash reveals no more of the key than
    any token that the server issues: those are authenticated in the same way.
    """
    key = jwt.get_secret_value() if jwt is not None else ""
    return hmac.new(key.encode(), text.encode(), sha256).hexdigest()


def config_blocks(deploy: Deploy) -> dict[str, Any]:
    """What the settings make of the file."""
    return merge(mapped(_blocks(deploy), without_nulls), deploy.config.extra)


def decided_keys(deploy: Deploy) -> dict[str, Any]:
    """The file with every key that settings decide on: None where they leave it, or its section, unset."""
    return merge(_blocks(deploy), deploy.config.extra)


def _blocks(deploy: Deploy) -> dict[str, Any]:
    config = deploy.config
    blocks = {
        "logging": config.logging.model_dump(),
        "shutdown_timeout": config.shutdown_timeout,
        "database": _database(deploy.database),
        "controlplane": {
            "host": _EVERY_ADDRESS,
            "port": deploy.api.port,
            "jwt": {
                "access_token_duration": config.tokens.access,
                "refresh_token_duration": config.tokens.refresh,
            },
            "tls": _tls(deploy.api.tls) if deploy.api.tls else None,
        },
        "admin": {"username": ADMIN},
        "metrics": _metrics(deploy.metrics) if deploy.metrics.enabled else None,
        "snapshot": {
            "restore_http_timeout": config.snapshots.restore_timeout,
            "scheduler_disabled": not config.snapshots.scheduler,
            "scheduler_poll_interval": config.snapshots.poll_interval,
        },
        "ldap": _ldap(config.ldap) if config.ldap else None,
        "kerberos": _kerberos(config.kerberos) if config.kerberos else None,
    }
    # YAML has no durations.
    plain: dict[str, Any] = mapped(
        blocks, lambda value: duration_text(value) if isinstance(value, timedelta) else value
    )
    return plain


def _database(database: Database) -> dict[str, Any]:
    if database.postgres is None and database.percona is None:
        return {"type": "sqlite", "sqlite": {"path": database.sqlite.path}, "postgres": None}
    # Percona's clusters accept only TLS from other Pods, with a CA of their own.
    sslmode, ca = (
        (database.postgres.sslmode, database.postgres.ca) if database.postgres else ("require", None)
    )
    postgres = {**_OF_THE_SECRET, "sslmode": sslmode, "ssl_root_cert": ca and pod.POSTGRES_CA}
    return {"type": "postgres", "postgres": postgres, "sqlite": None}


def _metrics(metrics: Metrics) -> dict[str, Any]:
    return {
        "enabled": True,
        "host": _EVERY_ADDRESS,
        "port": metrics.port,
        "path": metrics.path,
        # A server without a token is not told so: it would restart for nothing.
        "auth": metrics.bearer_token and "token",
        "token_file": metrics.bearer_token and pod.METRICS_TOKEN,
    }


def _tls(tls: ApiTls) -> dict[str, Any]:
    return {
        "cert_file": pod.TLS_CERTIFICATE,
        "key_file": pod.TLS_KEY,
        "client_ca": tls.client_ca and pod.TLS_CLIENT_CA,
        "min_version": tls.min_version,
    }


def _ldap(settings: Ldap) -> dict[str, Any]:
    """The block `ldap`, without the password."""
    certificate = settings.tls.client_certificate
    return {
        "enabled": True,
        **settings.model_dump(include=_SAME_LDAP_KEYS),
        "user_attr": settings.user_attribute,
        "tls": {
            "ca_cert_file": settings.tls.ca and pod.LDAP_CA,
            "client_cert_file": certificate and pod.LDAP_CERTIFICATE,
            "client_key_file": certificate and pod.LDAP_KEY,
            "insecure_skip_verify": settings.tls.insecure_skip_verify,
            "min_version": settings.tls.min_version,
        },
    }


def _kerberos(settings: Kerberos) -> dict[str, Any]:
    """The block `kerberos`, without passwords."""
    account = settings.machine_account
    return {
        "enabled": True,
        "keytab_path": pod.KEYTAB,
        **settings.model_dump(include=_SAME_KERBEROS_KEYS),
        "krb5_conf": settings.krb5_conf and pod.KRB5_CONF,
        "machine_account": _machine_account(account) if account else None,
    }


def _machine_account(account: MachineAccount) -> dict[str, Any]:
    join = account.online_join
    return {
        "enabled": True,
        "account_name": account.account_name,
        "keytab_path": account.keytab and pod.MACHINE_KEYTAB,
        "dc_address": account.domain_controllers or None,
        "online_join": join
        and {
            "enabled": True,
            **join.model_dump(include=_SAME_JOIN_KEYS),
            "spns": join.spns or None,
            "ca_cert_file": join.ca and pod.JOIN_CA,
        },
    }
