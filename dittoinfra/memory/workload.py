"""Which StatefulSets a stack's state holds, and what of them cannot change any more. Pure."""

from collections.abc import Mapping
from typing import Any

from dittoinfra.blocks import block, text
from dittoinfra.model import FixedFields, VolumeClaim, WorkloadMemory
from dittoinfra.naming import SERVER_TYPE

_STATEFUL_SET_OF_SERVER = f"{SERVER_TYPE}$kubernetes:apps/v1:StatefulSet"


def remembered_workloads(resources: Mapping[str, Mapping[str, Any]]) -> WorkloadMemory:
    """The fixed fields of every deployed server, from the state's resources by URN."""
    memory: dict[str, FixedFields] = {}
    for urn, resource in resources.items():
        _, _, qualified_type, server = urn.split("::", 3)
        stateful_set = resource.get("outputs") or {}
        # One that was never created has no spec in the state, and nothing of it is fixed yet.
        if qualified_type.endswith(_STATEFUL_SET_OF_SERVER) and block(stateful_set, "spec"):
            memory[server] = fixed_fields(stateful_set)
    return memory


def fixed_fields(stateful_set: Mapping[str, Any]) -> FixedFields:
    """What can no longer change about a StatefulSet, from the object itself."""
    spec = block(stateful_set, "spec")
    return FixedFields(
        namespace=text(block(stateful_set, "metadata"), "namespace") or "default",
        service_name=text(spec, "serviceName") or "",
        selector=dict(block(spec, "selector", "matchLabels")),
        pod_management=text(spec, "podManagementPolicy") or "OrderedReady",
        claims=tuple(map(_claim, spec.get("volumeClaimTemplates") or ())),
    )


def _claim(template: Mapping[str, Any]) -> VolumeClaim:
    spec = block(template, "spec")
    return VolumeClaim(
        name=text(block(template, "metadata"), "name") or "",
        size=text(block(spec, "resources", "requests"), "storage"),
        storage_class=text(spec, "storageClassName"),
    )
