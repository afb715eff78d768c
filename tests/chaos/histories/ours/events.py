"""What happens in a life: to servers, configuration and cluster, and who runs the stack. Pure data."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import StrEnum
from typing import Final

from lab.simulator.versions import ServerVersion
from tests.chaos.histories.events import Delete, Disable, Place, Serve, Stop

NAMED: Final = ("media", "backup")
"""Servers that the configuration names at first."""
FOUND: Final = "attic"
"""A server that the cluster has, whether or not the configuration looks for it."""
NEWCOMER: Final = "vault"
"""A server that the stack itself deploys."""
SERVERS: Final = (*NAMED, FOUND, NEWCOMER)

HERE, THERE = 0, 1
"""The two namespaces of a life."""


class Trouble(StrEnum):
    """Why a server gives no usable answer; each is known at once, so that no life waits for a deadline."""

    NULL = "answers null"
    HTML = "answers with a page"
    FORBIDDEN = "answers 403"
    UNAUTHORIZED = "answers 401"
    LONG_TYPE = "names a type of 63 characters"


class File(StrEnum):
    """What is left of the stack's file."""

    WHOLE = "is whole"
    MISSING = "is missing"
    EMPTY = "is empty"
    SALT_ONLY = "has nothing but its encryption"
    OTHER_PROJECT = "has the keys of another project"
    RENAMED_PROJECT = "is that of a project with another name"


class Selector(StrEnum):
    """What `serversFrom` looks for."""

    ALL = "every server"
    COLD = "cold servers"
    WARM = "warm servers, of which there are none"


@dataclass(frozen=True, slots=True)
class Add:
    """A server is written into the configuration, or written anew with another namespace."""

    server: str
    namespace: int | None
    """None leaves it to the stack's own."""

    def __str__(self) -> str:
        where = "the stack's namespace" if self.namespace is None else f"namespace {self.namespace}"
        return f"{self.server} is configured in {where}"


@dataclass(frozen=True, slots=True)
class Drop:
    """A server leaves the configuration."""

    server: str

    def __str__(self) -> str:
        return f"{self.server} is taken from the configuration"


@dataclass(frozen=True, slots=True)
class Rename:
    """A server has another name in the configuration."""

    server: str

    def __str__(self) -> str:
        return f"{self.server} is renamed in the configuration"


@dataclass(frozen=True, slots=True)
class Edit:
    """A setting of the stack is written anew."""

    key: str
    value: object

    def __str__(self) -> str:
        return f"configured {self.key}: {self.value}"


@dataclass(frozen=True, slots=True)
class Lose:
    """Something becomes of the stack's file; `WHOLE` restores it."""

    file: File

    def __str__(self) -> str:
        return f"the stack's file {self.file}"


class Approval(StrEnum):
    """What somebody writes into `approveRemovals`."""

    EXACT = "exactly what the next run removes"
    MORE = "more than the next run removes"
    NONE = "nothing"


@dataclass(frozen=True, slots=True)
class Approve:
    """Somebody who has looked at what the next run would remove approves it."""

    what: Approval

    def __str__(self) -> str:
        return f"approved: {self.what}"


class Hand(StrEnum):
    """What others do to a Service."""

    LABEL = "changes a label of"
    TARGET = "changes the target port of"
    COUNT = "writes an absence count on"
    DELETE = "deletes"
    HOLD = "puts a finalizer on, and deletes,"
    RELEASE = "takes the finalizer from"


@dataclass(frozen=True, slots=True)
class Touch:
    """A Service is changed in the cluster, past the stack."""

    place: Place
    hand: Hand
    manager: str

    def __str__(self) -> str:
        return f"{self.manager} {self.hand} the Service of {self.place}"


@dataclass(frozen=True, slots=True)
class Unlist:
    """The found server's own object goes from the cluster, or comes back."""

    listed: bool

    def __str__(self) -> str:
        return f"the cluster {'has' if self.listed else 'loses'} {FOUND}"


Event = Serve | Stop | Disable | Delete | Add | Drop | Rename | Edit | Lose | Approve | Touch | Unlist


class Actor(StrEnum):
    """Who runs the stack."""

    WATCH = "watch updates"
    CI = "CI previews and updates"
    PERSON = "a person previews, waits, and says yes"
    ALL = "CI updates every stack of the project"
    SAVE = "somebody saves a plan"
    APPLY = "somebody applies the saved plan"


@dataclass(frozen=True, slots=True)
class Meanwhile:
    """What happens while a command waits between its preview and its update."""

    events: tuple[Event, ...] = ()
    trouble: dict[str, Trouble] = field(default_factory=dict)
    run: bool = False
    """Whether another run updates the stack."""

    def __str__(self) -> str:
        said = [*map(str, self.events), *(f"{name} {what}" for name, what in sorted(self.trouble.items()))]
        return "; ".join([*said, *["watch updates"] * self.run])


@dataclass(frozen=True, slots=True)
class Move:
    """What happens, and the command after it."""

    actor: Actor
    events: tuple[Event, ...] = ()
    trouble: dict[str, Trouble] = field(default_factory=dict)
    refresh: bool = False
    """Whether somebody refreshes the state first."""
    failing: str | None = None
    """An adapter whose Service cannot be created by this command."""
    meanwhile: Meanwhile | None = None

    def __str__(self) -> str:
        said = [*map(str, self.events), *(f"{name} {what}" for name, what in sorted(self.trouble.items()))]
        said += ["refresh"] * self.refresh
        said += [f"the Service of {self.failing} cannot be created"] if self.failing else []
        said += [str(self.actor)]
        said += [f"meanwhile: {self.meanwhile}"] if self.meanwhile else []
        return "; ".join(said)


@dataclass(frozen=True, slots=True)
class History:
    """One life."""

    moves: tuple[Move, ...]
    versions: Mapping[str, ServerVersion]
    """What each server runs: people upgrade them one by one."""
