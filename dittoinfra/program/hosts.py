"""What the names of a stack lead to at this moment, from its state and from the cluster."""

import socket
from collections.abc import Mapping, Sequence
from typing import Any

from dittoinfra.cluster import Cluster
from dittoinfra.cluster.objects import list_objects
from dittoinfra.decide.hosts import HostRecord, NamedService, Unresolved, balancer_names, host_records
from dittoinfra.memory import ingress_addresses, remembered_names
from dittoinfra.model import Addresses, NameMemory


def state_resources(deployment: Mapping[str, Any]) -> Mapping[str, Mapping[str, Any]]:
    """Resources of an exported state by URN, those left out that only wait to be deleted."""
    resources: Sequence[Mapping[str, Any]] = deployment.get("resources") or ()
    return {str(this["urn"]): this for this in resources if not this.get("delete")}


def hosts_of(resources: Mapping[str, Mapping[str, Any]], cluster: Cluster | None) -> tuple[HostRecord, ...]:
    """What every name in a stack's state leads to, or `ClusterError`.

    Addresses are those of the live Services; without a cluster, those that the state knows.
    """
    memory = remembered_names(resources)
    services = _remembered(memory) if cluster is None else _live(cluster, memory)
    return host_records(services, {name: system_resolve(name) for name in balancer_names(services)})


def system_resolve(name: str) -> Addresses | Unresolved:
    """Every address that this machine's resolver has for a name."""
    try:
        answers = socket.getaddrinfo(name, None, type=socket.SOCK_STREAM)
    except (OSError, UnicodeError) as error:
        return Unresolved(getattr(error, "strerror", None) or str(error))
    return tuple(sorted({str(address[0]) for *_, address in answers}))


def _remembered(memory: NameMemory) -> list[NamedService]:
    return [
        NamedService(told.names, memory.addresses.get(adapter) or told.addresses)
        for adapter, told in memory.told.items()
    ]


def _live(cluster: Cluster, memory: NameMemory) -> list[NamedService]:
    names = [told.names for told in memory.told.values()]
    found = {
        (namespace, service["metadata"]["name"]): ingress_addresses(service)
        for namespace in sorted({this.namespace for this in names})
        for service in list_objects(cluster, "v1", "Service", namespace)
    }
    return [NamedService(this, found.get((this.namespace, this.service))) for this in names]
