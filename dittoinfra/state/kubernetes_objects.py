"""Which Kubernetes objects a stack's state holds, where they are, and their immutable fields. Pure."""

from collections.abc import Mapping
from typing import Any

from dittoinfra.naming import PATCHED_PORTS_ANNOTATION, RESTARTED_ANNOTATION
from dittoinfra.nested_values import block, text
from dittoinfra.object_model import (
    FixedFields,
    HeldObject,
    HeldObjects,
    ObjectIdentity,
    ObjectPlace,
    VolumeClaim,
    WorkloadMemory,
)
from dittoinfra.urns import SERVER_TYPE, resource_name, resource_type, tree_type

Resources = Mapping[str, Mapping[str, Any]]
"""The resources of a state by URN."""

STATEFUL_SET_OF_SERVER = f"{SERVER_TYPE}$kubernetes:apps/v1:StatefulSet"

OWN_MANAGER = "__fieldManager"
"""Key under which the provider keeps the field manager that it applies an object with in its state."""

_POD_ANNOTATIONS = ("spec", "template", "metadata", "annotations")
_SECRETS = ("Secret", "SecretPatch")


def outputs_by_name(resources: Resources, of_type: str) -> dict[str, Mapping[str, Any]]:
    """The outputs of every resource of a type, which may include the types of its parents, by name."""
    found: dict[str, Mapping[str, Any]] = {}
    for urn, resource in resources.items():
        parents, kind = tree_type(urn)
        if f"${parents}${kind}".endswith(f"${of_type}"):
            found[resource_name(urn)] = resource.get("outputs") or {}
    return found


def held_objects(resources: Resources) -> HeldObjects:
    """Every Kubernetes object of the state, patches included."""
    return {
        held: object_place(held, resource.get("outputs") or {})
        for urn, resource in resources.items()
        if (held := held_object(urn)) is not None
    }


def object_identities(resources: Resources) -> Mapping[HeldObject, ObjectIdentity]:
    """What the state knows of every object to recognise it by."""
    return {
        # A resource of a component has its own URN beside the one in this project's tree.
        held: ObjectIdentity(
            text(resource, "urn") or urn,
            text(block(resource, "outputs", "metadata"), "uid"),
            text(block(resource, "outputs"), OWN_MANAGER) or None,
        )
        for urn, resource in resources.items()
        if (held := held_object(urn)) is not None
    }


def remembered_objects(resources: Resources) -> Mapping[HeldObject, Mapping[str, Any]]:
    """Every object except Secrets, as the engine last saw it, with what was declared of it."""
    return {
        held: resource.get("outputs") or {}
        for urn, resource in resources.items()
        if (held := held_object(urn)) is not None and held.kind not in _SECRETS
    }


def held_object(urn: str) -> HeldObject | None:
    """The Kubernetes object that a resource is; None for any other resource."""
    provider, _, object_type = resource_type(urn).partition(":")
    if provider != "kubernetes" or ":" not in object_type:
        return None
    api_version, _, kind = object_type.rpartition(":")
    # The SDK calls the unnamed API group "core".
    return HeldObject(api_version.removeprefix("core/"), kind, resource_name(urn))


def remembered_workloads(resources: Resources) -> WorkloadMemory:
    """The immutable fields of every deployed server."""
    return {
        server: fixed_fields(stateful_set)
        for server, stateful_set in outputs_by_name(resources, STATEFUL_SET_OF_SERVER).items()
        # A StatefulSet that was never created has no spec in the state, and no field of it is fixed yet.
        if block(stateful_set, "spec")
    }


def remembered_restarts(resources: Resources) -> Mapping[str, str]:
    """When `kubectl rollout restart` was last run on a deployed server, as far as the state knows."""
    return {
        server: restarted
        for server, stateful_set in outputs_by_name(resources, STATEFUL_SET_OF_SERVER).items()
        if (restarted := text(block(stateful_set, *_POD_ANNOTATIONS), RESTARTED_ANNOTATION)) is not None
    }


def patched_ports(resources: Resources) -> Mapping[str, str]:
    """Ports that the stack has added to StatefulSets of other managers, in one line, by server."""
    return {
        server: ports
        for server, patch in outputs_by_name(resources, f"{STATEFUL_SET_OF_SERVER}Patch").items()
        if (ports := text(block(patch, "metadata", "annotations"), PATCHED_PORTS_ANNOTATION)) is not None
    }


def fixed_fields(stateful_set: Mapping[str, Any]) -> FixedFields:
    """The immutable fields of a StatefulSet, from the object itself."""
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


def object_place(held: HeldObject, outputs: Mapping[str, Any]) -> ObjectPlace | None:
    """Where an object of the state is; None where the state does not say, and for a patch."""
    metadata = block(outputs, "metadata")
    name = text(metadata, "name")
    # A patched object belongs to another manager.
    if name is None or held.kind.endswith("Patch"):
        return None
    return ObjectPlace(held.api_version, held.kind, text(metadata, "namespace") or "", name)
