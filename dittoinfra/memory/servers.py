"""Which servers a stack's state holds, and which of them were found in the cluster. Pure."""

from collections.abc import Mapping
from typing import Any

from dittoinfra.blocks import block, text
from dittoinfra.memory.services import adapter_of
from dittoinfra.model import FoundServer, RememberedServer, ServersMemory
from dittoinfra.naming import SERVER_TYPE

_STATEFUL_SET_OF_SERVER = f"{SERVER_TYPE}$kubernetes:apps/v1:StatefulSet"


def server_memory(namespace: str, found: FoundServer | None) -> dict[str, Any]:
    """What a server's component leaves in the state, for `remembered_servers` to read."""
    if found is None:
        return {"namespace": namespace, "found": False}
    counted = {"absences": found.absences} if found.absences else {}
    return {"namespace": namespace, "found": True, "labels": dict(found.labels), **counted}


def remembered_servers(resources: Mapping[str, Mapping[str, Any]]) -> ServersMemory:
    """Every server, from the state's resources by URN."""
    components: dict[str, Mapping[str, Any]] = {}
    deployed: set[str] = set()
    standing: dict[str, str] = {}
    for urn, resource in resources.items():
        _, _, qualified_type, name = urn.split("::", 3)
        outputs = resource.get("outputs") or {}
        if qualified_type.rpartition("$")[2] == SERVER_TYPE:
            components[name] = outputs
        elif qualified_type.endswith(_STATEFUL_SET_OF_SERVER):
            deployed.add(name)
        elif adapter := adapter_of(urn):
            standing[adapter[0]] = text(block(outputs, "metadata"), "namespace") or "default"
    return {
        name: RememberedServer(
            # A Service cannot move, so it knows better than what was noted before it was made.
            namespace=standing.get(name) or text(outputs, "namespace") or "default",
            found=None if name in deployed else _found(outputs),
            deployed=name in deployed,
            absences=_count(outputs.get("absences")),
        )
        for name, outputs in components.items()
    }


def _count(counted: object) -> int:
    # The engine hands numbers over as floats; whatever else is there, starting over removes nothing.
    return int(counted) if isinstance(counted, int | float) and 0 <= counted < 1000 else 0


def _found(outputs: Mapping[str, Any]) -> Mapping[str, str] | None:
    # A server that nobody is known to have configured counts as found: on that side nothing goes at once.
    if outputs.get("found") is False:
        return None
    return {key: value for key, value in block(outputs, "labels").items() if isinstance(value, str)}
