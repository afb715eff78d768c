"""The adapters that the engine's state remembers, read from its file."""

import json
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

from tests.chaos.histories.events import AdapterName
from tests.chaos.histories.manifests import COUNT, data_port_name

_SERVER = "dittoinfra:index:Server"
_SERVICE = "dittoinfra:index:Server$kubernetes:core/v1:Service"

Remembered = Mapping[AdapterName, tuple[int | None, int]]
"""Port and absence count of every adapter."""


def remembered(file: Path) -> Remembered:
    """What the servers' components say or, without an entry there, the adapter's Service."""
    resources = _resources(file)
    held = dict(_held(resources))
    # A removal that has failed leaves the adapter as it was noted then.
    still_there = {adapter: it for adapter, it in _noted(resources, "removed") if adapter in held}
    return {**held, **still_there, **dict(_noted(resources, "adapters"))}


def declared_resources(file: Path) -> Mapping[str, Any]:
    """What the state says of every resource that the program declares, by URN."""
    held = {resource["urn"]: resource.get("outputs") for resource in _resources(file)}
    return {urn: outputs for urn, outputs in held.items() if "::pulumi:" not in urn}


def _resources(file: Path) -> list[dict[str, Any]]:
    if not file.exists():
        return []
    latest = json.loads(file.read_text())["checkpoint"]["latest"] or {}
    return latest.get("resources") or []


def _kind(resource: Mapping[str, Any]) -> str:
    return str(resource["urn"].split("::", 3)[2])


def _noted(
    resources: list[dict[str, Any]], where: str
) -> Iterator[tuple[AdapterName, tuple[int | None, int]]]:
    for resource in resources:
        if _kind(resource).endswith(_SERVER):
            server = resource["urn"].rpartition("::")[2]
            for kind, it in ((resource.get("outputs") or {}).get(where) or {}).items():
                yield AdapterName(server, kind), (int(it["port"]), int(it.get("absences", 0)))


def _held(resources: list[dict[str, Any]]) -> Iterator[tuple[AdapterName, tuple[int | None, int]]]:
    for resource in resources:
        name = resource["urn"].rpartition("::")[2]
        # A server has other Services, too: the one of its API, the headless one, those of split-off ports.
        if _kind(resource).endswith(_SERVICE) and "/" in name and not name.startswith("udp:"):
            adapter = AdapterName(*name.split("/", 1))
            live = resource["outputs"]
            data = data_port_name(adapter.type)
            ports = [port["targetPort"] for port in live["spec"]["ports"] if port.get("name") == data]
            count = (live["metadata"].get("annotations") or {}).get(COUNT, "0")
            yield adapter, (ports[0] if ports else None, int(count))
