"""Who uses adapters, as plain values."""

from collections.abc import Mapping
from dataclasses import dataclass

from dittoinfra.changes import count_text
from dittoinfra.model import Unanswered


@dataclass(frozen=True, slots=True)
class Usage:
    """Who uses an adapter at the moment, as its server tells."""

    clients: int = 0
    """Connections of NFS, logged-in sessions of SMB."""
    mounts: int = 0
    """Mounts by NFS version 3 that were not unmounted."""
    handles: int = 0
    """Durable handles of SMB: files that a client which has lost its connection may still claim."""

    def __add__(self, other: "Usage") -> "Usage":
        return Usage(self.clients + other.clients, self.mounts + other.mounts, self.handles + other.handles)

    @property
    def any(self) -> bool:
        """Whether clients would be cut off."""
        return self != Usage()

    def __str__(self) -> str:
        counts = (("client", self.clients), ("mount", self.mounts), ("durable handle", self.handles))
        shown = [count_text(count, word) for word, count in counts if count]
        return " and ".join(filter(None, (", ".join(shown[:-1]), *shown[-1:]))) or "no clients"


UsageAnswer = Mapping[str, Usage] | Unanswered
"""Who uses a server, by adapter type, or why that is not known."""
