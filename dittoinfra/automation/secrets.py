"""What the engine's events carry in a secret's place, as people read it."""

from collections.abc import Mapping
from typing import Any

from pulumi.runtime.rpc import _special_secret_sig, _special_sig_key

HIDDEN = "[secret]"
"""What the engine itself writes for people."""


def without_secrets(value: Any) -> Any:  # noqa: ANN401 - JSON has no narrower type
    """The same value, every envelope around a secret replaced by one word."""
    match value:
        case Mapping() if _is_secret(value):
            return HIDDEN
        case Mapping():
            return {key: without_secrets(each) for key, each in value.items()}
        case list() | tuple():
            return [without_secrets(each) for each in value]
        case _:
            return value


def left_out(value: Any) -> Any:  # noqa: ANN401 - JSON has no narrower type
    """The same value without the entries that are secret: what stands for them must not pass for them."""
    match value:
        case Mapping():
            return {key: left_out(each) for key, each in value.items() if not _is_secret(each)}
        case list() | tuple():
            return [left_out(each) for each in value if not _is_secret(each)]
        case _:
            return value


def _is_secret(value: object) -> bool:
    return isinstance(value, Mapping) and value.get(_special_sig_key) == _special_secret_sig
