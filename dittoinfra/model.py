"""The types that every layer shares: outcomes of polls, what the stack remembers, decisions.

Outcome of a poll
├── Answered      a valid list of adapters
├── Unreachable   no answer: refused, reset, DNS, timeout, TLS, 5xx after retries
├── Denied        an answer, but not for us: 401/403 after one fresh login
├── Nonsense      an answer that cannot be believed
└── Missing       no server to ask: the cluster no longer lists a server that was found in it

AlreadyPolled replaces an outcome where a server is not asked again within one command, and Uncounted where it
is asked again too soon for an absence to count.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from enum import StrEnum
from typing import ClassVar, Literal

from dittoinfra.naming import adapter_resource, udp_resource
from dittoinfra.trouble import Trouble

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
    """The API gave a valid list; its order has no meaning."""

    name: ClassVar[Literal["answered"]] = "answered"
    """This outcome in one word, as documents, metrics and messages have it; so for the others."""
    adapters: tuple[ReportedAdapter, ...]
    lacks_ports: bool = field(default=False, compare=False)
    """Whether it has no list of ports, as servers before v0.28: no answer differs from another by that."""


@dataclass(frozen=True, slots=True)
class PollTrouble(Trouble):
    """A poll that ended without a list of adapters; as text, its name and why."""

    name: ClassVar[str]

    def __str__(self) -> str:
        return f"{self.name}: {self.why}"


@dataclass(frozen=True, slots=True)
class Unreachable(PollTrouble):
    """The API gave no answer within its deadline."""

    name: ClassVar[Literal["unreachable"]] = "unreachable"


@dataclass(frozen=True, slots=True)
class Denied(PollTrouble):
    """The API refused access."""

    name: ClassVar[Literal["denied"]] = "denied"


@dataclass(frozen=True, slots=True)
class Nonsense(PollTrouble):
    """The API answered something that cannot be a list of adapters."""

    name: ClassVar[Literal["nonsense"]] = "nonsense"


@dataclass(frozen=True, slots=True)
class Missing(PollTrouble):
    """A server that was found in the cluster is gone from it: for its adapters that counts as an answer."""

    name: ClassVar[Literal["missing"]] = "missing"


Unanswered = Unreachable | Denied | Nonsense
Outcome = Answered | Unanswered | Missing


@dataclass(frozen=True, slots=True)
class AlreadyPolled:
    """A server that an earlier run of the same command has polled: its answer is counted only once."""

    outcome: Outcome
    """Its answer then; only displayed."""


@dataclass(frozen=True, slots=True)
class Uncounted:
    """A poll that follows too soon on one that counted: it decides on everything but absences."""

    outcome: Outcome


ServerPolls = Sequence[Outcome] | AlreadyPolled | Uncounted
"""What one run has of a server: its polls in the order of asking, or one that counts no absence."""


def last_outcome(polls: ServerPolls) -> Outcome:
    """The last outcome of a server."""
    return polls.outcome if isinstance(polls, AlreadyPolled | Uncounted) else polls[-1]


@dataclass(frozen=True, slots=True)
class RememberedAdapter:
    """An adapter that the last run declared, or whose Service is still in the stack's state."""

    type: str
    port: int | None
    """None only in states of older versions: the port was removed from the live Service before a refresh."""
    absences: int = 0
    namespace: str | None = None
    """Where its Service is; None where the state holds no Service of it."""
    split: bool = False
    """Whether the state holds a second Service of it, for its UDP ports."""
    asked_at: str | None = None
    """Where its server was asked when an answer last confirmed all its adapters; None where none has, or in
    states of older versions."""


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
class Gap(Trouble):
    """Why a listing may lack something."""

    lacks: Permission | None = None
    """What must be allowed, where that is the reason."""


@dataclass(frozen=True, slots=True)
class Listing:
    """What the cluster listed for one entry of `serversFrom`."""

    source: str
    """Which entry, as a path in the configuration: `serversFrom[0]`."""
    objects: tuple[ListedObject, ...] = ()
    gaps: tuple[Gap, ...] = ()
    """Empty where the listing is complete."""
    held: bool = False
    """Not requested: every server stays as it is remembered."""
    counts: bool = True
    """False where it is too soon to count: a server that was found before, and is not listed, stays as it is
    remembered."""


@dataclass(frozen=True, slots=True)
class FoundServer:
    """A server that the configuration does not name."""

    name: str
    namespace: str
    labels: Mapping[str, str] = field(default_factory=dict)
    """They select its settings; no declared object has them."""
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
    """Whether this stack runs it: its StatefulSet is the stack's."""


ServersMemory = Mapping[str, RememberedServer]
"""Every server in the stack's state, by name."""


DnsBackend = Literal["router-hosts", "external-dns"]
"""The controller that puts host names into DNS."""

DnsKind = Literal["Service", "HostMapping"]
"""The object that asks for host names: the Service by annotations, or one of router-hosts' own kind."""

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
    kind: DnsKind = "Service"
    pin: bool = False
    """Whether what asks for the names holds the load balancer's address, and not its status alone."""

    @property
    def keeps_address(self) -> bool:
        """Whether a load balancer's last address stays asked for while its status is blank."""
        return self.ip is None and (self.pin or self.kind == "HostMapping")

    @property
    def all(self) -> tuple[str, ...]:
        """Every name, the host name first."""
        return self.hostname, *self.aliases


