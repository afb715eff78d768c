"""What has become of the fields we declared: previous inputs with the live values laid over them.

A refresh compares inputs, so whatever is not a declared field must not appear here: status, defaults,
what other managers wrote. A declared field that is gone from the live object disappears, which is drift.
"""

import base64
import binascii
from typing import Any

from dittoinfra.standin.properties import Properties

LIST_KEYS: tuple[tuple[str, ...], ...] = (
    ("name",),
    ("port", "protocol"),
    ("containerPort", "protocol"),
    ("mountPath",),
    ("ip",),
    ("key",),
    ("type",),
)
"""How entries of Kubernetes lists are told apart, most telling first."""

DEFAULTS = {"protocol": "TCP"}
"""What the API fills in where such a key was left out."""

SERVER_OWNED_METADATA = frozenset(
    {
        "creationTimestamp",
        "deletionGracePeriodSeconds",
        "deletionTimestamp",
        "generation",
        "managedFields",
        "resourceVersion",
        "selfLink",
        "uid",
    }
)

ALLOCATED_TO_SERVICES = frozenset({"clusterIP", "clusterIPs", "healthCheckNodePort", "ipFamilies"})


def live_inputs(previous: Properties, live: Properties) -> Properties:
    """The declared fields as they are now."""
    with_strings = live | {"stringData": _decoded(live)} if live.get("kind") == "Secret" else live
    overlaid: Properties = _overlay(previous, with_strings)
    return overlaid


def adopted_inputs(live: Properties) -> Properties:
    """Inputs for an object that was never declared: all of it that a person could have written."""
    metadata = {key: value for key, value in live["metadata"].items() if key not in SERVER_OWNED_METADATA}
    adopted = {key: value for key, value in live.items() if key != "status"} | {"metadata": metadata}
    if (live.get("apiVersion"), live.get("kind")) != ("v1", "Service"):
        return adopted
    # An allocated address left out of the program would otherwise look like a wish for another one.
    headless = live["spec"].get("clusterIP") == "None"
    allocated = ALLOCATED_TO_SERVICES - ({"clusterIP"} if headless else set())
    return adopted | {"spec": {key: value for key, value in live["spec"].items() if key not in allocated}}


def _overlay(previous: Any, live: Any) -> Any:  # noqa: ANN401  (JSON has no narrower type)
    if isinstance(previous, dict) and isinstance(live, dict):
        return _overlay_map(previous, live)
    if isinstance(previous, list) and isinstance(live, list):
        return _overlay_list(previous, live)
    return live


def _overlay_map(previous: Properties, live: Properties) -> Properties:
    result: Properties = {}
    for key, value in previous.items():
        if key in live:
            result[key] = _overlay(value, live[key])
        elif not value:
            # The API leaves out empty maps, empty lists, false and zero: leaving out is keeping them.
            result[key] = value
    return result


def _overlay_list(previous: list[Any], live: list[Any]) -> list[Any]:
    for key in LIST_KEYS:
        wanted, found = _by_key(previous, key), _by_key(live, key)
        if wanted is not None and found is not None:
            return [_overlay(entry, found[mark]) for mark, entry in wanted.items() if mark in found]
    if len(previous) == len(live):
        return [_overlay(before, now) for before, now in zip(previous, live, strict=True)]
    return live


def _by_key(entries: list[Any], key: tuple[str, ...]) -> dict[tuple[Any, ...], Any] | None:
    """Entries by what tells them apart, or None when that does not tell them apart."""
    if not all(isinstance(entry, dict) and key[0] in entry for entry in entries):
        return None
    keyed = {tuple(entry.get(part, DEFAULTS.get(part)) for part in key): entry for entry in entries}
    return keyed if len(keyed) == len(entries) else None


def _decoded(live: Properties) -> dict[str, str]:
    """The Secret's data as its write-only `stringData` would spell it."""
    decoded: dict[str, str] = {}
    for key, value in (live.get("data") or {}).items():
        try:
            decoded[key] = base64.b64decode(value).decode()
        except (binascii.Error, UnicodeDecodeError):
            continue
    return decoded
