"""Which secrets a stack needs and does not have yet, and storing them."""

import json
import secrets
from collections.abc import Callable, Iterator, Mapping
from typing import Any

from dittoinfra.settings import ANY_SERVER, SettingPath
from dittoinfra.settings.problems import path_of
from dittoinfra.stacks.backend_stack import BackendStack

_BYTES = 36
"""48 characters: more than a signing key's 32, and less than the 72 that a password may have."""


def store_secrets(
    stack: BackendStack, given: Mapping[SettingPath, str], say: Callable[[str], None]
) -> tuple[str, ...]:
    """Create the stack if need be, and give it every secret that it lacks: those given, or new ones.

    Paths of what was stored; `CliFailedError` where the CLI refuses.
    """
    missing = missing_secrets(stack.configuration().values)
    for path in missing:
        stack.set_config(str(path), given.get(path) or new_secret(), secret=True, path=True)
        say(f"stored encrypted: {path}{'' if path in given else ' (new)'}")
    return tuple(map(str, missing))


def new_secret() -> str:
    """A new random secret."""
    return secrets.token_urlsafe(_BYTES)


def missing_secrets(configuration: Mapping[str, str]) -> tuple[SettingPath, ...]:
    """Paths of the secrets that servers of this configuration need, have nowhere, and can be generated.

    The configuration may not be valid yet: that of a deployed server without its secrets is not.
    """
    servers, *blocks = (
        _decoded(configuration.get(f"dittoinfra:{key}", ""))
        for key in ("servers", "api", "serverSecrets", "passwords")
    )
    api, server_secrets, passwords = map(_mapping, blocks)
    return tuple(
        path
        for server in (servers if isinstance(servers, list) else ())
        if isinstance(server, Mapping) and isinstance(server.get("name"), str)
        for path in _missing(server, api, server_secrets, passwords)
    )


def _missing(
    server: Mapping[str, Any],
    shared_api: Mapping[str, Any],
    server_secrets: Mapping[str, Any],
    passwords: Mapping[str, Any],
) -> Iterator[SettingPath]:
    name, deploy = server["name"], server.get("deploy")
    if isinstance(deploy, Mapping):
        referred, given = _mapping(deploy.get("credentials")), _mapping(server_secrets.get(name))
        for key in ("jwt", "adminPassword"):
            if not referred.get(key) and not given.get(key):
                yield path_of(("serverSecrets", name, key))
    api = {**shared_api, **_mapping(server.get("api"))}
    # An empty block is a port-forward with all its defaults.
    polled = api.get("url") or api.get("portForward") is not None or isinstance(deploy, Mapping)
    elsewhere = api.get("passwordEnv") or api.get("passwordSecret")
    if polled and not elsewhere and passwords.keys().isdisjoint({name, ANY_SERVER}):
        yield path_of(("passwords", name))


def _mapping(value: object) -> Mapping[str, Any]:
    return value if isinstance(value, Mapping) else {}


def _decoded(text: str) -> object:
    try:
        decoded: object = json.loads(text)
    except ValueError:
        return None
    return decoded
