"""The words every layer speaks: what a poll said, what the stack remembers, what is decided.

Outcome of a poll
├── Answered      a valid list of adapters
├── Unreachable   no answer: refused, reset, DNS, timeout, TLS, 5xx after retries
├── Denied        an answer, but not for us: 401/403 after one fresh login
├── Nonsense      an answer that cannot be believed
└── Missing       nobody to ask: the cluster no longer lists a server that was found in it
"""

from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import StrEnum
from typing import Any, Literal

from dittoinfra.naming import adapter_resource

DEFAULT_PORTS: Mapping[str, int] = {"nfs": 12049, "smb": 12445}
"""What a type listens on while its API says port 0."""


@dataclass(frozen=True, slots=True, order=True)
class ReportedAdapter:
    """One adapter as the API reports it, its port already resolved to a real one."""

    type: str
    port: int
    enabled: bool
    running: bool


@dataclass(frozen=True, slots=True)
class Answered:
    """The API gave a valid list; its order carries no meaning."""

    adapters: tuple[ReportedAdapter, ...]


@dataclass(frozen=True, slots=True)
class Unreachable:
    """The API gave no answer within its deadline."""

    why: str


@dataclass(frozen=True, slots=True)
class Denied:
    """The API answered that we may not ask."""

    why: str


@dataclass(frozen=True, slots=True)
class Nonsense:
    """The API answered something that cannot be a list of adapters."""

    why: str


@dataclass(frozen=True, slots=True)
class Missing:
    """A server that was found in the cluster is gone from it: to its adapters that is an answer."""

    why: str


Unanswered = Unreachable | Denied | Nonsense
Outcome = Answered | Unanswered | Missing


@dataclass(frozen=True, slots=True)
class RememberedAdapter:
    """An adapter whose Service the stack's last state holds."""

    type: str
    port: int | None
    """None where somebody took the data port off the live Service and a refresh has seen it."""
    absences: int = 0


ServerMemory = Mapping[str, RememberedAdapter]
"""Remembered adapters of one server, by type."""

StackMemory = Mapping[str, ServerMemory]
"""Remembered adapters of every server in the stack's state, by server name."""


@dataclass(frozen=True, slots=True)
class ListedObject:
    """An object that the cluster listed as one of a server."""

    kind: str
    namespace: str
    name: str
    labels: Mapping[str, str] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Permission:
    """One thing that a Role may allow."""

    verb: str
    group: str
    """Empty for the core group."""
    resource: str
    namespace: str | None
    """None for what belongs to no namespace."""

    def __str__(self) -> str:
        resource = f"{self.resource}.{self.group}" if self.group else self.resource
        return f"{self.verb} {resource}" + (f" in namespace {self.namespace}" if self.namespace else "")


@dataclass(frozen=True, slots=True)
class Gap:
    """Why a listing may lack something."""

    why: str
    lacks: Permission | None = None
    """What must be allowed, where that is the reason."""


@dataclass(frozen=True, slots=True)
class Listing:
    """What the cluster listed for one entry of `serversFrom`."""

    source: str
    """Which entry, as people find it: `serversFrom[0]`."""
    objects: tuple[ListedObject, ...] = ()
    gaps: tuple[Gap, ...] = ()
    """None where this is all there is."""


@dataclass(frozen=True, slots=True)
class FoundServer:
    """A server that nobody configured by name."""

    name: str
    namespace: str
    labels: Mapping[str, str] = field(default_factory=dict)
    """They choose its settings; nothing that is declared carries them."""
    absences: int = 0
    """Listings in a row that missed it, counted here while it has no adapter whose Service could count."""


@dataclass(frozen=True, slots=True)
class RememberedServer:
    """A server in the stack's last state."""

    namespace: str
    found: Mapping[str, str] | None = None
    """Labels of a server that was found in the cluster; None where the configuration named it."""
    absences: int = 0
    """Listings in a row that missed it while it had no adapters."""
    deployed: bool = False
    """Whether its StatefulSet is this stack's."""


ServersMemory = Mapping[str, RememberedServer]
"""Every server in the stack's state, by name."""


@dataclass(frozen=True, slots=True)
class VolumeClaim:
    """A claim of a StatefulSet, as far as it is anybody's choice."""

    name: str
    size: str | None
    """None where a StatefulSet made by others asks for none."""
    storage_class: str | None = None


@dataclass(frozen=True, slots=True)
class FixedFields:
    """What Kubernetes fixes when a StatefulSet is created: with another value it is another StatefulSet."""

    namespace: str
    service_name: str
    selector: Mapping[str, str]
    pod_management: str
    claims: tuple[VolumeClaim, ...]


