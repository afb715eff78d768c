"""Which names a stack's state holds, and where its adapter Services are found. Pure."""

from collections.abc import Mapping
from typing import Any, get_args

from dittoinfra.blocks import block, text
from dittoinfra.memory.services import SERVICE_OF_ADAPTER
from dittoinfra.model import Addresses, DnsBackend, HostNames, NameMemory, ToldNames
from dittoinfra.naming import ADAPTER_SERVICE_TYPE, parse_adapter_resource

DNS_OUTPUT = "dns"
"""Output of an adapter's component that tells its names."""


def told_names(names: HostNames, addresses: Addresses) -> dict[str, Any]:
    """Names in the form in which the state holds them, as an output of the adapter's component.

    The Service's own annotations would not do: they are live, and others write on them too. Nor would its
    status: the engine learns of an address at the next update only, and the same news would be told each run.
    """
    return {
        "namespace": names.namespace,
        "service": names.service,
        "backend": names.backend,
        "hostname": names.hostname,
        "aliases": list(names.aliases),
        "ip": names.ip,
        "gracePeriod": names.grace_period,
        "addresses": list(addresses),
    }


def remembered_names(resources: Mapping[str, Mapping[str, Any]]) -> NameMemory:
    """Names and addresses by adapter, from the state's resources by URN."""
    told: dict[str, ToldNames] = {}
    addresses: dict[str, Addresses] = {}
    for urn, resource in resources.items():
        _, _, qualified_type, name = urn.split("::", 3)
        outputs = resource.get("outputs") or {}
        adapter = parse_adapter_resource(name)
        if adapter is None:
            continue
        if qualified_type.endswith(SERVICE_OF_ADAPTER):
            addresses[name] = ingress_addresses(outputs)
        elif qualified_type.endswith(ADAPTER_SERVICE_TYPE):
            names = _told(*adapter, block(outputs, DNS_OUTPUT))
            if names is not None:
                told[name] = names
    return NameMemory(told, addresses)


def ingress_addresses(service: Mapping[str, Any]) -> Addresses:
    """Every address or host name that a load balancer has given a Service, in a stable order."""
    ingresses = block(service, "status", "loadBalancer").get("ingress")
    entries = (
        [entry for entry in ingresses if isinstance(entry, Mapping)] if isinstance(ingresses, list) else []
    )
    return tuple(sorted(filter(None, (text(entry, "ip") or text(entry, "hostname") for entry in entries))))


def _told(server: str, adapter_type: str, told: Mapping[str, Any]) -> ToldNames | None:
    namespace, service, hostname = (text(told, key) for key in ("namespace", "service", "hostname"))
    backend: DnsBackend | None = next((b for b in get_args(DnsBackend) if b == told.get("backend")), None)
    if namespace is None or service is None or hostname is None or backend is None:
        return None
    grace = told.get("gracePeriod")
    names = HostNames(
        server=server,
        type=adapter_type,
        namespace=namespace,
        service=service,
        backend=backend,
        hostname=hostname,
        aliases=_texts(told.get("aliases")),
        ip=text(told, "ip"),
        # The engine hands numbers over as floats.
        grace_period=int(grace) if isinstance(grace, int | float) else None,
    )
    return ToldNames(names, _texts(told.get("addresses")))


def _texts(values: object) -> tuple[str, ...]:
    return tuple(value for value in values if isinstance(value, str)) if isinstance(values, list) else ()
