"""What the engine's state holds of a stack's adapters, read off its file: the memory of the rules."""

import json
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from tests.histories.events import Place
from tests.histories.manifests import COUNT, data_port_name

_SERVICE = "dittoinfra:index:AdapterService$kubernetes:core/v1:Service"


@dataclass(frozen=True, slots=True)
class Held:
    """One adapter's Service in the state."""

    port: int | None
    """Where its data port leads; None where somebody has taken that port away."""
    count: int
    """Answered polls in a row that missed the adapter."""
    inputs: Mapping[str, Any]
    """What was declared, or what a refresh has found of it."""


def held(file: Path) -> dict[Place, Held]:
    """Every adapter in the state; none where there is no state yet."""
    latest = json.loads(file.read_text())["checkpoint"]["latest"] or {}
    found: dict[Place, Held] = {}
    for resource in latest.get("resources") or ():
        _, _, kind, name = resource["urn"].split("::", 3)
        if kind.endswith(_SERVICE):
            place = Place(*name.split("/", 1))
            assert place not in found, f"{place} is in the state twice"
            found[place] = _held(place, resource)
    return found


def _held(place: Place, resource: Mapping[str, Any]) -> Held:
    live = resource["outputs"]
    name = data_port_name(place.type)
    targets = [port["targetPort"] for port in live["spec"]["ports"] if port.get("name") == name]
    count = (live["metadata"].get("annotations") or {}).get(COUNT, "0")
    return Held(targets[0] if targets else None, int(count), resource["inputs"])
