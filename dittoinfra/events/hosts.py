"""Host names that come and go with a Service's annotations. Pure."""

from collections.abc import Iterator, Mapping
from typing import Any

from dittoinfra.automation import metadata_of
from dittoinfra.decide.dns_annotations import EXTERNAL_DNS, ROUTER_HOSTS

_NAMES = {
    ROUTER_HOSTS: ("hostname", "aliases"),
    EXTERNAL_DNS: ("hostname",),
}
"""Annotations that carry names, comma-separated, by the prefix of who reads them."""

_ADDRESSES = (f"{ROUTER_HOSTS}/ip-address", f"{EXTERNAL_DNS}/target")

Properties = Mapping[str, Any] | None


def host_changes(before: Properties, after: Properties) -> Iterator[tuple[str, str]]:
    """Reason and message for every name that is new, moved or gone."""
    old, new = host_names(before), host_names(after)
    addresses = ", ".join(_addresses(after))
    moved = addresses != ", ".join(_addresses(before))
    for name in sorted(new):
        if name in old and not moved:
            continue
        if addresses:
            yield "HostRegistered", f"{name} → {addresses}"
        else:
            yield "PendingLoadBalancer", f"{name} waits for the load balancer's address"
    for name in sorted(old - new):
        yield "HostDeleted", f"{name} is not asked for any more"


def host_names(properties: Properties) -> frozenset[str]:
    """Every name that an object's annotations ask for."""
    annotations = _annotations(properties)
    listed = (annotations.get(f"{prefix}/{key}", "") for prefix, keys in _NAMES.items() for key in keys)
    return frozenset(name.strip() for names in listed for name in names.split(",") if name.strip())


def _addresses(properties: Properties) -> list[str]:
    annotations = _annotations(properties)
    given = [annotations[key] for key in _ADDRESSES if annotations.get(key)]
    return given or sorted(_ingress(properties))


def _ingress(properties: Properties) -> Iterator[str]:
    found: Any = properties
    for key in ("status", "loadBalancer", "ingress"):
        found = found.get(key) if isinstance(found, Mapping) else None
    for each in found or ():
        address = each.get("ip") or each.get("hostname")
        if address:
            yield str(address)


def _annotations(properties: Properties) -> Mapping[str, str]:
    found = metadata_of(properties).get("annotations")
    return {str(k): str(v) for k, v in found.items()} if isinstance(found, Mapping) else {}
