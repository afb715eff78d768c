"""What is known of the host names of a stack now: from its state, the cluster and this machine's resolver."""

import socket
from collections.abc import Mapping
from dataclasses import replace
from typing import Any

from dittoinfra.decide.host_records import (
    HostRecord,
    NamedService,
    Unresolved,
    host_records,
    names_to_resolve,
)
from dittoinfra.decide.names import located_before, mapping_place
from dittoinfra.kubernetes import Cluster
from dittoinfra.kubernetes.cluster_client import concurrently
from dittoinfra.kubernetes.objects import list_objects, read_object
from dittoinfra.model import Addresses, Located, NameMemory, RememberedNames
from dittoinfra.state import located, remembered_names, sync_condition, synced_names
from dittoinfra.visible import one_line


def hosts_of(resources: Mapping[str, Mapping[str, Any]], cluster: Cluster | None) -> tuple[HostRecord, ...]:
    """What is known of every name in a stack's state, or `ClusterError`.

    It is what the live Services say; without a cluster, what the state knows of them.
    """
    memory = remembered_names(resources)
    services = _remembered(memory) if cluster is None else _live(cluster, memory)
    names = names_to_resolve(services)
    return host_records(services, dict(zip(names, concurrently(system_resolve, names), strict=True)))


def system_resolve(name: str) -> Addresses | Unresolved:
    """Every address that this machine's resolver has for a name."""
    try:
        answers = socket.getaddrinfo(name, None, type=socket.SOCK_STREAM)
    except (OSError, UnicodeError) as error:
        return Unresolved(getattr(error, "strerror", None) or str(error))
    return tuple(sorted({str(address[0]) for *_, address in answers}))


def _remembered(memory: NameMemory) -> list[NamedService]:
    return [
        NamedService(told.names, _known(adapter, told, memory), told.located.addresses)
        for adapter, told in memory.told.items()
    ]


def _known(adapter: str, told: RememberedNames, memory: NameMemory) -> Located:
    # The state may hold an address from before the runs that missed it.
    known = located_before(adapter, memory)
    return replace(known, addresses=tuple(a for a in known.addresses if a not in told.located.blanks))


def _live(cluster: Cluster, memory: NameMemory) -> list[NamedService]:
    names = list(memory.told.values())
    namespaces = sorted({this.names.namespace for this in names})
    listed = concurrently(lambda namespace: list_objects(cluster, "v1", "Service", namespace), namespaces)
    found = {
        (namespace, service["metadata"]["name"]): located(service)
        for namespace, services in zip(namespaces, listed, strict=True)
        for service in services
    }
    services = [
        NamedService(
            this.names, found.get((this.names.namespace, this.names.service)), this.located.addresses
        )
        for this in names
    ]
    return concurrently(lambda service: _with_mapping(cluster, service), services)


def _with_mapping(cluster: Cluster, service: NamedService) -> NamedService:
    """Add what the HostMapping says, where one asks for the names and the last run declared it."""
    if service.names.kind != "HostMapping" or service.located is None:
        return service
    place = mapping_place(service.names)
    mapping = read_object(cluster, place.api_version, place.kind, place.namespace, place.name)
    if mapping is None and service.asked:
        missing = "the HostMapping is not in the cluster; run `pulumi up --refresh`"
        return replace(service, located=None, said=missing)
    condition = sync_condition(mapping or {})
    said = (
        f"router-hosts says {condition.get('reason')}: {one_line(str(condition.get('message')))}"
        if condition.get("status") == "False"
        else ""
    )
    registered = synced_names(mapping or {})
    return replace(service, located=replace(service.located, registered=registered), said=said)
