"""The events of a history, and its steps: events followed by one run. Pure data."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import StrEnum
from typing import Any

from lab.simulator.versions import ServerVersion

SERVERS = ("media", "backup")
"""The first is there from the beginning; the second comes and goes with the configuration."""


@dataclass(frozen=True, slots=True)
class AdapterName:
    """An adapter of a server, printed as the stack names it."""

    server: str
    type: str

    def __str__(self) -> str:
        return f"{self.server}/{self.type}"


class Trouble(StrEnum):
    """Why a server gives no usable answer in a run."""

    REFUSED = "refuses connections"
    HUNG_UP = "hangs up"
    HUNG_UP_LATE = "hangs up after the login"
    UNAVAILABLE = "answers 503"
    SLOW = "is too slow"
    UNAUTHORIZED = "answers 401"
    FORBIDDEN = "answers 403"
    NULL = "answers null"
    HTML = "answers with a page"
    TRUNCATED = "answers with half a list"
    TYPE_TWICE = "names one type twice"
    PORT_TWICE = "names one port twice"
    NAME_TWICE = "names two types that end in one name"
    BAD_PORT = "names a port that does not exist"

    @property
    def unreachable(self) -> bool:
        """Whether the client retries until the deadline."""
        return self in _UNREACHABLE


_UNREACHABLE = {
    Trouble.REFUSED,
    Trouble.HUNG_UP,
    Trouble.HUNG_UP_LATE,
    Trouble.UNAVAILABLE,
    Trouble.SLOW,
}


@dataclass(frozen=True, slots=True)
class Serve:
    """An adapter is enabled and runs on a port."""

    adapter: AdapterName
    port: int

    def __str__(self) -> str:
        return f"{self.adapter} serves on port {self.port}"


@dataclass(frozen=True, slots=True)
class Stop:
    """An adapter is enabled but not running, as during a port change."""

    adapter: AdapterName
    port: int

    def __str__(self) -> str:
        return f"{self.adapter} stops on its way to port {self.port}"


@dataclass(frozen=True, slots=True)
class Disable:
    """An adapter is disabled."""

    adapter: AdapterName

    def __str__(self) -> str:
        return f"{self.adapter} is disabled"


@dataclass(frozen=True, slots=True)
class Delete:
    """An adapter is deleted from its server."""

    adapter: AdapterName

    def __str__(self) -> str:
        return f"{self.adapter} is deleted from its server"


@dataclass(frozen=True, slots=True)
class Restart:
    """The server restarts: deleted default adapters are back, and all enabled adapters run."""

    server: str

    def __str__(self) -> str:
        return f"{self.server} restarts"


@dataclass(frozen=True, slots=True)
class FailOnce:
    """Only the first request of the next run fails."""

    server: str

    def __str__(self) -> str:
        return f"{self.server} fails once"


@dataclass(frozen=True, slots=True)
class Configure:
    """A setting is changed."""

    key: str
    value: Any

    def __str__(self) -> str:
        return f"configured {self.key}: {self.value}"


class Approval(StrEnum):
    """What is written to `approveRemovals`."""

    EXACT = "exactly what the next run removes"
    MORE = "more than the next run removes"
    NONE = "nothing"


class ServiceEdit(StrEnum):
    """An edit of a Service by kubectl or by a cloud controller."""

    LABEL_CHANGED = "changes a label of"
    LABEL_GONE = "takes a label from"
    ANNOTATION_ADDED = "adds an annotation to"
    ANNOTATION_CHANGED = "changes our annotation of"
    COUNT_GONE = "takes the absence count from"
    TARGET_CHANGED = "changes the target port of"
    PORT_ADDED = "adds a port to"
    PORT_RENAMED = "renames the data port of"
    CLOUD = "gives an address to"
    DELETED = "deletes"


@dataclass(frozen=True, slots=True)
class EditService:
    """A Service is edited in the cluster, outside the stack."""

    adapter: AdapterName
    edit: ServiceEdit

    def __str__(self) -> str:
        return f"a person {self.edit} the Service of {self.adapter}"


Event = Serve | Stop | Disable | Delete | Restart | FailOnce | Configure | EditService


@dataclass(frozen=True, slots=True)
class Step:
    """Events, and the run after them."""

    events: tuple[Event, ...] = ()
    trouble: Mapping[str, Trouble] = field(default_factory=dict)
    """Servers without a usable answer in this run."""
    approval: Approval | None = None
    """What a person approves who has looked at what this run would remove."""
    refresh: bool = False
    """Whether the state is refreshed before the run."""
    preview: bool = False
    """Whether a preview is made before the run."""
    failing: frozenset[tuple[str, str]] = frozenset()
    """Operations of the provider that fail in this run, each with the adapter it is for, or `*`."""

    def __str__(self) -> str:
        said = [*map(str, self.events), *(f"{name} {what}" for name, what in sorted(self.trouble.items()))]
        said += [f"approved: {self.approval}"] if self.approval else []
        said += ["refresh"] * self.refresh + ["preview"] * self.preview
        said += [f"every {operation} of {name} fails" for operation, name in sorted(self.failing)]
        return "; ".join(said) or "nothing new"


@dataclass(frozen=True, slots=True)
class History:
    """A sequence of steps of one stack."""

    types: tuple[str, ...]
    """Adapter types that its servers know."""
    steps: tuple[Step, ...]
    versions: Mapping[str, ServerVersion]
    """What each server runs: people upgrade them one by one."""
