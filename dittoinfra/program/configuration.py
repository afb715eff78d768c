"""The running stack's configuration, as the engine hands it over."""

import hashlib
from collections.abc import Mapping

import pulumi
from pulumi.runtime.config import CONFIG, get_config_env, is_config_secret

from dittoinfra.settings import StackSettings, load


def read_settings() -> StackSettings:
    """The validated settings of this stack, or `ConfigurationError`."""
    prefix = f"{pulumi.get_project()}:"
    # pulumi.Config only answers for keys one knows; a key that nobody knows must be refused, not overlooked.
    values = {key.removeprefix(prefix): text for key, text in _everything().items() if key.startswith(prefix)}
    return load(values, {key for key in values if is_config_secret(prefix + key)})


def configuration_fingerprints(salt: bytes) -> Mapping[str, str]:
    """One for every key of this stack's configuration, of whatever namespace."""
    return {
        key: _slow_digest(text, salt) if is_config_secret(key) else hashlib.sha256(text.encode()).hexdigest()
        for key, text in _everything().items()
    }


def _everything() -> Mapping[str, str]:
    return {**get_config_env(), **CONFIG.get()}


def _slow_digest(text: str, salt: bytes) -> str:
    # What is encrypted may be a password that a person chose: it must not be found by trying.
    return hashlib.scrypt(text.encode(), salt=salt, n=2**14, r=8, p=1).hex()
