"""Who wrote what on a Kubernetes object, and what becomes ours when it is adopted. Pure.

`metadata.managedFields` has an entry for everybody who ever wrote to an object, with a tree of what they
wrote: `f:name` is a field, `k:{...}` an item of a list by its keys, `v:...` a value in a set, `.` the thing
itself.
"""

import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from dittoinfra.naming import MANAGED_BY_LABEL

ADOPTER = "dittoinfra-adoption"
"""The field manager that takes over what the previous makers of an object own."""

Fields = Mapping[str, Any]
"""A tree of fields, as `managedFields` spells it."""

Path = tuple[str, ...]

JsonPatch = list[Mapping[str, Any]]

_ITEM_KEYS = {"protocol": "TCP"}
"""Keys of list items that may be left out, and what they are then."""

_TRIFLE: Fields = {"f:metadata": {"f:labels": {f"f:{MANAGED_BY_LABEL}": {}}}}
"""What the adopter keeps: where nobody owns anything, Kubernetes makes up an owner of everything."""

_ANYTHING = "*"

_NEVER_TAKEN: tuple[Path, ...] = (
    ("f:metadata", "f:ownerReferences"),
    ("f:metadata", "f:finalizers"),
    ("f:spec", "f:clusterIP"),
    ("f:spec", "f:clusterIPs"),
    ("f:spec", "f:ipFamilies"),
    ("f:spec", "f:ipFamilyPolicy"),
    ("f:spec", "f:healthCheckNodePort"),
    ("f:spec", "f:loadBalancerClass"),
    ("f:spec", "f:loadBalancerIP"),
    ("f:spec", "f:ports", _ANYTHING, "f:nodePort"),
)
"""Whoever wrote them: a Service without these has other addresses, and a finalizer is work in progress."""

_PACKAGING = ("meta.helm.sh/", "helm.sh/", "kubectl.kubernetes.io/last-applied-configuration")
"""Annotations that say who packaged an object. All others may steer a cloud's load balancer, and stay."""


@dataclass(frozen=True, slots=True)
class Ownership:
    """An object's managed fields, sorted by what adoption does with them."""

    taken: Fields
    """What the previous makers own and the adopter takes over: what it then does not apply is removed."""
    others: tuple[Mapping[str, Any], ...]
    """Entries of everybody else, such as a cloud's controllers."""
    left: tuple[str, ...]
    """Annotations that the previous makers leave behind."""


def ownership(live: Mapping[str, Any], manifest: Mapping[str, Any]) -> Ownership:
    """Sort a live object's managed fields, seen from the manifest that adopts it.

    Whoever wrote a part of what the manifest says beyond metadata made the object; whoever wrote only an
    annotation, a finalizer or the status did not.
    """
    taken: Fields = {}
    others = []
    for entry in live["metadata"].get("managedFields") or ():
        tree = entry.get("fieldsV1") or {}
        beyond = {key: value for key, value in tree.items() if key != "f:metadata"}
        if "subresource" not in entry and (entry["manager"] == ADOPTER or _meet(beyond, manifest)):
            taken = _union(taken, tree)
        else:
            others.append(entry)
    left = _annotations(taken)
    declared = (manifest["metadata"].get("annotations") or {}).keys()
    return Ownership(
        _without(taken, (*_NEVER_TAKEN, *(("f:metadata", "f:annotations", key) for key in (".", *left)))),
        tuple(others),
        tuple(name for key in left if (name := key.removeprefix("f:")) not in declared),
    )


def take_fields(live: Mapping[str, Any], manifest: Mapping[str, Any]) -> JsonPatch:
    """Before the adopter applies: it owns what the previous makers own, and nobody owns the object."""
    fields = ownership(live, manifest)
    entries = [*fields.others, _entry(manifest, fields.taken or _TRIFLE)]
    return [*disown(live), {"op": "add", "path": "/metadata/managedFields", "value": entries}]


def release_fields(live: Mapping[str, Any]) -> JsonPatch:
    """After the adopter has applied: it gives up everything, for the provider to own."""
    entries = live["metadata"].get("managedFields") or ()
    others = [entry for entry in entries if entry["manager"] != ADOPTER]
    left = others or [_entry(live, _TRIFLE)]
    return [_latest(live), {"op": "add", "path": "/metadata/managedFields", "value": left}]


def disown(live: Mapping[str, Any]) -> JsonPatch:
    """Take an object's owners away, and leave everything else."""
    owned = live["metadata"].get("ownerReferences")
    return [_latest(live), *([{"op": "remove", "path": "/metadata/ownerReferences"}] if owned else [])]


