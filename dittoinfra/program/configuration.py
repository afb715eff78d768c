"""The running stack's configuration, as the engine hands it over."""

import pulumi
from pulumi.runtime.config import CONFIG, get_config_env, is_config_secret

from dittoinfra.settings import StackSettings, load


def read_settings() -> StackSettings:
    """The validated settings of this stack, or `ConfigurationError`."""
    prefix = f"{pulumi.get_project()}:"
    # pulumi.Config only answers for keys one knows; a key that nobody knows must be refused, not overlooked.
    everything = {**get_config_env(), **CONFIG.get()}
    values = {key.removeprefix(prefix): text for key, text in everything.items() if key.startswith(prefix)}
    return load(values, {key for key in values if is_config_secret(prefix + key)})
