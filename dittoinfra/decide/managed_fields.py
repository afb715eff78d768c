"""Which manager wrote which field of a Kubernetes object, from `metadata.managedFields`. Pure.

There is an entry for every manager that wrote to an object, with a tree of its fields: `f:name` is a field,
`k:{...}` an item of a list by its keys, `v:...` a value in a set, `.` the field or item itself.
"""

import json
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

Fields = Mapping[str, Any]
"""A tree of fields, in the format of `managedFields`."""

Path = tuple[str, ...]
"""Keys and list items down to a field; an item is its name in brackets."""

PROVIDER_MANAGER = "pulumi-kubernetes"
"""Field manager of objects that Pulumi's provider created by POST; to update or apply one it uses another
manager for each resource, whose name ends in a hash."""

_PROVIDER_MANAGERS = re.compile(rf"{PROVIDER_MANAGER}(\.exe|-[0-9a-f]{{8}})?")
_ITSELF = "."
_ITEM_KEYS = {"protocol": "TCP"}
"""Keys of list items that may be omitted, and their defaults."""


@dataclass(frozen=True, slots=True)
class Write:
    """One field, or one whole item of a list, that a manager wrote and that is still there."""

    path: Path
    value: object
    manager: str
    at: str | None
    """When the manager last wrote to the object; None where the API does not say."""


def writes(live: Mapping[str, Any]) -> tuple[Write, ...]:
    """Every field that a manager owns, the latest writer last; no status, which is never declared."""
    entries = [entry for entry in managers(live) if entry.get("subresource") != "status"]
    return tuple(
        Write(path, value, entry["manager"], entry.get("time"))
        for entry in sorted(entries, key=lambda entry: str(entry.get("time") or ""))
        for path, value in owned(entry.get("fieldsV1") or {}, live)
    )


def writer(written: tuple[Write, ...], path: Path) -> Write | None:
    """The last write at a path, below it, or above it; None where no manager owns it."""
    concerned = (this for this in reversed(written) if _overlap(this.path, path))
    return next(concerned, None)


def managers(live: Mapping[str, Any]) -> list[Mapping[str, Any]]:
    """The entries of all managers that wrote to an object."""
    return live["metadata"].get("managedFields") or []


def is_provider(manager: str) -> bool:
    """Whether a manager is Pulumi's provider, in this stack or another one, or its stand-in."""
    return _PROVIDER_MANAGERS.fullmatch(manager) is not None


def owner_names(metadata: Mapping[str, Any]) -> tuple[str, ...]:
    """The owners of an object, as users name them."""
    return tuple(f"{owner['kind']}/{owner['name']}" for owner in metadata.get("ownerReferences") or ())


def owned(tree: Fields, outer: object, path: Path = ()) -> Iterator[tuple[Path, object]]:
    """The fields of a tree that the object still has, with their values; an owned list item as a whole."""
    for key, below in tree.items():
        value, name = locate(key, outer)
        if value is None:
            continue
        here = (*path, name)
        if not below or (_ITSELF in below and key.startswith("k:")):
            yield here, value
        else:
            yield from owned({inner: tree for inner, tree in below.items() if inner != _ITSELF}, value, here)


def locate(key: str, outer: object) -> tuple[object | None, str]:
    """The value that a key of a tree refers to in an object, and its readable name."""
    kind, _, rest = key.partition(":")
    match kind, outer:
        case "f", Mapping():
            return outer.get(rest), rest
        case "k", list():
            wanted = json.loads(rest)
            found = (item for item in outer if all(_key(item, k) == v for k, v in wanted.items()))
            item = next(found, None)
            return item, item_name(item or wanted)
        case "v", list():
            value = json.loads(rest)
            return (value if value in outer else None), item_name(value)
        case _:
            return None, rest


def union(one: Fields, other: Fields) -> Fields:
    """Fields that are in either tree."""
    return {key: union(one.get(key, {}), other.get(key, {})) for key in (*one, *other)}


def minus(one: Fields, other: Fields) -> Fields:
    """Fields that are in `one` and not in `other`."""
    rest = {key: minus(below, other[key]) if key in other else below for key, below in one.items()}
    return {key: below for key, below in rest.items() if below or key not in other}


def path_text(path: Path) -> str:
    """A path as users write it: `spec.ports[nfs].port`, `metadata.labels["example.com/tier"]`."""
    text = ""
    for part in path:
        if part.startswith("["):
            text += part
        elif "." in part or "/" in part:
            text += f"[{json.dumps(part)}]"
        else:
            text += f".{part}" if text else part
    return text


def compare(
    declared: object, one: object, other: object, path: Path = ()
) -> Iterator[tuple[Path, object, object, object]]:
    """Every declared field with its values in the declaration and in two versions of the object.

    Items of lists are compared by their names, and a list whose items have none is one field.
    """
    match declared, one, other:
        case Mapping(), Mapping(), Mapping():
            for key, below in declared.items():
                yield from compare(below, one.get(key), other.get(key), (*path, key))
        case list(), list(), list() if all(map(_named, (declared, one, other))):
            ones, others = ({item["name"]: item for item in items} for items in (one, other))
            for item in declared:
                name = item["name"]
                yield from compare(item, ones.get(name), others.get(name), (*path, f"[{name}]"))
        case _:
            yield path, declared, one, other


def _named(items: Sequence[object]) -> bool:
    return all(isinstance(item, Mapping) and "name" in item for item in items)


def _overlap(one: Path, other: Path) -> bool:
    shared = min(len(one), len(other))
    return one[:shared] == other[:shared]


def _key(item: Mapping[str, Any], key: str) -> object:
    return item.get(key, _ITEM_KEYS.get(key))


def item_name(item: object) -> str:
    """The name of a list item in a path."""
    if not isinstance(item, Mapping):
        return f"[{item}]"
    return f"[{item.get('name') or ' '.join(str(value) for value in item.values())}]"
