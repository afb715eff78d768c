"""What the engine's events carry in a secret's place, as people read it."""

from collections.abc import Mapping
from typing import Any

from pulumi.runtime.rpc import _special_secret_sig, _special_sig_key

HIDDEN = "[secret]"
"""What the engine itself writes for people."""


def without_secrets(value: Any) -> Any:  # noqa: ANN401 - JSON has no narrower type
    """The same value, every envelope around a secret replaced by one word."""
    match value:
        case Mapping() if value.get(_special_sig_key) == _special_secret_sig:
            return HIDDEN
        case Mapping():
            return {key: without_secrets(each) for key, each in value.items()}
        case list() | tuple():
            return [without_secrets(each) for each in value]
        case _:
            return value
