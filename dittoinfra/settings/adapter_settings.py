"""Settings of adapter Services: what is exposed, how, under which names, and what is pinned."""

import re
from datetime import timedelta
from ipaddress import ip_address
from typing import Annotated, Literal

from pydantic import AfterValidator, Field

from dittoinfra.model import DnsBackend, DnsKind
from dittoinfra.settings.base import (
    NULL_SWITCHES_OFF,
    PLACEHOLDER,
    AdapterType,
    AnnotationKey,
    Cidr,
    Duration,
    Port,
    Settings,
)
from dittoinfra.settings.selectors import Peer

LONGEST_TTL = 2**31 - 1
"""DNS itself knows none that is longer (RFC 2181)."""

_LONGEST_PREFIX = 253
_PREFIX = re.compile(r"[a-z0-9]([-a-z0-9]*[a-z0-9])?(\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*")


def _template(value: str) -> str:
    known = "{server}, {type}, {namespace}"
    for name in PLACEHOLDER.findall(value):
        if f"{{{name}}}" not in known:
            raise ValueError(f"InvalidHostname: {{{name}}} is no placeholder; known are {known}")
    if re.search("[{}]", PLACEHOLDER.sub("", value)):
        raise ValueError(f"InvalidHostname: has a brace without its other half; placeholders are {known}")
    return value


def _address(value: str) -> str:
    try:
        address = ip_address(value)
    except ValueError:
        address = None
    # A zone means something on one machine only; the other two are addresses of no host.
    if address is None or "%" in value or address.is_unspecified or address.is_multicast:
        raise ValueError(
            "InvalidIPAddress: must be the address of a host, such as 192.0.2.10 or 2001:db8::10"
        )
    return str(address)


def _annotation_prefix(value: str) -> str:
    prefix = value.removesuffix("/")
    if len(prefix) > _LONGEST_PREFIX or _PREFIX.fullmatch(prefix) is None:
        raise ValueError("must be the part of an annotation before its slash, such as dns.example.com")
    return prefix


HostTemplate = Annotated[str, AfterValidator(_template)]
IpAddress = Annotated[str, AfterValidator(_address)]


class DnsSettings(Settings):
    """Names for an adapter's Service, for a controller that puts them into DNS. They belong to the first
    Service where UDP is split off. `dns: null` gives no names, whatever a farther layer says. A setting that
    the controller does not read is refused."""

    backend: DnsBackend = "router-hosts"
    """Which controller makes the names."""
    kind: DnsKind = "Service"
    """What asks for them: annotations on the `Service`, or a `HostMapping` of its own (router-hosts), which
    takes tags, and says whether it is synced. It is declared once the load balancer has an IP address, and
    keeps it as `pin` does."""
    hostname: HostTemplate | None = None
    """Host name, such as `{type}.{server}.example.com`: `{server}`, `{type}` and `{namespace}` stand for the
    adapter's own. Some layer must give it. Letters beyond ASCII become punycode."""
    aliases: list[HostTemplate] = Field(default_factory=list)
    """Further names for the same adapter, with the same placeholders; router-hosts takes at most 50."""
    ip: IpAddress | None = None
    """Address to register: required for a NodePort; for a LoadBalancer, instead of the one it is given."""
    ttl: Annotated[int, Field(ge=1, le=LONGEST_TTL)] | None = None
    """Seconds for which others may remember the answer (external-dns); unset leaves it to ExternalDNS."""
    annotation_prefix: Annotated[str, AfterValidator(_annotation_prefix)] | None = None
    """Prefix of the annotations, for an ExternalDNS that runs with `--annotation-prefix`; unset writes both
    of its own, `external-dns.kubernetes.io` (since v0.22) and `external-dns.alpha.kubernetes.io` (before)."""
    pin: bool = False
    """Write the load balancer's address into the annotation `target` (external-dns), so that the name stays
    while the load balancer's status is blank. Another address is followed at once; that there is none is
    believed when `absencePolls` runs in a row have found none."""
    tags: list[Annotated[str, Field(min_length=1)]] = Field(default_factory=list)
    """Tags of the entry (router-hosts, with `kind: HostMapping`; on a Service it reads none)."""


PORTMAPPER_PORT = 111


class Extras(Settings):
    """Ports beyond the data port; unset follows the preset. What a type does not speak is left out."""

    portmapper: bool | None = None
    """Port 111 in TCP and UDP, to the server's unprivileged portmapper on 10111 (nfs). The portmapper is off
    by default: a run switches it on where the login is an administrator's, and says so where it is not. It
    tells clients the adapter's own port, so `servicePort` must be the same or unset."""
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
    """Put UDP ports into a second Service `…-udp`, for load balancers that carry one protocol. Taking it out
    again removes that Service and its address, so it needs `approveRemovals`."""
    source_ranges: list[Cidr] = Field(default_factory=list)
    """Networks that a load balancer lets in; empty lets everyone in. Refused on other types of Services,
    which have none: there, network policies say who may connect."""
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
    removal_timeout: Duration = timedelta(seconds=20)
    """Time for the deletion of the Service. Where a finalizer holds it longer, the run ends and names the
    finalizer, and the next run goes on. Some clouds take a minute to release a load balancer."""


class TypeSettings(ServiceSettings):
    """Settings of the Service of one adapter type; what is set here wins."""

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
