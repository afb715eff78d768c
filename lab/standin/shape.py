"""Reduces a live object to its declared fields.

Lists are cut by position, so an entry that others put in front of ours is taken for ours.
"""

from typing import Any

from lab.standin.properties import Properties

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


def live_inputs(live: Properties, declared: Properties) -> Properties:
    """The declared fields as they are now."""
    return _cut_map(live, declared)


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


def _cut_map(live: Properties, declared: Properties) -> Properties:
    cut = {key: _cut(live[key], value) for key, value in declared.items() if key in live}
    # The API leaves out false, zero and the empty text where they say nothing: left out is not changed.
    left_out = {key: value for key, value in declared.items() if key not in live and _is_zero(value)}
    return cut | left_out


def _cut(live: Any, declared: Any) -> Any:  # noqa: ANN401  (JSON has no narrower type)
    if isinstance(live, dict) and isinstance(declared, dict):
        return _cut_map(live, declared)
    if isinstance(live, list) and isinstance(declared, list):
        # Of entries of other kinds than declared nothing can be cut off.
        if live and declared and type(live[0]) is not type(declared[0]):
            return live
        return [_cut(now, then) for now, then in zip(live, declared, strict=False)]
    return live


def _is_zero(value: object) -> bool:
    return isinstance(value, bool | int | float | str) and not value
