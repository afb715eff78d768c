"""`ignore_changes`: fields that are left as they are."""

import copy
from collections.abc import Mapping, Sequence
from typing import Any

from lab.standin.paths import parse_path
from lab.standin.properties import Properties

_MISSING = object()


def without_ignored(
    manifest: Properties, live: Properties, manager: str, ignored: Sequence[str]
) -> Properties:
    """The manifest to apply: ignored fields of others left out, others with the value they have now.

    Paths into lists are not followed, as the official provider follows none.
    """
    manifest = copy.deepcopy(manifest)
    entries = live["metadata"].get("managedFields") or []
    ours = [entry.get("fieldsV1") or {} for entry in entries if entry.get("manager") == manager]
    theirs = [entry.get("fieldsV1") or {} for entry in entries if entry.get("manager") != manager]
    for text in ignored:
        path = parse_path(text)
        if not path or not all(isinstance(part, str) for part in path):
            continue
        keys = [str(part) for part in path]
        if _is_managed(theirs, keys) and not _is_managed(ours, keys):
            _remove(manifest, keys)
        elif (value := _value_at(live, keys)) is not _MISSING:
            _set(manifest, keys, copy.deepcopy(value))
    return manifest


def _is_managed(owned: Sequence[Mapping[str, Any]], keys: Sequence[str]) -> bool:
    return any(_value_at(fields, [f"f:{key}" for key in keys]) is not _MISSING for fields in owned)


def _value_at(tree: Any, keys: Sequence[str]) -> Any:  # noqa: ANN401  (JSON has no narrower type)
    for key in keys:
        if not isinstance(tree, Mapping) or key not in tree:
            return _MISSING
        tree = tree[key]
    return tree


def _remove(tree: Properties, keys: Sequence[str]) -> None:
    parent = _value_at(tree, keys[:-1])
    if isinstance(parent, dict):
        parent.pop(keys[-1], None)


def _set(tree: Properties, keys: Sequence[str], value: object) -> None:
    for key in keys[:-1]:
        tree = tree.setdefault(key, {})
    tree[keys[-1]] = value
