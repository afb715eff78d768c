"""Which Kubernetes objects a stack's state holds. Pure."""

from collections.abc import Iterable

from dittoinfra.model import HeldObject

_PROVIDER = "kubernetes"


def held_objects(urns: Iterable[str]) -> frozenset[HeldObject]:
    """Every Kubernetes object among the state's resources, patches included, from their URNs."""
    return frozenset(held for urn in urns if (held := _held(urn)) is not None)


def _held(urn: str) -> HeldObject | None:
    _, _, qualified_type, name = urn.split("::", 3)
    provider, _, object_type = qualified_type.rpartition("$")[2].partition(":")
    if provider != _PROVIDER or ":" not in object_type:
        return None
    api_version, _, kind = object_type.rpartition(":")
    # The SDK has a name for the group that has none.
    return HeldObject(api_version.removeprefix("core/"), kind, name)
