"""A stack's configuration as the engine hands it over, and what comes of it."""

import json
from collections.abc import Collection

import pytest

from dittoinfra.settings import ConfigurationError, ServerSettings, StackSettings, effective_servers
from dittoinfra.settings.configuration import load

ENCRYPTED = ("passwords", "serverSecrets")
IN_THE_CLEAR = ()


CREDENTIALS = {
    "jwt": {"secret": "media-jwt-secret", "key": "jwt-secret"},
    "adminPassword": {"secret": "media-admin-bootstrap-credentials", "key": "password"},
}
"""Secrets of a deployed server that exist already."""


def read(encrypted: Collection[str] = ENCRYPTED, /, **keys: object) -> StackSettings:
    """Load a configuration: text as it is, everything else as the JSON that the engine makes of it."""
    values = {key: value if isinstance(value, str) else json.dumps(value) for key, value in keys.items()}
    return load(values, encrypted)


def only_server(**keys: object) -> ServerSettings:
    """The effective settings of a configuration's one server."""
    [server] = effective_servers(read(**keys))
    return server


def problems(encrypted: Collection[str] = ENCRYPTED, /, **keys: object) -> list[str]:
    """Every line that a person reads about a configuration that cannot be used."""
    with pytest.raises(ConfigurationError) as caught:
        read(encrypted, **keys)
    lines = str(caught.value).splitlines()
    assert lines == [str(problem) for problem in caught.value.problems]
    return lines
