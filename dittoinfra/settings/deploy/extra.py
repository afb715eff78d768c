"""What may stand in the free part of a server's configuration, and what has a place of its own."""

from collections.abc import Iterator, Mapping
from typing import Any

from dittoinfra.settings.problems import unknown_key

KNOWN_KEYS = frozenset(
    {
        "admin",
        "blockstore",
        "controlplane",
        "database",
        "gc",
        "identity",
        "kerberos",
        "ldap",
        "logging",
        "metadata",
        "metrics",
        "shutdown_timeout",
        "snapshot",
    }
)
"""Top-level keys that the server reads. It ignores others with a warning, which nobody sees in time."""

_BY_SECRET = {
    "admin.password_hash": "credentials.adminPassword or dittoinfra:serverSecrets",
    "controlplane.jwt.secret": "credentials.jwt or dittoinfra:serverSecrets",
    "database.postgres.password": "database.postgres.secret",
    "kerberos.machine_account.online_join.bind_password": (
        "config.kerberos.machineAccount.onlineJoin.bindPassword"
    ),
    "kerberos.machine_account.secret": "config.kerberos.machineAccount.password",
    "ldap.bind_password": "config.ldap.bindPassword",
}

_BY_SETTING = {
    "controlplane.port": "api.port",
    "controlplane.tls": "api.tls",
    "database.type": "database",
    "metrics.enabled": "metrics.enabled",
    "metrics.path": "metrics.path",
    "metrics.port": "metrics.port",
    "shutdown_timeout": "config.shutdownTimeout",
}
"""Keys that Services, probes or the Pod's grace period are made from as well."""


def check_extra(extra: dict[str, Any]) -> dict[str, Any]:
    """The block as it is, or every reason why it cannot be merged in."""
    reasons = [*_unknown(extra), *_misplaced(extra)]
    if reasons:
        raise ValueError("; ".join(reasons))
    return extra


def _unknown(extra: Mapping[str, Any]) -> Iterator[str]:
    for key in sorted(extra.keys() - KNOWN_KEYS):
        yield f"{key!r} {unknown_key(key, KNOWN_KEYS)}"


def _misplaced(extra: Mapping[str, Any]) -> Iterator[str]:
    paths = set(_paths(extra))
    for owned, setting in _BY_SECRET.items():
        if owned in paths:
            yield f"{owned} would be readable in the ConfigMap; use deploy.{setting}"
    for owned, setting in _BY_SETTING.items():
        if owned in paths:
            yield f"{owned} is more than the server's own business; use deploy.{setting}"


def _paths(block: Mapping[str, Any], above: str = "") -> Iterator[str]:
    """Every key with those above it, as the server reads them: case and dots make no difference to it."""
    for key, value in block.items():
        path = f"{above}{key.lower()}"
        yield path
        if isinstance(value, Mapping):
            yield from _paths(value, f"{path}.")
