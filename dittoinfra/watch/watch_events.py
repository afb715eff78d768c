"""The events of a watch: one line, or one JSON object, for everything that happens."""

from collections.abc import Callable
from datetime import UTC, datetime
from enum import StrEnum

from pydantic import Field

from dittoinfra.changes import Changes
from dittoinfra.json_document import Document
from dittoinfra.visible import one_line


class EventKind(StrEnum):
    """What happened."""

    STARTED = "started"
    """The watch has begun; with a stack, it is followed without having been updated (`--no-initial`)."""
    SILENT = "silent"
    """A server stopped giving usable answers. Reported once, not with every poll."""
    ANSWERING = "answering"
    """A server that was silent answers again."""
    UNREADY = "unready"
    """The Service of an adapter has lost its last ready Pod: its clients cannot connect."""
    READY = "ready"
    """It has a ready Pod again."""
    CHANGED = "changed"
    """What a server serves, or a stack's configuration, is not what the last run saw: a run follows."""
    REMOVING = "removing"
    """A run is about to remove the Service of an adapter, and why."""
    REMOVED = "removed"
    """A run has removed the Service of an adapter, and why."""
    UPDATED = "updated"
    """A run succeeded."""
    WARNED = "warned"
    """A run has a warning that the run before it did not have, or the configuration cannot be read."""
    RESTORED = "restored"
    """The configuration can be read again."""
    FAILED = "failed"
    """A run failed; it is tried again. Reported again only when the reason is another one."""
    WAITING = "waiting"
    """A run has to wait: for a lock of another run, or for a server whose silence would stop it."""
    STOPPING = "stopping"
    """The watch was told to stop and is finishing what is under way."""
    STOPPED = "stopped"
    """The watch has ended."""


class WatchEvent(Document):
    """One line of `dittoinfra watch --json`."""

    time: datetime = Field(default_factory=lambda: datetime.now(UTC).replace(microsecond=0))
    """When, in UTC."""
    event: EventKind
    """What happened."""
    stack: str | None = None
    """The stack that it concerns; none where it concerns the whole watch."""
    server: str | None = None
    """The server that it concerns, if it is one."""
    text: str
    """What happened, for people, on one line."""
    changes: Changes | None = None
    """How many Kubernetes objects a run created, changed and deleted; only with `updated`."""

    def line(self) -> str:
        """As text for people."""
        when = self.time.strftime("%Y-%m-%dT%H:%M:%SZ")
        # It may contain text from the cluster, and this goes to a terminal.
        text = one_line(self.text)
        return f"{when} {self.stack}: {text}" if self.stack else f"{when} {text}"


EventSink = Callable[[WatchEvent], None]
"""Takes every event of the watch."""
