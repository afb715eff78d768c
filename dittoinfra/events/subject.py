"""What a step of the engine is about, in the words that events use."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Literal

from pulumi.automation import OpType, StepEventMetadata

from dittoinfra.automation import ObjectReference, metadata_of, object_of, server_around
from dittoinfra.naming import ADAPTER_SERVICE_TYPE, parse_adapter_resource, selector

Action = Literal["Create", "Update", "Delete"]

ACTIONS: Mapping[OpType, Action] = {
    OpType.CREATE: "Create",
    OpType.CREATE_REPLACEMENT: "Create",
    OpType.UPDATE: "Update",
    OpType.DELETE: "Delete",
    OpType.DELETE_REPLACED: "Delete",
}
"""What is done to an object. The engine's other steps are its bookkeeping."""

_PORT_PATCH = "kubernetes:apps/v1:StatefulSetPatch"


@dataclass(frozen=True, slots=True)
class Subject:
    """The object of a step, and whose it is."""

    action: Action
    object: ObjectReference
    server: str | None
    adapter: str | None
    only_ports: bool
    """Whether nothing but container ports of somebody else's StatefulSet is declared."""

    @property
    def is_adapter_service(self) -> bool:
        """Whether it is what the operator calls an adapter Service."""
        return self.adapter is not None and self.object.kind == "Service"


def subject(metadata: StepEventMetadata) -> Subject | None:
    """The subject of a step; None where nothing is done to a Kubernetes object."""
    action, about = ACTIONS.get(metadata.op), object_of(metadata)
    if action is None or about is None:
        return None
    state = metadata.new or metadata.old
    parent = state.parent if state is not None else ""
    return Subject(
        action,
        about,
        server=(server_around(parent) if parent else None) or _labelled(state.inputs if state else None),
        adapter=_adapter(parent),
        only_ports=metadata.type == _PORT_PATCH,
    )


def _labelled(inputs: Any) -> str | None:  # noqa: ANN401 - the SDK's events have no narrower type
    # An object inside another component of its server has the server's name on a label.
    labels = metadata_of(inputs).get("labels")
    key = list(selector(""))[-1]
    return str(labels[key]) if isinstance(labels, dict) and key in labels else None


def _adapter(parent: str) -> str | None:
    types, _, name = parent.partition("::")[2].partition("::")[2].partition("::")
    found = parse_adapter_resource(name) if types.endswith(ADAPTER_SERVICE_TYPE) else None
    return found[1] if found else None
