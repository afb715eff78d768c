"""Reasons to stop a run before anything is declared.

Refusal
├── ServerUnanswered   no usable answer, and the server says `onUnreachable: fail`
├── PortLost           an adapter must be kept, but the state no longer knows its port
├── NameTaken          two adapters end in one Service
├── FoundTwice         two servers of one name in the cluster
├── NameRefused        an adapter cannot have the names that its `dns` asks for
├── WorkloadReplaced   a change for which Kubernetes would need another StatefulSet
├── AdoptionImpossible an object that exists cannot become what is declared
├── ExistsAlready      objects of others, and their server does not say `adopt: true`
├── TakeoverForbidden  objects to adopt, and a provider that refuses what exists
└── BrakePulled        too many removals at once, or the last adapter gone by absence
"""

from dataclasses import dataclass
from enum import StrEnum

from dittoinfra.model import Removal, Unanswered


@dataclass(frozen=True, slots=True)
class ServerUnanswered:
    """No usable answer from a server that must answer."""

    server: str
    outcome: Unanswered

    def __str__(self) -> str:
        what = type(self.outcome).__name__.lower()
        return f"{self.server}: {what}: {self.outcome.why}; stopped, because onUnreachable is fail"


@dataclass(frozen=True, slots=True)
class PortLost:
    """The Service of an adapter that must be kept has lost its data port in the cluster."""

    server: str
    type: str

    def __str__(self) -> str:
        return (
            f"{self.server}: {self.type} must be kept, but the state's Service has lost its port; "
            "restore the port in the cluster and run `pulumi refresh`, or pin the adapter"
        )


@dataclass(frozen=True, slots=True)
class NameTaken:
    """Two adapters would share one Service."""

    service: str
    first: str
    second: str

    def __str__(self) -> str:
        return (
            f"{self.second}: its Service would be named {self.service}, as that of {self.first} is; "
            "rename or unpin one of them"
        )


class NameFault(StrEnum):
    """What is wrong with an adapter's names, in the words of router-hosts where it has one."""

    INVALID_SERVICE_TYPE = "InvalidServiceType"
    MISSING_HOSTNAME = "MissingHostname"
    MISSING_IP_ADDRESS = "MissingIPAddress"
    INVALID_HOSTNAME = "InvalidHostname"
    HOSTNAME_TAKEN = "HostnameTaken"
    UNSUPPORTED_SETTING = "UnsupportedSetting"
    ANNOTATION_TAKEN = "AnnotationTaken"


@dataclass(frozen=True, slots=True)
class NameRefused:
    """An adapter that cannot have the names its settings ask for."""

    adapter: str
    fault: NameFault
    why: str

    def __str__(self) -> str:
        return f"{self.adapter}: {self.fault}: {self.why}"


@dataclass(frozen=True, slots=True)
class FoundTwice:
    """Two servers of the cluster would be one server of the stack."""

    server: str
    namespaces: tuple[str, ...]

    def __str__(self) -> str:
        return (
            f"{self.server}: found in the namespaces {' and '.join(self.namespaces)}, and a stack has one "
            "server of a name; narrow dittoinfra:serversFrom to one of them, or give each a stack of its own"
        )


@dataclass(frozen=True, slots=True)
class WorkloadReplaced:
    """A change that Kubernetes forbids: the engine would delete the StatefulSet and make another."""

    server: str
    field: str
    before: str
    after: str
    instead: str

    def __str__(self) -> str:
        return (
            f"{self.server}: {self.field} changes from {self.before} to {self.after}, for which Kubernetes "
            f"needs another StatefulSet; {self.instead}, or set deploy.storage.replace to true: "
            "the StatefulSet is replaced, its volumes stay as they are"
        )


@dataclass(frozen=True, slots=True)
class AdoptionImpossible:
    """An object exists, and cannot become what is declared."""

    server: str
    object: str
    why: str

    def __str__(self) -> str:
        return f"{self.server}: {self.object} cannot be adopted: {self.why}"


@dataclass(frozen=True, slots=True)
class ExistsAlready:
    """Objects of others that the provider would silently take over."""

    server: str
    objects: tuple[str, ...]

    def __str__(self) -> str:
        return (
            f"{self.server}: {', '.join(self.objects)} exist already and are not this stack's; "
            "set adopt: true on the server to take them over, or name the server otherwise"
        )


@dataclass(frozen=True, slots=True)
class TakeoverForbidden:
    """Objects to adopt, and a provider that refuses what exists."""

    server: str
    count: int
    missing: tuple[str, ...]
    """Settings of the provider that the run needs."""

    def __str__(self) -> str:
        commands = " and ".join(f"`pulumi config set kubernetes:{name} true`" for name in self.missing)
        return (
            f"{self.server}: {self.count} objects exist already and are to be adopted, which the Kubernetes "
            f"provider does only when told to: run {commands}, and take it back after the adopting run"
        )


@dataclass(frozen=True, slots=True)
class BrakePulled:
    """A run that would remove more than anybody is likely to mean."""

    removals: tuple[Removal, ...]
    remembered: int
    limit_percent: int
    empties: bool

    def __str__(self) -> str:
        count = len(self.removals)
        names = ", ".join(f"{r.name} ({r.reason})" for r in self.removals)
        percent = -(-100 * count // self.remembered)  # rounded up: a limit that was passed must look passed
        share = f"{count} of {self.remembered} adapters ({percent} %"
        why = (
            f"{share}), and absence would leave the stack without any"
            if self.empties
            else f"{share}, limit {self.limit_percent} %)"
        )
        approval = ", ".join(r.name for r in self.removals)
        return (
            f"brake: this run would remove {why}: {names}; "
            f"if that is right, approve exactly these: `dittoinfra:approveRemovals: [{approval}]`"
        )


Refusal = (
    ServerUnanswered
    | PortLost
    | NameTaken
    | FoundTwice
    | NameRefused
    | WorkloadReplaced
    | AdoptionImpossible
    | ExistsAlready
    | TakeoverForbidden
    | BrakePulled
)
