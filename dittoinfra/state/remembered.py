"""Which servers and adapters a stack's state holds. Pure.

The outputs of a server's component are authoritative: a Service may have failed to be created, or have been
edited or deleted in the cluster before a refresh. A Service whose removal has failed is remembered from the
outputs of that run, and a Service that no outputs name from its own entry in the state: an older version
created it.
"""

from collections.abc import Mapping
from typing import Any

from dittoinfra.model import RememberedAdapter, RememberedServer, ServersMemory, StackMemory
from dittoinfra.naming import ABSENCE_ANNOTATION, port_name
from dittoinfra.nested_values import block, text
from dittoinfra.state.kubernetes_objects import STATEFUL_SET_OF_SERVER, Resources, outputs_by_name
from dittoinfra.state.server_outputs import ADAPTERS, ASKED_AT, DEPLOYED, REMOVED
from dittoinfra.urns import SERVER_TYPE, adapter_around, adapter_of, is_udp_service


def remembered_adapters(resources: Resources) -> StackMemory:
    """Adapters by server; a server without any is left out."""
    memory = {server: dict(adapters) for server, adapters in adapters_with_service(resources).items()}
    split = _split_adapters(resources)
    for server, outputs in outputs_by_name(resources, SERVER_TYPE).items():
        adapters = memory.get(server, {})
        still_there = {t: it for t, it in block(outputs, REMOVED).items() if t in adapters}
        noted = {**still_there, **block(outputs, ADAPTERS)}
        for adapter_type in noted:
            service, note = adapters.get(adapter_type), block(noted, adapter_type)
            adapters[adapter_type] = RememberedAdapter(
                type=adapter_type,
                port=_port(note.get("port")) or (service.port if service else None),
                absences=_count(note.get("absences")),
                # The first Service may be gone while the second one stands.
                namespace=service.namespace if service else split.get((server, adapter_type)),
                split=(server, adapter_type) in split,
                asked_at=text(note, ASKED_AT),
            )
        if adapters:
            memory[server] = adapters
    return memory


def adapters_with_service(resources: Resources) -> StackMemory:
    """Adapters by server whose Service the state holds, as that Service describes them.

    The Service's URN identifies the adapter, never its labels: those are live, and an edit in the cluster
    must not make the stack forget a Service.
    """
    memory: dict[str, dict[str, RememberedAdapter]] = {}
    split = _split_adapters(resources)
    for urn, resource in resources.items():
        if (adapter := adapter_of(urn)) is not None:
            server, adapter_type = adapter
            described = _from_service(adapter_type, resource.get("outputs") or {}, split=adapter in split)
            memory.setdefault(server, {})[adapter_type] = described
    return memory


def _split_adapters(resources: Resources) -> Mapping[tuple[str, str], str | None]:
    """Adapters with a second Service, for their UDP ports, each with the namespace of that Service."""
    return {
        adapter: text(block(resource, "outputs", "metadata"), "namespace")
        for urn, resource in resources.items()
        if is_udp_service(urn) and (adapter := adapter_around(urn)) is not None
    }


def remembered_servers(resources: Resources) -> ServersMemory:
    """Every server, and which of them were found in the cluster."""
    servers = outputs_by_name(resources, SERVER_TYPE)
    # Earlier versions did not note it.
    deployed = {
        *outputs_by_name(resources, STATEFUL_SET_OF_SERVER),
        *(name for name, outputs in servers.items() if outputs.get(DEPLOYED) is True),
    }
    namespaces = {
        adapter[0]: text(block(resource.get("outputs") or {}, "metadata"), "namespace") or "default"
        for urn, resource in resources.items()
        if (adapter := adapter_of(urn)) is not None
    }
    return {
        name: RememberedServer(
            # A Service cannot move, so its namespace is more reliable than a note from before its creation.
            namespace=namespaces.get(name) or text(outputs, "namespace") or "default",
            found=None if name in deployed else _found(outputs),
            deployed=name in deployed,
            absences=_count(outputs.get("absences")),
        )
        for name, outputs in servers.items()
    }


def _from_service(adapter_type: str, service: Mapping[str, Any], *, split: bool) -> RememberedAdapter:
    metadata = block(service, "metadata")
    ports = block(service, "spec").get("ports") or ()
    name = port_name(f"adapter-{adapter_type}")
    counted = text(block(metadata, "annotations"), ABSENCE_ANNOTATION) or ""
    return RememberedAdapter(
        type=adapter_type,
        port=_port(next((port.get("targetPort") for port in ports if port.get("name") == name), None)),
        # The live count may have been edited; an invalid one is 0, because then nothing is removed.
        absences=int(counted) if counted.isdecimal() and len(counted) < 4 else 0,
        namespace=text(metadata, "namespace"),
        split=split,
    )


def _found(outputs: Mapping[str, Any]) -> Mapping[str, str] | None:
    # A server that is not known to be configured counts as found: then nothing is removed at once.
    if outputs.get("found") is False:
        return None
    return {key: value for key, value in block(outputs, "labels").items() if isinstance(value, str)}


def _port(value: object) -> int | None:
    # The engine passes numbers as floats.
    return int(value) if isinstance(value, int | float) and 0 < value <= 65535 else None


def _count(value: object) -> int:
    # An invalid count is 0, because then nothing is removed.
    return int(value) if isinstance(value, int | float) and 0 <= value < 1000 else 0
