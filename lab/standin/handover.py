"""Moves fields of earlier managers to the resource's own manager before its first apply.

A plain creation is not an apply, so its fields belong to another manager; without a handover the first
apply would share them instead of owning them, and could never remove one.
"""

from collections.abc import Mapping
from typing import Any

Entry = Mapping[str, Any]

APPLY, UPDATE = "Apply", "Update"

PREDECESSORS = (
    ("kubectl", APPLY),
    ("kubectl", UPDATE),
    ("before-first-apply", UPDATE),
    ("pulumi-kubernetes", UPDATE),
    ("pulumi-resource-kubernetes", UPDATE),
)
"""Managers, by the beginning of their names, that are taken for earlier hands of the same person."""


def handed_over(entries: list[Entry], manager: str) -> list[Entry] | None:
    """The managed fields with those of all predecessors moved to the manager; None if there are none."""
    taken = [entry for entry in entries if _is_predecessor(entry) and not _is_own(entry, manager)]
    if not taken:
        return None
    own = [entry for entry in entries if _is_own(entry, manager)]
    others = [entry for entry in entries if entry not in taken and entry not in own]
    merged = dict((own or taken)[0]) | {"manager": manager, "operation": APPLY}
    for entry in own + taken:
        merged["fieldsV1"] = _union(merged.get("fieldsV1") or {}, entry.get("fieldsV1") or {})
    return [*others, merged]


def forces_preview(entries: list[Entry]) -> bool:
    """Whether a plain creation's manager is still there, whose fields only the real update hands over."""
    makers = {"pulumi-resource-kubernetes", "pulumi-kubernetes", "pulumi-kubernetes.exe"}
    return any(entry.get("operation") == UPDATE and entry.get("manager") in makers for entry in entries)


def _is_predecessor(entry: Entry) -> bool:
    name, operation = str(entry.get("manager", "")), entry.get("operation")
    return "subresource" not in entry and any(
        operation == kind and name.startswith(start) for start, kind in PREDECESSORS
    )


def _is_own(entry: Entry, manager: str) -> bool:
    return entry.get("manager") == manager and entry.get("operation") == APPLY


def _union(fields: Entry, more: Entry) -> dict[str, Any]:
    """Two sets of fields, each spelled as a tree, in one."""
    return dict(fields) | {key: _union(fields.get(key) or {}, below) for key, below in more.items()}
