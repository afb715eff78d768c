"""The adapters in the engine's state, read from its file."""

import json
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from tests.chaos.histories.events import AdapterName
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
    """Whether the state has any server: the stack has been up before."""
    latest = json.loads(file.read_text())["checkpoint"]["latest"] or {}
    return any(_of_type(latest.get("resources") or [], _SERVER))


def held(file: Path) -> dict[AdapterName, Held]:
    """Every adapter in the state; none if there is no state."""
    latest = json.loads(file.read_text())["checkpoint"]["latest"] or {}
    resources = latest.get("resources") or []
    services: dict[AdapterName, Mapping[str, Any]] = {}
    for name, resource in _of_type(resources, _SERVICE):
        # A server has other Services, too: the one of its API, the headless one, those of split-off ports.
        if "/" not in name or name.startswith("udp:"):
            continue
        adapter = AdapterName(*name.split("/", 1))
        assert adapter not in services, f"{adapter} is in the state twice"
        services[adapter] = resource
    noted = {
        AdapterName(server, kind): it
        for server, resource in _of_type(resources, _SERVER)
        for kind, it in resource["outputs"]["adapters"].items()
    }
    # A removal that has failed leaves the adapter as it was noted then.
    noted |= {
        adapter: it
        for server, resource in _of_type(resources, _SERVER)
        for kind, it in resource["outputs"].get("removed", {}).items()
        if (adapter := AdapterName(server, kind)) in services and adapter not in noted
    }
    return {
        **{adapter: _standing(adapter, it) for adapter, it in services.items() if adapter not in noted},
        **{
            adapter: Held(int(it["port"]), int(it["absences"]), services.get(adapter, {}).get("inputs"))
            for adapter, it in noted.items()
        },
    }


def _of_type(resources: list[dict[str, Any]], kind: str) -> Iterator[tuple[str, Mapping[str, Any]]]:
    for resource in resources:
        _, _, qualified, name = resource["urn"].split("::", 3)
        if qualified.endswith(kind):
            yield name, resource


def _standing(adapter: AdapterName, resource: Mapping[str, Any]) -> Held:
    """A Service without an entry in its server's component: its removal has failed."""
    live = resource["outputs"]
    [target] = [
        p["targetPort"] for p in live["spec"]["ports"] if p.get("name") == data_port_name(adapter.type)
    ]
    count = (live["metadata"].get("annotations") or {}).get(COUNT, "0")
    return Held(target, int(count), resource["inputs"])
