"""Settings of adapter Services: what is exposed, how, and what is declared whatever the API says."""

from typing import Literal

from pydantic import Field

from dittoinfra.settings.base import NULL_SWITCHES_OFF, AdapterType, AnnotationKey, Cidr, Port, Settings
from dittoinfra.settings.dns import DnsSettings
from dittoinfra.settings.network import Peer

PORTMAPPER_PORT = 111


class Extras(Settings):
    """Ports beyond the data port; unset follows the preset. What a type does not speak is left out."""

    portmapper: bool | None = None
    """Port 111 in TCP and UDP, to the server's unprivileged portmapper on 10111 (nfs)."""
    udp: bool | None = None
    """The data port in UDP as well (every type but smb)."""
    mdns: bool | None = None
    """mDNS, 5353/UDP."""
    ws_discovery: bool | None = None
    """WS-Discovery for Windows, 3702/UDP and 5357/TCP (smb)."""


class ServiceSettings(Settings):
    """How an adapter is exposed. Fields that its Service type does not have are left out of the Service."""

    type: Literal["LoadBalancer", "NodePort", "ClusterIP"] = "LoadBalancer"
    """Kind of Service. LoadBalancer, because file clients live outside the cluster as a rule."""
    annotations: dict[AnnotationKey, str] = Field(default_factory=dict)
    """Annotations, exactly these: one that leaves the configuration leaves the Service."""
    preset: Literal["minimal", "operator"] = "minimal"
    """`minimal` exposes the data port alone; `operator` every port that the DittoFS operator exposes."""
    extras: Extras = Field(default_factory=Extras)
    """Single ports on top of the preset, or taken away from it."""
    split_udp: bool = False
    """Put UDP ports into a second Service `…-udp`, for load balancers that carry one protocol."""
    source_ranges: list[Cidr] = Field(default_factory=list)
    """Networks that a load balancer lets in; empty lets everyone in."""
    external_traffic_policy: Literal["Cluster", "Local"] | None = None
    """`Local` keeps the client's address (LoadBalancer and NodePort). Unset leaves it to Kubernetes."""
    load_balancer_class: str | None = None
    """Which load balancer implementation serves it. Kubernetes lets it be set at creation only."""
    session_affinity: Literal["None", "ClientIP"] | None = None
    """`ClientIP` sends a client to the same Pod each time."""
    ip_family_policy: Literal["SingleStack", "PreferDualStack", "RequireDualStack"] | None = None
    """Whether the Service has IPv4 and IPv6 addresses."""
    network_policy_from: list[Peer] | None = None
    """Who may reach the adapter where network policies are on; unset takes `networkPolicy.from`."""
    dns: DnsSettings | None = Field(default=None, json_schema_extra=NULL_SWITCHES_OFF)
    """Host names for the adapter; unset or null gives none."""
    wait: bool = False
    """Let `up` wait until the Service is ready. Off: without a load balancer it would never be."""


class TypeSettings(ServiceSettings):
    """The same for one adapter type; what is set here wins."""

    service_port: Port | None = None
    """Port that clients use (2049 for nfs, 445 for smb, say); unset is the adapter's own port."""


class Pinned(Settings):
    """An adapter that is declared whatever the API says: explicit beats discovered."""

    type: AdapterType
    """Adapter type."""
    port: Port
    """Port it listens on."""


class AdapterSettings(Settings):
    """What becomes of a server's adapters."""

    pinned: list[Pinned] = Field(default_factory=list)
    """Adapters declared whatever the API says."""
    service: ServiceSettings = Field(default_factory=ServiceSettings)
    """Every adapter's Service."""
    types: dict[AdapterType, TypeSettings] = Field(default_factory=dict)
    """Exceptions by adapter type."""
