"""Which adapters a stack's state holds, read off its adapter Services. Pure."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any

from dittoinfra.blocks import block, text
from dittoinfra.model import RememberedAdapter, StackMemory
from dittoinfra.naming import (
    ABSENCE_ANNOTATION,
    ADAPTER_SERVICE_TYPE,
    ADAPTER_TYPE_LABEL,
    parse_adapter_resource,
    port_name,
)

SERVICE_OF_ADAPTER = f"{ADAPTER_SERVICE_TYPE}$kubernetes:core/v1:Service"


def remembered(resources: Mapping[str, Mapping[str, Any]]) -> StackMemory:
    """Adapters by server, from the state's resources by URN.

    An adapter is known by its Service's URN, never by labels: those are live, and whoever edits one in the
    cluster must not make the stack forget a Service.
    """
    memory: dict[str, dict[str, RememberedAdapter]] = {}
    for urn, resource in resources.items():
        for server, adapter in _adapter(urn, resource.get("outputs") or {}):
            memory.setdefault(server, {})[adapter.type] = adapter
    return memory


def remembered_manifests(objects: Iterable[Mapping[str, Any]]) -> StackMemory:
    """Adapters by server, from manifests that were rendered; there are no URNs, so labels must do."""
    memory: dict[str, dict[str, RememberedAdapter]] = {}
    for manifest in objects:
        labels = block(manifest, "metadata", "labels")
        server, adapter_type = text(labels, "instance"), text(labels, ADAPTER_TYPE_LABEL)
        if manifest.get("kind") != "Service" or server is None or adapter_type is None:
            continue
        adapter = _remembered(adapter_type, manifest)
        # The Service that carries UDP ports apart has the same labels, and no data port.
        if adapter.port is not None:
            memory.setdefault(server, {})[adapter_type] = adapter
    return memory


def adapter_of(urn: str) -> tuple[str, str] | None:
    """Server and type of the adapter whose Service this resource is; None for any other resource."""
    _, _, qualified_type, name = urn.split("::", 3)
    return parse_adapter_resource(name) if qualified_type.endswith(SERVICE_OF_ADAPTER) else None


def _adapter(urn: str, outputs: Mapping[str, Any]) -> Iterator[tuple[str, RememberedAdapter]]:
    named = adapter_of(urn)
    if named is None:
        return
    server, adapter_type = named
    yield server, _remembered(adapter_type, outputs)


def _remembered(adapter_type: str, service: Mapping[str, Any]) -> RememberedAdapter:
    annotations = block(service, "metadata", "annotations")
    ports = block(service, "spec").get("ports") or ()
    return RememberedAdapter(
        adapter_type, _data_port(ports, adapter_type), _count(annotations.get(ABSENCE_ANNOTATION))
    )


def _data_port(ports: Sequence[Mapping[str, Any]], adapter_type: str) -> int | None:
    name = port_name(f"adapter-{adapter_type}")
    target = next((port.get("targetPort") for port in ports if port.get("name") == name), None)
    # The engine hands numbers over as floats.
    return int(target) if isinstance(target, int | float) and 0 < target <= 65535 else None


def _count(counted: object) -> int:
    # Somebody may have written anything there; starting over is the side on which nothing is removed.
    return int(counted) if isinstance(counted, str) and counted.isdecimal() and len(counted) < 4 else 0
