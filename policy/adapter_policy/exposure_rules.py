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

NODE_PORT: Final = "NodePort"


def open_to_the_world(
    service: AdapterService, properties: Mapping[str, Any], *, node_ports_allowed: bool = False
) -> str | None:
    """Why anybody may reach the adapter, or None where somebody is kept out."""
    if service.type == NODE_PORT:
        # A Service has no field that says who may use its node ports.
        return None if node_ports_allowed else "opens a port on every node"
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
    named = (
        f"name {service.short_name} under `adapter-exposure: {{open: […]}}` in the policy pack's "
        "configuration"
    )
    open_to, ways_out = (
        (
            "everybody who reaches one",
            f"make it a ClusterIP, {named}, or set `allowNodePorts: true` there if no node can be reached "
            "from outside",
        )
        if service.type == NODE_PORT
        else ("the world", f"give the networks of its clients, or {named}")
    )
    return (
        f"{service.short_name}: its {service.type} Service {service.location} {why}, so it is open to "
        f"{open_to}; {ways_out}"
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
