"""Which parts measurements stand on: the official language host and provider, where they are."""

import shutil
from typing import Final

from dittoinfra.engine.plugin import BINARY

LANGUAGE_HOST: Final = shutil.which("pulumi-language-python")
"""Without it, no plain `pulumi preview` can be measured."""

PROVIDER: Final = shutil.which(BINARY)
"""The official Kubernetes provider, which takes the place of the stand-in where it is installed."""


def described() -> str:
    """What results say of it."""
    provider = "official" if PROVIDER else "stand-in"
    return f"{provider} provider, {'official' if LANGUAGE_HOST else 'no'} language host"
