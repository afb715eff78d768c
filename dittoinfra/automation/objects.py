"""Which Kubernetes object a step of the engine is about."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from pulumi.automation import StepEventMetadata, StepEventStateMetadata

from dittoinfra.naming import ADAPTER_SERVICE_TYPE, SERVER_TYPE, parse_adapter_resource

_PROVIDER = "kubernetes:"
_PATCH = "Patch"


@dataclass(frozen=True, slots=True)
class ObjectReference:
    """A Kubernetes object as others would point at it."""

    api_version: str
    kind: str
    namespace: str | None
    name: str
    uid: str | None = None
    """None until the cluster has made it, or where manifests are only written."""


def object_of(metadata: StepEventMetadata) -> ObjectReference | None:
    """The object of a step; None where the resource is no Kubernetes object."""
    state = metadata.new or metadata.old
    if state is None or not metadata.type.startswith(_PROVIDER):
        return None
    # Only what the cluster answered has a uid, and after a deletion only what was there before.
    about = [metadata_of(each) for each in _told(metadata)]
    inputs = state.inputs or {}
    return ObjectReference(
        api_version=_text(inputs.get("apiVersion")) or metadata.type.split(":")[1],
        kind=_text(inputs.get("kind")) or metadata.type.rpartition(":")[2].removesuffix(_PATCH),
        namespace=_first(about, "namespace"),
        name=_first(about, "name") or metadata.urn.rpartition("::")[2],
        uid=_first(about, "uid"),
    )


def metadata_of(properties: Mapping[str, Any] | None) -> Mapping[str, Any]:
    """An object's metadata; empty where there is none, or where the engine hides it as a secret."""
    found = (properties or {}).get("metadata")
    return found if isinstance(found, Mapping) else {}


def server_around(urn: str) -> str | None:
    """The server that a component is, or is an adapter's of; None for any other resource."""
    *_, types, name = urn.split("::", 3)
    component = types.rpartition("$")[2]
    if component == SERVER_TYPE:
        return name
    adapter = parse_adapter_resource(name) if component == ADAPTER_SERVICE_TYPE else None
    return adapter[0] if adapter else None


def _told(metadata: StepEventMetadata) -> list[Mapping[str, Any] | None]:
    states: list[StepEventStateMetadata] = [each for each in (metadata.new, metadata.old) if each is not None]
    return [properties for state in states for properties in (state.outputs, state.inputs)]


def _first(told: list[Mapping[str, Any]], key: str) -> str | None:
    return next((text for each in told if (text := _text(each.get(key)))), None)


def _text(value: object) -> str | None:
    return value if isinstance(value, str) and value else None
