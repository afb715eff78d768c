"""How the layers of settings come together: stack, selectors, server, adapter type; the nearer wins."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import reduce
from typing import Any

from pydantic import BaseModel

from dittoinfra.model import FoundServer
from dittoinfra.settings.adapter_settings import TypeSettings
from dittoinfra.settings.selectors import LabelSelector
from dittoinfra.settings.server import Layer, ServerSettings
from dittoinfra.settings.stack import StackSettings

Place = tuple[int | str, ...]
"""The path to a key in the stack's YAML."""

ALTERNATIVES = (frozenset({"url", "portForward"}), frozenset({"passwordEnv", "passwordSecret"}))
"""Keys that configure the same thing: one in a nearer layer replaces another in a farther one."""


@dataclass(frozen=True, slots=True)
class Written:
    """What one layer says about a server."""

    values: Mapping[str, Any]
    place: Place | None = ()
    """Where it is written; None for what is known of a server because it was found."""
    selector: LabelSelector | None = None
    """Why it applies to this server, where it applies to others too."""


def effective_servers(stack: StackSettings, found: Sequence[FoundServer] = ()) -> tuple[ServerSettings, ...]:
    """Every server with the stack's settings, and those of the selectors that select it, below its own."""
    named = (named_layers(stack, index) for index in range(len(stack.servers)))
    discovered = (found_layers(stack, server) for server in found)
    return tuple(effective(layers) for layers in (*named, *discovered))


def effective(layers: Sequence[Written]) -> ServerSettings:
    """The server that these layers come to."""
    return ServerSettings.model_validate(reduce(merge, (layer.values for layer in layers)))


def named_layers(stack: StackSettings, index: int) -> tuple[Written, ...]:
    """Every layer of a server of the configuration, the nearest last."""
    server = stack.servers[index]
    return (*_shared(stack, server.labels), Written(_written(server), ("servers", index)))


def found_layers(stack: StackSettings, server: FoundServer) -> tuple[Written, ...]:
    """Every layer of a server of the cluster, the nearest last."""
    known = {"name": server.name, "namespace": server.namespace}
    return (*_shared(stack, server.labels), Written(known, place=None))


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


def _shared(stack: StackSettings, labels: Mapping[str, str]) -> Iterator[Written]:
    keys = set(Layer.model_fields)
    yield Written(_written(stack, include=keys))
    for index, block in enumerate(stack.selectors):
        if block.selector.matches(labels):
            yield Written(_written(block, include=keys), ("selectors", index), block.selector)


def _written(block: BaseModel, include: set[str] | None = None) -> dict[str, Any]:
    # Only what is written may win over another layer; a default may not.
    return block.model_dump(by_alias=True, exclude_unset=True, include=include)
