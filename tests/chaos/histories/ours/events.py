"""The events of a history, to servers, configuration and cluster, and the commands. Pure data."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import StrEnum
from typing import Final

from lab.simulator.versions import ServerVersion
from tests.chaos.histories.events import AdapterName, Approval, Configure, Delete, Disable, Serve, Stop

NAMED: Final = ("media", "backup")
"""Servers in the initial configuration."""
FOUND: Final = "attic"
"""A server in the cluster, whether or not `serversFrom` selects it."""
DEPLOYED: Final = "vault"
"""A server that the stack itself deploys."""
SERVERS: Final = (*NAMED, FOUND, DEPLOYED)

HERE, THERE = 0, 1
"""Indexes of the two namespaces."""


class Trouble(StrEnum):
    """Why a server gives no usable answer; only faults that are detected without waiting for a deadline."""

    NULL = "answers null"
    HTML = "answers with a page"
    FORBIDDEN = "answers 403"
    UNAUTHORIZED = "answers 401"
    LONG_TYPE = "names a type of 63 characters"


class FileState(StrEnum):
    """What has become of the stack's file."""

    WHOLE = "is whole"
    MISSING = "is missing"
    EMPTY = "is empty"
    SALT_ONLY = "has nothing but its encryption"
    OTHER_PROJECT = "has the keys of another project"
    RENAMED_PROJECT = "is that of a project with another name"


class Selector(StrEnum):
    """What `serversFrom` and `selectors` select."""

    ALL = "every server"
    COLD = "cold servers: the one in the cluster"
    WARM = "warm servers: those in the configuration, and none in the cluster"


class SecretPlace(StrEnum):
    """A setting whose value is encrypted although it cannot be kept secret."""

    ANNOTATION = "an annotation of every Service"
    ENV = "deploy.env of the deployed server"
    EXTRA = "deploy.config.extra of the deployed server"


@dataclass(frozen=True, slots=True)
class Add:
    """A server is added to the configuration, or gets another namespace."""

    server: str
    namespace: int | None
    """None leaves it to the stack's own."""

    def __str__(self) -> str:
        where = "the stack's namespace" if self.namespace is None else f"namespace {self.namespace}"
        return f"{self.server} is configured in {where}"


@dataclass(frozen=True, slots=True)
class Drop:
    """A server is removed from the configuration."""

    server: str

    def __str__(self) -> str:
        return f"{self.server} is taken from the configuration"


@dataclass(frozen=True, slots=True)
class Rename:
    """A server is renamed in the configuration."""

    server: str

    def __str__(self) -> str:
        return f"{self.server} is renamed in the configuration"


@dataclass(frozen=True, slots=True)
class ChangeFile:
    """The stack's file is lost or damaged; `WHOLE` restores it."""

    file: FileState

    def __str__(self) -> str:
        return f"the stack's file {self.file}"


@dataclass(frozen=True, slots=True)
class Approve:
    """The removals of the next run are approved."""

    what: Approval

    def __str__(self) -> str:
        return f"approved: {self.what}"


class ServiceEdit(StrEnum):
    """An edit of a Service by others."""

    LABEL = "changes a label of"
    TARGET = "changes the target port of"
    COUNT = "writes an absence count on"
    DELETE = "deletes"
    HOLD = "puts a finalizer on, and deletes,"
    RELEASE = "takes the finalizer from"


@dataclass(frozen=True, slots=True)
class EditService:
    """A Service is edited in the cluster, outside the stack."""

    adapter: AdapterName
    edit: ServiceEdit
    manager: str

    def __str__(self) -> str:
        return f"{self.manager} {self.edit} the Service of {self.adapter}"


@dataclass(frozen=True, slots=True)
class Unlist:
    """The StatefulSet of the found server is deleted, or created again."""

    listed: bool

    def __str__(self) -> str:
        return f"the cluster {'has' if self.listed else 'loses'} {FOUND}"


Event = (
    Serve
    | Stop
    | Disable
    | Delete
    | Add
    | Drop
    | Rename
    | Configure
    | ChangeFile
    | Approve
    | EditService
    | Unlist
)


class Actor(StrEnum):
    """Who runs the stack, and how."""

    WATCH = "watch updates"
    CI = "CI previews and updates"
    PERSON = "a person previews, waits, and says yes"
    ALL = "CI updates every stack of the project"
    SAVE = "a person saves a plan"
    APPLY = "a person applies the saved plan"
    PLAIN = "the stack is updated without a preview"


@dataclass(frozen=True, slots=True)
class Meanwhile:
    """What happens between the preview and the update of a command, or while it waits for a new server."""

    events: tuple[Event, ...] = ()
    trouble: dict[str, Trouble] = field(default_factory=dict)
    run: Actor | None = None
    """Who updates the stack: watch, or a run without a preview."""

    def __str__(self) -> str:
        said = [*map(str, self.events), *(f"{name} {what}" for name, what in sorted(self.trouble.items()))]
        return "; ".join([*said, *([str(self.run)] if self.run else [])])


@dataclass(frozen=True, slots=True)
class Step:
    """Events, and the command after them."""

    actor: Actor
    events: tuple[Event, ...] = ()
    trouble: dict[str, Trouble] = field(default_factory=dict)
    refresh: bool = False
    """Whether the state is refreshed first."""
    failing: str | None = None
    """An adapter whose Service cannot be created by this command."""
    meanwhile: Meanwhile | None = None
    waiting: Meanwhile | None = None
    """What happens while the command waits for a server that it has deployed, if it does."""
    counts: bool = True
    """Whether this run of watch counts absences: one within `pollInterval` of the last count does not."""

    def __str__(self) -> str:
        said = [*map(str, self.events), *(f"{name} {what}" for name, what in sorted(self.trouble.items()))]
        said += ["refresh"] * self.refresh
        said += [f"the Service of {self.failing} cannot be created"] if self.failing else []
        said += [str(self.actor) if self.counts else f"{self.actor} and counts no absence"]
        said += [f"meanwhile: {self.meanwhile}"] if self.meanwhile else []
        said += [f"where it waits for {DEPLOYED}: {self.waiting}"] if self.waiting else []
        return "; ".join(said)


@dataclass(frozen=True, slots=True)
class History:
    """A sequence of steps of one stack."""

    steps: tuple[Step, ...]
    versions: Mapping[str, ServerVersion]
    """The version of each server."""
