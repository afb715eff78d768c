"""What a stack's outputs say of its servers, as far as anything can be relied on. Pure.

Outputs come from the engine: a preview does not know all of them yet, a secret is hidden in them, and a
stack of an older version has others.
"""

from collections.abc import Mapping
from typing import Any

from pulumi.runtime.rpc import UNKNOWN

from dittoinfra.reports.view import ConditionView, NamesView


def mapping(value: object) -> Mapping[str, Any]:
    """A block of outputs; empty where there is none."""
    return {str(k): v for k, v in value.items()} if isinstance(value, Mapping) else {}


def text(value: object) -> str | None:
    """A known text."""
    return value if isinstance(value, str) and value and UNKNOWN not in value else None


def texts(value: object) -> tuple[str, ...]:
    """Known texts of a list."""
    return tuple(found for each in value if (found := text(each))) if isinstance(value, list | tuple) else ()


def unknown(value: object) -> bool:
    """Whether a preview cannot tell yet."""
    return isinstance(value, str) and UNKNOWN in value


def conditions(server: Mapping[str, Any]) -> tuple[ConditionView, ...]:
    """The conditions that a server's outputs carry."""
    listed = server.get("conditions")
    blocks = [mapping(each) for each in listed] if isinstance(listed, list | tuple) else []
    return tuple(
        ConditionView(**{key: text(block.get(key)) or "" for key in ("type", "status", "reason", "message")})
        for block in blocks
    )


def names(adapter: Mapping[str, Any]) -> NamesView | None:
    """The names that an adapter's outputs carry."""
    block = mapping(adapter.get("dns"))
    hostname = text(block.get("hostname"))
    if hostname is None:
        return None
    return NamesView(
        backend=text(block.get("backend")) or "",
        hostname=hostname,
        aliases=texts(block.get("aliases")),
        addresses=texts(block.get("addresses")),
    )
