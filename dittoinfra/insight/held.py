"""What a stack's exported state says of adapters, outputs and interrupted operations. Pure."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from dittoinfra.blocks import block, text
from dittoinfra.memory import adapter_of
from dittoinfra.program.live import Place

_STACK = "pulumi:pulumi:Stack"

Adapter = tuple[str, str]
"""Server and type."""


@dataclass(frozen=True, slots=True)
class HeldState:
    """The parts of a state that people ask for."""

    services: Mapping[Adapter, Mapping[str, Any]] = field(default_factory=dict)
    """The Service of every adapter, as the engine last saw it."""
    servers: Mapping[str, Any] = field(default_factory=dict)
    """The stack's output of that name, from its last run."""
    pending: tuple[str, ...] = ()

    @property
    def places(self) -> frozenset[Place]:
        """Where in the cluster these Services are."""
        return frozenset(map(place, self.services.values()))


def held_state(deployment: Mapping[str, Any]) -> HeldState:
    """Read a deployment as the engine exports it."""
    services: dict[Adapter, Mapping[str, Any]] = {}
    servers: Mapping[str, Any] = {}
    for resource in deployment.get("resources") or ():
        adapter = adapter_of(str(resource["urn"]))
        # What is marked for deletion has a successor under the same URN.
        if adapter is not None and not resource.get("delete"):
            services[adapter] = resource.get("outputs") or {}
        if resource["type"] == _STACK:
            servers = block(resource, "outputs", "servers")
    return HeldState(services, servers, tuple(map(_interrupted, deployment.get("pending_operations") or ())))


def place(service: Mapping[str, Any]) -> Place:
    """Namespace and name of an object."""
    metadata = block(service, "metadata")
    return text(metadata, "namespace") or "default", text(metadata, "name") or ""


def _interrupted(operation: Mapping[str, Any]) -> str:
    _, _, qualified_type, name = str(block(operation, "resource").get("urn")).split("::", 3)
    return f"{operation.get('type')} {qualified_type.rpartition(':')[2]} {name}"
