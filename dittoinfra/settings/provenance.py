"""Where each effective value of a server comes from."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import timedelta
from difflib import get_close_matches
from enum import StrEnum
from functools import reduce
from typing import Any

from pydantic import BaseModel, SecretStr

from dittoinfra.model import FoundServer
from dittoinfra.settings.base import duration_text
from dittoinfra.settings.layers import (
    Place,
    Written,
    effective,
    found_layers,
    merge,
    named_layers,
    service_settings,
)
from dittoinfra.settings.problems import SettingPath, path_of
from dittoinfra.settings.stack import StackSettings

HIDDEN = "(hidden)"
"""What is shown of a secret."""


class Origin(StrEnum):
    """Who says what a value is, the farthest first."""

    DEFAULT = "default"
    STACK = "stack"
    SELECTOR = "selector"
    SERVER = "server"
    FOUND = "found"
    """The cluster: it is known of a server because it was found there."""


@dataclass(frozen=True, slots=True)
class Explained:
    """One effective value, and where it comes from."""

    path: str
    """As in YAML, from the server's block on; for an adapter, from the settings of its Service on."""
    value: Any
    """Any JSON value; a list is one value, a secret is hidden."""
    origin: Origin
    """Who says so."""
    where: str | None
    """Path of the key that says so, such as `dittoinfra:selectors[0].adapters.service.type`; null for a
    default, and for what the cluster says."""
    selector: str | None
    """What that selector selects by, in the words of `kubectl --selector`; empty where it selects all, and
    null where there is none."""

    @property
    def source(self) -> str:
        """The origin in a few words."""
        match self.origin:
            case Origin.DEFAULT:
                return "default"
            case Origin.FOUND:
                return "found in the cluster"
            case Origin.SELECTOR:
                return f"{self.where} ({self.selector or 'every server'})"
            case _:
                return str(self.where)


class UnknownServerError(Exception):
    """There is no server of that name."""

    def __init__(self, name: str, known: Sequence[str]) -> None:
        near = get_close_matches(name, known, n=1)
        hint = f"did you mean {near[0]}?" if near else f"known are: {', '.join(known) or 'none'}"
        super().__init__(f"{name}: is neither configured nor found in the cluster; {hint}")


def explain(
    stack: StackSettings, found: Sequence[FoundServer], server: str, adapter: str | None = None
) -> tuple[Explained, ...]:
    """Every effective value of a server, or of how one of its adapters is exposed, in reading order."""
    layers = _layers_of(stack, found, server)
    settings = effective(layers)
    if adapter is None:
        leaves = _leaves(settings)
        blocks: tuple[Place, ...] = ((),)
    else:
        leaves = _leaves(service_settings(settings, adapter))
        blocks = (("adapters", "types", adapter), ("adapters", "service"))
    written = reduce(merge, (layer.values for layer in layers))
    return tuple(_explained(layers, written, blocks, path, value) for path, value in leaves)


def _layers_of(stack: StackSettings, found: Sequence[FoundServer], name: str) -> tuple[Written, ...]:
    for index, server in enumerate(stack.servers):
        if server.name == name:
            return named_layers(stack, index)
    for discovered in found:
        if discovered.name == name:
            return found_layers(stack, discovered)
    raise UnknownServerError(name, sorted({*(s.name for s in stack.servers), *(s.name for s in found)}))


def _leaves(value: object, path: Place = (), *, unset: bool = True) -> Iterator[tuple[Place, Any]]:
    """Every value, except what is unset in a block under a free key: there a default means nothing."""
    match value:
        case BaseModel():
            for name, field in type(value).model_fields.items():
                if unset or name in value.model_fields_set:
                    yield from _leaves(getattr(value, name), (*path, field.alias or name), unset=unset)
        case dict() if value:
            for key, entry in value.items():
                yield from _leaves(entry, (*path, key), unset=False)
        case _:
            yield path, _shown(value)


def _shown(value: object) -> Any:  # noqa: ANN401  (JSON has no narrower type)
    match value:
        case timedelta():
            return duration_text(value)
        case SecretStr():
            return HIDDEN
        case BaseModel():
            return {
                field.alias or name: _shown(getattr(value, name))
                for name, field in type(value).model_fields.items()
                if name in value.model_fields_set
            }
        case dict():
            return {key: _shown(entry) for key, entry in value.items()}
        case list():
            return [_shown(entry) for entry in value]
        case _:
            return value


def _explained(
    layers: Sequence[Written], written: Mapping[str, Any], blocks: Sequence[Place], path: Place, value: object
) -> Explained:
    name = str(SettingPath(path))
    for block in blocks:
        place = (*block, *path)
        # What a layer wrote may have gone with a block that a nearer one switched off.
        if _has(written, place):
            layer = next(layer for layer in reversed(layers) if _has(layer.values, place))
            return _from(layer, name, value, place)
    return Explained(name, value, Origin.DEFAULT, None, None)


def _from(layer: Written, name: str, value: object, place: Place) -> Explained:
    if layer.place is None:
        return Explained(name, value, Origin.FOUND, None, None)
    where = str(path_of((*layer.place, *place)))
    if layer.selector is not None:
        return Explained(name, value, Origin.SELECTOR, where, layer.selector.query())
    return Explained(name, value, Origin.SERVER if layer.place else Origin.STACK, where, None)


def _has(values: object, place: Place) -> bool:
    for step in place:
        if not isinstance(values, Mapping) or step not in values:
            return False
        values = values[step]
    return True
