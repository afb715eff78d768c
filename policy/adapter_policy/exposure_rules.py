"""Which adapters anybody on the internet may reach."""

import ipaddress
from collections.abc import Mapping
from collections.abc import Set as AbstractSet
from typing import Any, Final

from adapter_policy.removal_rules import LOAD_BALANCER
from adapter_policy.service_object import AdapterService, mapping, text

INTERNAL: Final[Mapping[str, AbstractSet[str]]] = {
    "service.beta.kubernetes.io/aws-load-balancer-internal": {"true", "0.0.0.0/0"},
    "service.beta.kubernetes.io/aws-load-balancer-scheme": {"internal"},
    "service.beta.kubernetes.io/azure-load-balancer-internal": {"true"},
    "networking.gke.io/load-balancer-type": {"internal"},
    "cloud.google.com/load-balancer-type": {"internal"},
    "service.beta.kubernetes.io/openstack-internal-load-balancer": {"true"},
}
"""Annotations by which a cloud makes a load balancer for its own network only, in lower case."""


def open_to_the_world(service: AdapterService, properties: Mapping[str, Any]) -> str | None:
    """Why anybody may reach the adapter, or None where somebody is kept out."""
    if service.type != LOAD_BALANCER or _is_internal(properties):
        return None
    ranges = mapping(properties.get("spec")).get("loadBalancerSourceRanges")
    if not ranges:
        return "has no spec.loadBalancerSourceRanges"
    # Ranges that are not known in a preview are checked by the update.
    every = next((each for each in ranges if _is_everything(each)), None) if _is_list(ranges) else None
    return f"lets {every} in" if every else None


def exposure_message(service: AdapterService, why: str) -> str:
    """What is wrong, and the ways out of it."""
    return (
        f"{service.short_name}: its LoadBalancer Service {service.location} {why}, so it is open to the "
        f"world; give the networks of its clients, or name {service.short_name} under "
        "`adapter-exposure: {open: […]}` in the policy pack's configuration"
    )


def _is_internal(properties: Mapping[str, Any]) -> bool:
    annotations = mapping(mapping(properties.get("metadata")).get("annotations"))
    return any(text(annotations.get(key)).lower() in values for key, values in INTERNAL.items())


def _is_list(value: object) -> bool:
    return isinstance(value, list | tuple)


def _is_everything(source: object) -> bool:
    try:
        return ipaddress.ip_network(text(source).strip(), strict=False).prefixlen == 0
    except ValueError:
        return False
