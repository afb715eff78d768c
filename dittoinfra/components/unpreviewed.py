"""Objects that the API would refuse in a preview, although it accepts the update.

The provider does not send an object with an unknown value in a preview, so one value is made unknown.
"""

from collections.abc import Mapping
from typing import Any

import pulumi

from dittoinfra.nested_values import UNKNOWN, mapped
from dittoinfra.object_model import DeclaredObject

_NUMBERS = ("port", "containerPort")
"""The fields of a Service's and of a container's port that have its number."""


def moved_ports_hidden(this: DeclaredObject, now: Mapping[str, int]) -> Mapping[str, Any]:
    """A manifest in which the numbers of moved ports are unknown; `now` are the object's ports by name."""

    def hidden(value: Any) -> Any:  # noqa: ANN401 - any part of a manifest
        if not isinstance(value, Mapping) or value.get("name") not in now:
            return value
        number = next((field for field in _NUMBERS if field in value), None)
        if number is None or now[value["name"]] == value[number]:
            return value
        moved = f"{value['name']} moves from {now[value['name']]} to {value[number]}"
        pulumi.log.info(
            f"{this.kind} {this.held.name}: {moved}; the preview of this first update since it was created "
            "shows the number as unknown"
        )
        return {**value, number: UNKNOWN}

    changed: Mapping[str, Any] = mapped(this.manifest, hidden)
    return changed
