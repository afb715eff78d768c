"""Reads objects that others may have edited: a value of an unexpected type counts as absent."""

from collections.abc import Callable, Mapping
from typing import Any, Final

SECRET_KEY: Final = "4dabf18193072939515e22adb298388d"  # noqa: S105 - part of the engine's protocol
SECRET_MARK: Final = "1b47061264138c4ac30d75fd1eb44270"  # noqa: S105 - likewise
"""What the engine's protocol wraps a secret value with: a block with this key and this value."""

UNKNOWN: Final = "04da6b54-80e4-46f7-96ec-b56ff0331ba9"
"""What stands in the engine's protocol, in a preview, for a value that only the update will know."""


def block(outer: Mapping[str, Any], *path: str) -> Mapping[str, Any]:
    """The block at a path; empty where there is none."""
    for key in path:
        inner = outer.get(key)
        if not isinstance(inner, Mapping):
            return {}
        outer = inner
    return outer


def text(outer: Mapping[str, Any], key: str) -> str | None:
    """The text under a key; None where there is none."""
    value = outer.get(key)
    return value if isinstance(value, str) and value else None


def mapped(value: Any, change: Callable[[Any], Any]) -> Any:  # noqa: ANN401 - JSON has no narrower type
    """A value with everything in it changed, a block or a list before its entries."""
    changed = change(value)
    if isinstance(changed, Mapping):
        return {key: mapped(inner, change) for key, inner in changed.items()}
    if isinstance(changed, list | tuple):
        return [mapped(inner, change) for inner in changed]
    return changed


def without_nulls(value: Any) -> Any:  # noqa: ANN401 - likewise
    """A block without its null entries; any other value as it is."""
    if isinstance(value, Mapping):
        return {key: inner for key, inner in value.items() if inner is not None}
    return value


def is_secret(value: object) -> bool:
    """Whether a value from the engine is a wrapped secret."""
    return isinstance(value, Mapping) and value.get(SECRET_KEY) == SECRET_MARK
