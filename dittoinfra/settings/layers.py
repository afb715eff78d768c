"""How the layers of settings come together: stack, selectors, server, adapter type; the nearer wins."""

from collections.abc import Mapping
from functools import reduce
from typing import Any

from pydantic import BaseModel

from dittoinfra.settings.adapters import TypeSettings
from dittoinfra.settings.server import Layer, ServerSettings
from dittoinfra.settings.stack import StackSettings

ALTERNATIVES = (frozenset({"url", "portForward"}), frozenset({"passwordEnv", "passwordSecret"}))
"""Keys that say the same thing in several ways: a nearer layer's word takes the place of a farther one's."""


def effective_servers(stack: StackSettings) -> tuple[ServerSettings, ...]:
    """Every server with the stack's settings, and those of the selectors that select it, below its own."""
    return tuple(ServerSettings.model_validate(_layered(stack, server)) for server in stack.servers)


def _layered(stack: StackSettings, server: ServerSettings) -> dict[str, Any]:
    selected = [block for block in stack.selectors if block.selector.matches(server.labels)]
    shared = [_written(layer, include=set(Layer.model_fields)) for layer in (stack, *selected)]
    return reduce(merge, (*shared, _written(server)))


def service_settings(server: Layer, adapter_type: str) -> TypeSettings:
    """How one adapter type of a server is exposed."""
    common = _written(server.adapters.service)
    own = server.adapters.types.get(adapter_type)
    return TypeSettings.model_validate(merge(common, _written(own) if own else {}))


def merge(far: Mapping[str, Any], near: Mapping[str, Any]) -> dict[str, Any]:
    """Both blocks key by key; a list counts as one value, because half a list means nothing."""
    said = {key for key, value in near.items() if value is not None}
    replaced = {key for group in ALTERNATIVES if group & said for key in group}
    merged = {key: value for key, value in far.items() if key not in replaced or key in near}
    for key, value in near.items():
        below = merged.get(key)
        if isinstance(below, Mapping) and isinstance(value, Mapping):
            merged[key] = merge(below, value)
        else:
            merged[key] = value
    return merged


def _written(block: BaseModel, include: set[str] | None = None) -> dict[str, Any]:
    # Only what somebody wrote may win over another layer; a default is nobody's wish.
    return block.model_dump(by_alias=True, exclude_unset=True, include=include)
