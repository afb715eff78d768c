"""What a watch tells people and pipelines: one line, or one JSON object, for everything that happens."""

from datetime import UTC, datetime
from enum import StrEnum

from pydantic import Field

from dittoinfra.document import Document
from dittoinfra.visible import visible


class Happening(StrEnum):
    """What happened."""

    STARTED = "started"
    """The watch has begun; with a stack, it is followed without having been updated (`--no-initial`)."""
    SILENT = "silent"
    """A server stopped giving usable answers. Said once, not with every poll."""
    ANSWERING = "answering"
    """A server that was silent answers again."""
    CHANGED = "changed"
    """What a server serves, or a stack's configuration, is not what the last run saw: a run follows."""
    UPDATED = "updated"
    """A run came to its end."""
    WARNED = "warned"
    """A run has a warning that the run before it did not have."""
    FAILED = "failed"
    """A run did not; it is tried again. Said again only when the reason is another one."""
    WAITING = "waiting"
    """A run has to wait: for a lock that somebody holds, or for a server whose silence would stop it."""
    STOPPING = "stopping"
    """The watch was told to stop and is finishing what is under way."""
    STOPPED = "stopped"
    """The watch has ended."""


class ChangeCounts(Document):
    """The engine's count of resources by what became of them."""

    created: int
    updated: int
    deleted: int
    replaced: int


def _now() -> datetime:
    return datetime.now(UTC).replace(microsecond=0)


class WatchEvent(Document):
    """One line of `dittoinfra watch --json`."""

    time: datetime = Field(default_factory=_now)
    """When, in UTC."""
    event: Happening
    """What happened."""
    stack: str | None = None
    """The stack that it concerns; none where it concerns the whole watch."""
    server: str | None = None
    """The server that it concerns, if it is one."""
    text: str
    """The same for a person, on one line."""
    changes: ChangeCounts | None = None
    """What a run did; only with `updated`."""

    def line(self) -> str:
        """For a person."""
        when = self.time.strftime("%Y-%m-%dT%H:%M:%SZ")
        # A cluster's words may be in it, and this goes to a terminal.
        text = " ".join(visible(self.text).split())
        return f"{when} {self.stack}: {text}" if self.stack else f"{when} {text}"
