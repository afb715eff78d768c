"""What the engine's state remembers of adapters, read off its file."""

import json
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

from tests.chaos.histories.events import Place
from tests.chaos.histories.manifests import COUNT, data_port_name

_SERVER = "dittoinfra:index:Server"
_SERVICE = "dittoinfra:index:Server$kubernetes:core/v1:Service"

Remembered = Mapping[Place, tuple[int | None, int]]
"""Port and absence count of every adapter."""


def remembered(file: Path) -> Remembered:
    """What the servers' components say and, where they say nothing of one, its Service."""
    resources = _resources(file)
    held = dict(_held(resources))
    # A removal that has failed leaves the adapter as it was noted then.
    still_there = {place: it for place, it in _noted(resources, "removed") if place in held}
    return {**held, **still_there, **dict(_noted(resources, "adapters"))}


def _resources(file: Path) -> list[dict[str, Any]]:
    if not file.exists():
        return []
    latest = json.loads(file.read_text())["checkpoint"]["latest"] or {}
    return latest.get("resources") or []


def _kind(resource: Mapping[str, Any]) -> str:
    return str(resource["urn"].split("::", 3)[2])


def _noted(resources: list[dict[str, Any]], where: str) -> Iterator[tuple[Place, tuple[int | None, int]]]:
    for resource in resources:
        if _kind(resource).endswith(_SERVER):
            server = resource["urn"].rpartition("::")[2]
            for kind, it in ((resource.get("outputs") or {}).get(where) or {}).items():
                yield Place(server, kind), (int(it["port"]), int(it.get("absences", 0)))


def _held(resources: list[dict[str, Any]]) -> Iterator[tuple[Place, tuple[int | None, int]]]:
    for resource in resources:
        name = resource["urn"].rpartition("::")[2]
        # A server has other Services, too: the one of its API, the headless one, those of split-off ports.
        if _kind(resource).endswith(_SERVICE) and "/" in name and not name.startswith("udp:"):
            place = Place(*name.split("/", 1))
            live = resource["outputs"]
            data = data_port_name(place.type)
            ports = [port["targetPort"] for port in live["spec"]["ports"] if port.get("name") == data]
            count = (live["metadata"].get("annotations") or {}).get(COUNT, "0")
            yield place, (ports[0] if ports else None, int(count))
