"""Which secrets a stack needs and does not have yet. Pure but for the dice."""

import json
import secrets
from collections.abc import Iterator, Mapping
from typing import Any

from dittoinfra.settings import ANY_SERVER

_BYTES = 36
"""48 characters: more than a signing key's 32, and less than the 72 that a password may have."""


def new_secret() -> str:
    """A secret that nobody has seen."""
    return secrets.token_urlsafe(_BYTES)


def missing_secrets(configuration: Mapping[str, str]) -> tuple[str, ...]:
    """Paths of the secrets that servers of this configuration need, have nowhere, and can be made up.

    It reads what may not be valid yet, because a deployed server without its secrets is not.
    """
    passwords, server_secrets = (_block(configuration, key) for key in ("passwords", "serverSecrets"))
    shared = _block(configuration, "api")
    return tuple(
        path
        for server in _servers(configuration)
        for path in (
            *_of_deployment(server, server_secrets.get(server["name"])),
            *_of_api(server, shared, passwords),
        )
    )


def _of_deployment(server: Mapping[str, Any], given: object) -> Iterator[str]:
    deploy = server.get("deploy")
    if not isinstance(deploy, Mapping):
        return
    referred = deploy.get("credentials")
    for key in ("jwt", "adminPassword"):
        if not any(isinstance(block, Mapping) and block.get(key) for block in (referred, given)):
            yield f"dittoinfra:serverSecrets.{server['name']}.{key}"


def _of_api(
    server: Mapping[str, Any], shared: Mapping[str, Any], passwords: Mapping[str, Any]
) -> Iterator[str]:
    own = server.get("api")
    api = {**shared, **(own if isinstance(own, Mapping) else {})}
    asked = api.get("url") or api.get("portForward") or isinstance(server.get("deploy"), Mapping)
    elsewhere = api.get("passwordEnv") or api.get("passwordSecret")
    if asked and not elsewhere and passwords.keys().isdisjoint({server["name"], ANY_SERVER}):
        yield f"dittoinfra:passwords.{server['name']}"


def _servers(configuration: Mapping[str, str]) -> Iterator[Mapping[str, Any]]:
    listed = _decoded(configuration.get("dittoinfra:servers", ""))
    for server in listed if isinstance(listed, list) else ():
        if isinstance(server, Mapping) and isinstance(server.get("name"), str):
            yield server


def _block(configuration: Mapping[str, str], key: str) -> Mapping[str, Any]:
    block = _decoded(configuration.get(f"dittoinfra:{key}", ""))
    return block if isinstance(block, Mapping) else {}


def _decoded(text: str) -> object:
    try:
        decoded: object = json.loads(text)
    except ValueError:
        return None
    return decoded
