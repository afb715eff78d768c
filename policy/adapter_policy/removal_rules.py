"""Which adapters lose their load balancer, and which of these removals nobody has approved."""

from collections.abc import Iterator, Mapping, Sequence
from collections.abc import Set as AbstractSet
from dataclasses import dataclass
from typing import Any

from adapter_policy.service_object import AdapterService, adapter_service, mapping, text

LOAD_BALANCER = "LoadBalancer"


@dataclass(frozen=True, slots=True)
class Declared:
    """A resource of the stack as it is after the run."""

    urn: str
    type: str
    properties: Mapping[str, Any]
    aliases: Sequence[str] = ()
    """URNs under which the state may still hold it."""


@dataclass(frozen=True, slots=True)
class Removal:
    """An adapter whose Service loses its address, and how."""

    service: AdapterService
    how: str

    def __str__(self) -> str:
        name = self.service.short_name
        return (
            f"{name}: its LoadBalancer Service {self.service.location} {self.how}, and clients lose its "
            f"address; if that is meant, name {name} under `adapter-removals: {{approve: […]}}` in the "
            "policy pack's configuration"
        )


def held_services(deployment: Mapping[str, Any]) -> tuple[AdapterService, ...]:
    """The adapters' Services of type LoadBalancer in an exported state."""
    resources = deployment.get("resources")
    found = (
        adapter_service(text(this.get("urn")), text(this.get("type")), mapping(this.get("outputs")))
        for this in map(mapping, resources if isinstance(resources, list) else ())
        # What waits for its deletion was replaced by an earlier run; what is external is not the stack's.
        if not this.get("delete") and not this.get("external")
    )
    return tuple(service for service in found if service is not None and service.type == LOAD_BALANCER)


def unapproved(
    held: Sequence[AdapterService], declared: Sequence[Declared], approved: AbstractSet[str]
) -> tuple[Removal, ...]:
    """Every removal that `approved` does not name, as `server/type` or `namespace/server/type`."""
    short_names = [service.short_name for service in held]
    return tuple(
        removal
        for removal in _removals(held, declared)
        if removal.service.long_name not in approved
        # A short name that two namespaces share could mean either.
        and not (
            removal.service.short_name in approved and short_names.count(removal.service.short_name) == 1
        )
    )


def _removals(held: Sequence[AdapterService], declared: Sequence[Declared]) -> Iterator[Removal]:
    after = {alias: this for this in declared for alias in this.aliases}
    after |= {this.urn: this for this in declared}
    for service in held:
        how = _loss(service, after.get(service.urn))
        if how:
            yield Removal(service, how)


def _loss(service: AdapterService, now: Declared | None) -> str | None:
    if now is None:
        return "is removed"
    metadata = mapping(now.properties.get("metadata"))
    name, namespace = text(metadata.get("name")), text(metadata.get("namespace"))
    if (name or service.name) != service.name or (namespace or service.namespace) != service.namespace:
        place = "/".join(filter(None, (namespace or service.namespace, name or service.name)))
        return f"is replaced by {place}"
    # A preview keeps the uid of an object that is updated, and has none yet of one that is created. But where
    # a value is not known yet, it shows what is declared, and nothing else.
    uid = text(metadata.get("uid"))
    if service.uid and uid != service.uid and (uid or _is_known(now.properties)):
        return "is replaced by another of the same name"
    kind = text(mapping(now.properties.get("spec")).get("type"))
    return f"becomes a {kind}" if kind not in ("", LOAD_BALANCER) else None


def _is_known(value: object) -> bool:
    """Whether every value in a property is known: text, a number, or made of such."""
    if isinstance(value, Mapping):
        return all(map(_is_known, value.values()))
    if isinstance(value, list | tuple):
        return all(map(_is_known, value))
    return value is None or isinstance(value, str | int | float)