@dataclass(frozen=True, slots=True)
class Located:
    """What a Service says of where it is found and of its names."""

    addresses: Addresses = ()
    """In the order of the load balancer, which counts for router-hosts."""
    registered: tuple[str, ...] = ()
    """Host names for which router-hosts says that it has an entry."""
    blanks: Mapping[str, int] = field(default_factory=dict)
    """Addresses that stay asked for though the load balancer lost them: the runs in a row without each."""


@dataclass(frozen=True, slots=True)
class RememberedNames:
    """Names that the stack declared last time, and what was known of them then."""

    names: HostNames
    located: Located = field(default_factory=Located)

    @property
    def requested(self) -> bool:
        """Whether the names were requested: a HostMapping is not declared without an address."""
        return self.names.kind == "Service" or bool(self.located.addresses)


@dataclass(frozen=True, slots=True)
class NameMemory:
    """What the stack's last state holds of names, by adapter (server/type)."""

    told: Mapping[str, RememberedNames] = field(default_factory=dict)
    services: Mapping[str, Located] = field(default_factory=dict)
    """What the state's Services say, as far as the state has learned it."""


class State(StrEnum):
    """Why an adapter is declared."""

    SERVING = "serving"
    ABSENT = "absent"
    PINNED = "pinned"
    KEPT = "kept"
    """No answer this time: declared as remembered."""
    DISABLED = "disabled"
    """Switched off on the server, and `removal: never` keeps its Service."""
    NOT_RUNNING = "not running"
    """Enabled on the server but not running, which is an outage: declared as remembered."""


class Reason(StrEnum):
    """Why the Service of a remembered adapter is removed."""

    DISABLED = "disabled"
    ABSENT = "absent"
    UNCONFIGURED = "unconfigured"
    """Its server is no longer in the configuration."""
    RENAMED = "renamed"
    """As unconfigured, while another server is new: perhaps the same one, whose Services get other names."""
    WITHHELD = "withheld"
    """As unconfigured, while the stack says `removal: never`."""
    REPOINTED = "repointed"
    """Its server is asked at another address now, where it is disabled or absent: perhaps another server."""
    MOVED = "moved"
    """Its server has another namespace now: the Service there is a new one, with a new address."""
    UNSPLIT = "unsplit"
    """Its UDP ports need no Service of their own any more: that Service is removed, with its address."""
    DESTROYED = "destroyed"
    """`destroy` deletes it, whatever its server says."""


@dataclass(frozen=True, slots=True)
class DeclaredAdapter:
    """An adapter this run declares."""

    type: str
    port: int
    state: State
    absences: int = 0
    asked_at: str | None = field(default=None, compare=False)
    """As it is to be remembered: nothing that is declared differs by it."""


@dataclass(frozen=True, slots=True, order=True)
class Removal:
    """An adapter in memory whose Service this run deletes or replaces."""

    server: str
    type: str
    reason: Reason

    @property
    def name(self) -> str:
        """How `approveRemovals` names it."""
        return adapter_resource(self.server, self.type)

    @property
    def service(self) -> str:
        """The name in the engine's state of the Service that this run deletes or replaces."""
        return udp_resource(self.name) if self.reason is Reason.UNSPLIT else self.name


@dataclass(frozen=True, slots=True)
class Note:
    """One line for the user."""

    server: str
    text: str
    warning: bool = False

    def __str__(self) -> str:
        return f"{self.server}: {self.text}"


@dataclass(frozen=True, slots=True)
class ServerDecision:
    """The decision on one server from its polls, memory and rules."""

    server: str
    outcome: Outcome
    bootstrap: bool
    """Nothing remembered and no answer yet: infrastructure is declared, adapters are not."""
    adapters: tuple[DeclaredAdapter, ...]
    """Ordered by type, so that the order of an answer changes nothing."""
    removals: tuple[Removal, ...] = ()
    lost: tuple[str, ...] = ()
    """Types that must be kept, but whose port is no longer known: the run cannot go on."""
    notes: tuple[Note, ...] = ()

    def remembered(self, namespace: str | None = None) -> ServerMemory:
        """The adapters as a later run remembers them, with the namespace of their Services if it is known."""
        return {
            a.type: RememberedAdapter(a.type, a.port, a.absences, namespace, asked_at=a.asked_at)
            for a in self.adapters
        }


@dataclass(frozen=True, slots=True)
class StackDecision:
    """The decision of a whole run, ready to be printed or declared."""

    servers: Mapping[str, ServerDecision]
    remembered: int
    """How many adapters the stack held before."""
    removals: tuple[Removal, ...]
    """Every server's, those of servers that left the configuration, and adapters that move."""
    notes: tuple[Note, ...]
    repointed: Mapping[str, str] = field(default_factory=dict)
    """Where each server is asked now and was asked before, as text, whose adapters go for that reason."""


@dataclass(frozen=True, slots=True)
class ConfigurationSource:
    """Where the configuration of a run comes from."""

    file: str
    """The stack's file."""
    exists: bool = True
    """Whether that file is there."""
    elsewhere: tuple[str, ...] = ()
    """Keys that would name servers, had they the right namespace."""
    intended: bool = False
    """Whether the file itself says that there are none, by an empty list."""
