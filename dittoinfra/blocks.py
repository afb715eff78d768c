"""Reading objects that anybody may have edited: whatever is not as expected counts as not there."""

from collections.abc import Mapping
from typing import Any


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
