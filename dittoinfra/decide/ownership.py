"""Which fields of other managers this stack takes over when it adopts a Kubernetes object. Pure."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from dittoinfra.decide.managed_fields import Fields, Path, compare, locate, managers, minus, union
from dittoinfra.naming import MANAGED_BY_LABEL

ADOPTER = "dittoinfra-adoption"
"""The field manager that takes over the fields of an object's previous managers."""

JsonPatch = list[Mapping[str, Any]]

_MINIMUM: Fields = {"f:metadata": {"f:labels": {f"f:{MANAGED_BY_LABEL}": {}}}}
"""What the adopter keeps: where no manager owns any field, Kubernetes invents an owner of all fields."""

_ANY = "*"

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
    ("f:spec", "f:ports", _ANY, "f:nodePort"),
)
"""Regardless of their manager: a Service without these has other addresses, and a finalizer is work in
progress."""

_PACKAGING = ("meta.helm.sh/", "helm.sh/", "kubectl.kubernetes.io/last-applied-configuration")
"""Annotations of the tool that packaged an object. All others may configure a cloud's load balancer, and
stay."""


@dataclass(frozen=True, slots=True)
class Ownership:
    """An object's managed fields, sorted by what adoption does with them."""

    taken: Fields
    """Fields of the previous managers that the adopter takes over: any that it does not apply is removed."""
    others: tuple[Mapping[str, Any], ...]
    """Entries of all other managers, such as a cloud's controllers."""
    left: tuple[str, ...]
    """Annotations of the previous managers that stay."""


def ownership(live: Mapping[str, Any], manifest: Mapping[str, Any]) -> Ownership:
    """Sort a live object's managed fields, seen from the manifest that adopts it.

    A manager that wrote any field of the manifest beyond metadata created the object; a manager that wrote
    only an annotation, a finalizer or the status did not.
    """
    taken: Fields = {}
    others = []
    for entry in managers(live):
        tree = entry.get("fieldsV1") or {}
        beyond = {key: value for key, value in tree.items() if key != "f:metadata"}
        if "subresource" not in entry and (entry["manager"] == ADOPTER or _overlap(beyond, manifest)):
            taken = union(taken, tree)
        else:
            others.append(entry)
    annotations = taken.get("f:metadata", {}).get("f:annotations", {})
    left = [key for key in annotations if key != "." and not key.removeprefix("f:").startswith(_PACKAGING)]
    declared = (manifest["metadata"].get("annotations") or {}).keys()
    return Ownership(
        _without(taken, (*_NEVER_TAKEN, *(("f:metadata", "f:annotations", key) for key in (".", *left)))),
        tuple(others),
        tuple(name for key in left if (name := key.removeprefix("f:")) not in declared),
    )


def take_fields(live: Mapping[str, Any], manifest: Mapping[str, Any]) -> JsonPatch:
    """Before the adopter applies: give it the fields of the previous managers, and drop ownerReferences."""
    fields = ownership(live, manifest)
    entries = [*fields.others, _entry(manifest, fields.taken or _MINIMUM)]
    return [*disown(live), {"op": "add", "path": "/metadata/managedFields", "value": entries}]


def release_fields(live: Mapping[str, Any]) -> JsonPatch:
    """After the adopter has applied: it gives up its fields, for the provider to own."""
    others = [entry for entry in managers(live) if entry["manager"] != ADOPTER]
    left = others or [_entry(live, _MINIMUM)]
    return [_latest(live), {"op": "add", "path": "/metadata/managedFields", "value": left}]


def disown(live: Mapping[str, Any]) -> JsonPatch:
    """Remove an object's ownerReferences, and keep everything else."""
    owned = live["metadata"].get("ownerReferences")
    return [_latest(live), *([{"op": "remove", "path": "/metadata/ownerReferences"}] if owned else [])]


def removed_paths(this: Ownership, live: Mapping[str, Any], fresh: Mapping[str, Any]) -> tuple[Path, ...]:
    """Fields that adoption removes from a live object: taken over, and absent from a newly created object."""
    # Each label and annotation has its own manager: some may stay where none is declared.
    fresh = {**fresh, "metadata": {"labels": {}, "annotations": {}, **fresh["metadata"]}}
    alone = this.taken
    for entry in this.others:
        alone = minus(alone, entry.get("fieldsV1") or {})
    return tuple(_removed(alone, live, fresh, ()))


def changed_paths(
    manifest: Mapping[str, Any], live: Mapping[str, Any], fresh: Mapping[str, Any]
) -> tuple[Path, ...]:
    """Fields that the manifest changes or adds; `fresh` is the manifest with the API's own defaults."""
    return tuple(path for path, _, before, after in compare(manifest, live, fresh) if before != after)


def _latest(live: Mapping[str, Any]) -> Mapping[str, Any]:
    # The API then refuses the patch for any version other than the one that it was computed from.
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


def _overlap(tree: Fields, manifest: Mapping[str, Any]) -> bool:
    """Whether the tree has a field that the manifest has too."""
    for key, below in tree.items():
        name = key.removeprefix("f:")
        if name == key or name not in manifest:
            continue
        declared = manifest[name]
        if not below or not isinstance(declared, Mapping) or _overlap(below, declared):
            return True
    return False


def _without(tree: Fields, paths: Sequence[Path]) -> Fields:
    rest = {}
    for key, below in tree.items():
        tails = [path[1:] for path in paths if path[0] in (key, _ANY)]
        if () in tails:
            continue
        kept = _without(below, tails)
        # A field without children would mean the field itself and everything in it.
        if kept or not below:
            rest[key] = kept
    return rest


def _removed(tree: Fields, live: object, fresh: object, path: Path) -> Iterator[Path]:
    for key, below in tree.items():
        before, name = locate(key, live)
        after, _ = locate(key, fresh)
        if before is None:
            continue
        if after is None:
            yield (*path, name)
        else:
            yield from _removed(below, before, after, (*path, name))