def removed_paths(this: Ownership, live: Mapping[str, Any], fresh: Mapping[str, Any]) -> tuple[Path, ...]:
    """What adoption removes from a live object: taken, and not there when the object is made afresh."""
    # Labels and annotations are people's one by one: some may stay where none is declared.
    fresh = {**fresh, "metadata": {"labels": {}, "annotations": {}, **fresh["metadata"]}}
    alone = this.taken
    for entry in this.others:
        alone = _minus(alone, entry.get("fieldsV1") or {})
    return tuple(_gone(alone, live, fresh, ()))


def changed_paths(
    manifest: Mapping[str, Any], live: Mapping[str, Any], fresh: Mapping[str, Any]
) -> tuple[Path, ...]:
    """What the manifest gives another value, or adds; `fresh` has it with the API's own defaults."""
    return tuple(_changed(manifest, live, fresh, ()))


def _latest(live: Mapping[str, Any]) -> Mapping[str, Any]:
    # The API refuses a patch of any other version than the one that it was made from.
    version = live["metadata"]["resourceVersion"]
    return {"op": "replace", "path": "/metadata/resourceVersion", "value": version}


def _entry(this: Mapping[str, Any], fields: Fields) -> Mapping[str, Any]:
    return {
        "manager": ADOPTER,
        "operation": "Apply",
        "apiVersion": this["apiVersion"],
        "fieldsType": "FieldsV1",
        "fieldsV1": fields,
    }


def _meet(tree: Fields, manifest: Mapping[str, Any]) -> bool:
    """Whether the tree has a field that the manifest has too."""
    for key, below in tree.items():
        name = key.removeprefix("f:")
        if name == key or name not in manifest:
            continue
        declared = manifest[name]
        if not below or not isinstance(declared, Mapping) or _meet(below, declared):
            return True
    return False


def _union(one: Fields, other: Fields) -> Fields:
    return {key: _union(one.get(key, {}), other.get(key, {})) for key in (*one, *other)}


def _minus(one: Fields, other: Fields) -> Fields:
    """What `one` has and `other` has not."""
    rest = {key: _minus(below, other[key]) if key in other else below for key, below in one.items()}
    return {key: below for key, below in rest.items() if below or key not in other}


def _without(tree: Fields, paths: Sequence[Path]) -> Fields:
    rest = {}
    for key, below in tree.items():
        tails = [path[1:] for path in paths if path[0] in (key, _ANYTHING)]
        if () in tails:
            continue
        kept = _without(below, tails)
        # Without anything below it, a field would stand for itself and all that is in it.
        if kept or not below:
            rest[key] = kept
    return rest


def _annotations(tree: Fields) -> list[str]:
    """Keys of all annotations in a tree but those of packaging."""
    keys = tree.get("f:metadata", {}).get("f:annotations", {})
    return [key for key in keys if key != "." and not key.removeprefix("f:").startswith(_PACKAGING)]


def _gone(tree: Fields, live: object, fresh: object, path: Path) -> Iterator[Path]:
    for key, below in tree.items():
        before, name = _at(key, live)
        after, _ = _at(key, fresh)
        if before is None:
            continue
        if after is None:
            yield (*path, name)
        else:
            yield from _gone(below, before, after, (*path, name))


def _at(key: str, outer: object) -> tuple[object | None, str]:
    """What a key of a tree means in an object, and how people would call it."""
    kind, _, rest = key.partition(":")
    match kind, outer:
        case "f", Mapping():
            return outer.get(rest), rest
        case "k", list():
            wanted = json.loads(rest)
            found = (item for item in outer if all(_key(item, k) == v for k, v in wanted.items()))
            item = next(found, None)
            return item, _item_name(item or wanted)
        case "v", list():
            value = json.loads(rest)
            return (value if value in outer else None), f"[{value}]"
        case _:
            return None, rest


def _key(item: Mapping[str, Any], key: str) -> object:
    return item.get(key, _ITEM_KEYS.get(key))


def _item_name(item: Mapping[str, Any]) -> str:
    return f"[{item.get('name') or ' '.join(str(value) for value in item.values())}]"


def _changed(declared: object, live: object, fresh: object, path: Path) -> Iterator[Path]:
    match declared, live, fresh:
        case Mapping(), Mapping(), Mapping():
            for name, below in declared.items():
                yield from _changed(below, live.get(name), fresh.get(name), (*path, name))
        case list(), list(), list() if all(map(_named, (declared, live, fresh))):
            before, after = ({item["name"]: item for item in items} for items in (live, fresh))
            for item in declared:
                name = item["name"]
                yield from _changed(item, before.get(name), after.get(name), (*path, f"[{name}]"))
        case _ if fresh != live:
            yield path


def _named(items: Sequence[object]) -> bool:
    """Whether the items of a list can be told apart by their names."""
    return all(isinstance(item, Mapping) and "name" in item for item in items)
