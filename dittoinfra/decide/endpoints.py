"""Where clients find an adapter and how they mount it, from its Service. Pure."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from dittoinfra.naming import port_name
from dittoinfra.nested_values import block, text
from dittoinfra.state import ingress_addresses

NODE = "NODE"
"""Stands for the address of any node: only its administrator knows which of them a client reaches."""


@dataclass(frozen=True, slots=True)
class Endpoints:
    """Where clients find an adapter."""

    service_type: str | None
    """None where a state of an earlier version does not say."""
    internal: str | None
    """Host and port inside the cluster."""
    external: tuple[str, ...] = ()
    """Host and port outside; empty until a load balancer has given an address."""
    node_port: int | None = None
    """The port on every node."""

    @property
    def awaits_address(self) -> bool:
        """Whether a load balancer has not given an address yet; other types never have one."""
        return self.service_type == "LoadBalancer" and not self.external

    @property
    def best(self) -> tuple[str, int] | None:
        """The host and the port that most clients can use: from outside, or else inside the cluster."""
        if self.external:
            return host_and_port(self.external[0])
        if self.node_port is not None:
            return NODE, self.node_port
        return host_and_port(self.internal) if self.internal else None


def service_endpoints(service: Mapping[str, Any], adapter_type: str) -> Endpoints | None:
    """Those of a live Service; None where it has no data port."""
    port = data_port(service, adapter_type)
    if port is None:
        return None
    metadata, number = block(service, "metadata"), int(port["port"])
    node_port = port.get("nodePort")
    return Endpoints(
        text(block(service, "spec"), "type"),
        f"{metadata.get('name')}.{metadata.get('namespace')}.svc:{number}",
        tuple(f"{bracketed(each)}:{number}" for each in ingress_addresses(service)),
        int(node_port) if node_port else None,
    )


def data_port(service: Mapping[str, Any], adapter_type: str) -> Mapping[str, Any] | None:
    """The port of a Service that leads to the adapter itself, and not to one of its helpers."""
    name = port_name(f"adapter-{adapter_type}")
    ports = block(service, "spec").get("ports") or ()
    return next((port for port in ports if port.get("name") == name), None)


def mount_commands(adapter_type: str, endpoints: Endpoints) -> tuple[str, ...]:
    """How a client mounts it; the names in capitals are for the reader to fill in: no API tells them."""
    place = endpoints.best
    if place is None:
        return ()
    host, port = place
    match adapter_type:
        case "nfs":
            return (f"mount -t nfs -o vers=4.0,port={port} {bracketed(host)}:/EXPORT /mnt",)
        case "smb":
            return (
                f"mount -t cifs -o port={port},username=USER //{host}/SHARE /mnt",
                f"smbclient -p {port} -U USER //{host}/SHARE",
            )
        case _:
            return ()


def bracketed(host: str) -> str:
    """A host as it is written before a colon: an IPv6 address has colons of its own."""
    return f"[{host}]" if ":" in host else host


def host_and_port(place: str) -> tuple[str, int]:
    """The two parts of an endpoint."""
    host, _, port = place.rpartition(":")
    return host.strip("[]"), int(port)
