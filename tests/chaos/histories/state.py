"""What the engine's state holds of a stack's adapters, read off its file: the memory of the rules."""

import json
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from tests.chaos.histories.events import Place
from tests.chaos.histories.manifests import COUNT, data_port_name

_SERVICE = "dittoinfra:index:Server$kubernetes:core/v1:Service"
_SERVER = "dittoinfra:index:Server"


@dataclass(frozen=True, slots=True)
class Held:
    """One adapter in the state."""

    port: int
    """Where it listens, as its server's component remembers it."""
    count: int
    """Answered polls in a row that missed the adapter."""
    inputs: Mapping[str, Any] | None
    """What was declared as its Service, or what a refresh has found of it; None where there is no Service."""


def has_servers(file: Path) -> bool:
    """Whether the state holds any server: the stack has been up before."""
    latest = json.loads(file.read_text())["checkpoint"]["latest"] or {}
    return any(_of_type(latest.get("resources") or [], _SERVER))


def held(file: Path) -> dict[Place, Held]:
    """Every adapter in the state; none where there is no state yet."""
    latest = json.loads(file.read_text())["checkpoint"]["latest"] or {}
    resources = latest.get("resources") or []
    services: dict[Place, Mapping[str, Any]] = {}
    for name, resource in _of_type(resources, _SERVICE):
        # A server has other Services, too: the one of its API, the headless one, those of split-off ports.
        if "/" not in name or name.startswith("udp:"):
            continue
        place = Place(*name.split("/", 1))
        assert place not in services, f"{place} is in the state twice"
        services[place] = resource
    noted = {
        Place(server, kind): it
        for server, resource in _of_type(resources, _SERVER)
        for kind, it in resource["outputs"]["adapters"].items()
    }
    # A removal that has failed leaves the adapter as it was noted then.
    noted |= {
        place: it
        for server, resource in _of_type(resources, _SERVER)
        for kind, it in resource["outputs"].get("removed", {}).items()
        if (place := Place(server, kind)) in services and place not in noted
    }
    return {
        **{place: _standing(place, it) for place, it in services.items() if place not in noted},
        **{
            place: Held(int(it["port"]), int(it["absences"]), services.get(place, {}).get("inputs"))
            for place, it in noted.items()
        },
    }


def _of_type(resources: list[dict[str, Any]], kind: str) -> Iterator[tuple[str, Mapping[str, Any]]]:
    for resource in resources:
        _, _, qualified, name = resource["urn"].split("::", 3)
        if qualified.endswith(kind):
            yield name, resource


def _standing(place: Place, resource: Mapping[str, Any]) -> Held:
    """A Service that no component notes: its removal has failed."""
    live = resource["outputs"]
    [target] = [p["targetPort"] for p in live["spec"]["ports"] if p.get("name") == data_port_name(place.type)]
    count = (live["metadata"].get("annotations") or {}).get(COUNT, "0")
    return Held(target, int(count), resource["inputs"])