WorkloadMemory = Mapping[str, FixedFields]
"""The StatefulSet of every server in the stack's state, by server name."""


@dataclass(frozen=True, slots=True)
class HeldObject:
    """A Kubernetes object that the stack's last state holds, by the name that the engine knows it by."""

    api_version: str
    kind: str
    name: str


@dataclass(frozen=True, slots=True)
class DeclaredObject:
    """A Kubernetes object that a run is about to declare."""

    server: str
    held: HeldObject
    """How the engine's state would know it."""
    manifest: Mapping[str, Any] = field(repr=False)
    """The whole object, in the clear where it is a Secret."""

    @property
    def kind(self) -> str:
        """Its kind."""
        return str(self.manifest["kind"])

    @property
    def api_version(self) -> str:
        """The version of the API that it is declared in."""
        return str(self.manifest["apiVersion"])

    @property
    def name(self) -> str:
        """Its name in the cluster."""
        return str(self.manifest["metadata"]["name"])

    @property
    def namespace(self) -> str:
        """Where in the cluster it is."""
        return str(self.manifest["metadata"]["namespace"])

    def __str__(self) -> str:
        return f"{self.kind} {self.name}"


DnsBackend = Literal["router-hosts", "external-dns"]
"""Whose annotations carry a Service's names."""

Addresses = tuple[str, ...]
"""Where a Service is found outside the cluster: IP addresses, or host names of load balancers."""


@dataclass(frozen=True, slots=True)
class HostNames:
    """The names of one adapter's Service, as DNS knows them."""

    server: str
    type: str
    namespace: str
    service: str
    backend: DnsBackend
    hostname: str
    aliases: tuple[str, ...] = ()
    ip: str | None = None
    """The address to register; unset where the load balancer's own is meant."""
    grace_period: int | None = None
    """Seconds for which the names outlive the Service."""

    @property
    def all(self) -> tuple[str, ...]:
        """Every name, the host name first."""
        return self.hostname, *self.aliases


@dataclass(frozen=True, slots=True)
class ToldNames:
    """Names that the stack declared last time, and the addresses that it told with them."""

    names: HostNames
    addresses: Addresses = ()


@dataclass(frozen=True, slots=True)
class NameMemory:
    """What the stack's last state holds of names, by adapter (server/type)."""

    told: Mapping[str, ToldNames] = field(default_factory=dict)
    addresses: Mapping[str, Addresses] = field(default_factory=dict)
    """Where the state's Services are found, as far as the state has learned it."""


class State(StrEnum):
    """Why an adapter is declared."""

    SERVING = "serving"
    ABSENT = "absent"
    PINNED = "pinned"
    KEPT = "kept"
    """No answer this time: declared as remembered."""
    DISABLED = "disabled"
    """Switched off on the server, and `removal: never` keeps its Service."""


class Reason(StrEnum):
    """Why a remembered adapter is no longer declared."""

    DISABLED = "disabled"
    ABSENT = "absent"
    UNCONFIGURED = "unconfigured"
    """Its server is no longer in the configuration."""


@dataclass(frozen=True, slots=True)
class DeclaredAdapter:
    """An adapter this run declares."""

    type: str
    port: int
    state: State
    absences: int = 0


@dataclass(frozen=True, slots=True, order=True)
class Removal:
    """An adapter in memory that this run no longer declares."""

    server: str
    type: str
    reason: Reason

    @property
    def name(self) -> str:
        """How `approveRemovals` names it."""
        return adapter_resource(self.server, self.type)


@dataclass(frozen=True, slots=True)
class Note:
    """One line for people."""

    server: str
    text: str
    warning: bool = False


@dataclass(frozen=True, slots=True)
class ServerDecision:
    """What one server's polls, memory and rules come to."""

    server: str
    outcome: Outcome
    bootstrap: bool
    """Nothing remembered and no answer yet: infrastructure is declared, adapters are not."""
    adapters: tuple[DeclaredAdapter, ...]
    """Ordered by type, so that the order of an answer changes nothing."""
    removals: tuple[Removal, ...] = ()
    lost: tuple[str, ...] = ()
    """Types that must be kept, but whose port nobody knows any more: the run cannot go on."""
    notes: tuple[Note, ...] = ()


@dataclass(frozen=True, slots=True)
class StackDecision:
    """The decision of a whole run, ready to be printed or declared."""

    servers: Mapping[str, ServerDecision]
    remembered: int
    """How many adapters the stack held before."""
    removals: tuple[Removal, ...]
    notes: tuple[Note, ...]
