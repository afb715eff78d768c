"""Whether a server's answer would make a run change anything. Pure.

The rules of a run decide it: a poll is decided as a run would decide it, against what the stack holds. Only
what would be declared differently is a reason for a run: not an order, not a server that does not answer, not
an adapter that was never served and still is not.

An absence that is being counted changes its counter with every run that counts, so it asks for such a run
until it is over; once the counter stays the same (`removal: never`), it asks for none.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from enum import StrEnum

from dittoinfra.decide.adapter_texts import absent_text, moved_text, removed_text
from dittoinfra.decide.server_rules import decide_server
from dittoinfra.model import (
    DeclaredAdapter,
    Reason,
    RememberedAdapter,
    Removal,
    ServerDecision,
    ServerMemory,
    ServerPolls,
)
from dittoinfra.naming import adapter_resource
from dittoinfra.settings import ServerSettings


class ChangeKind(StrEnum):
    """What a change costs if it turns out to be wrong."""

    SERVED = "served"
    """New, moved or back: the next run would set it right."""
    DISABLED = "disabled"
    """A Service goes, and its address with it."""
    ABSENT = "absent"
    """The first step of an absence: a run counts it."""
    STILL_ABSENT = "still absent"
    """The next step of an absence that is being counted already."""

    @property
    def counts(self) -> bool:
        """Whether a run would count an absence for it."""
        return self in (ChangeKind.ABSENT, ChangeKind.STILL_ABSENT)


@dataclass(frozen=True, slots=True)
class AdapterChange:
    """One adapter that a run would declare differently, or no longer."""

    text: str
    kind: ChangeKind = ChangeKind.SERVED


def changes(
    server: ServerSettings, memory: ServerMemory, decision: ServerDecision
) -> tuple[AdapterChange, ...]:
    """Everything that a run with this decision would change for a server with this memory."""
    declared = {adapter.type: adapter for adapter in decision.adapters}
    removed = {removal.type: removal for removal in decision.removals}
    return tuple(
        AdapterChange(f"{adapter_resource(server.name, adapter_type)} {text}", kind)
        for adapter_type in sorted({*memory, *declared})
        for text, kind in _difference(
            server, memory.get(adapter_type), declared.get(adapter_type), removed.get(adapter_type)
        )
    )


def memory_after(server: ServerSettings, memory: ServerMemory, polls: ServerPolls) -> ServerMemory:
    """What the stack holds of a server after a run with these polls."""
    return decide_server(server, memory, polls).remembered(server.namespace)


def _difference(
    server: ServerSettings,
    before: RememberedAdapter | None,
    after: DeclaredAdapter | None,
    removal: Removal | None,
) -> Iterator[tuple[str, ChangeKind]]:
    """What changes about one adapter, if anything."""
    counted = before is not None and before.absences > 0
    absent = ChangeKind.STILL_ABSENT if counted else ChangeKind.ABSENT
    if removal is not None:
        kind = ChangeKind.DISABLED if removal.reason is Reason.DISABLED else absent
        yield f"is {removed_text(removal.reason, server.absence_polls)}", kind
    elif after is None:
        # The port is not known any more: a run could only report that, and the last one has.
        return
    elif before is None:
        yield f"is new on port {after.port}", ChangeKind.SERVED
    elif before.port != after.port:
        yield moved_text(before.port, after.port), ChangeKind.SERVED
    elif after.absences > before.absences:
        yield f"is {absent_text(after.absences, server.absence_polls)}", absent
    elif after.absences < before.absences:
        yield "is back", ChangeKind.SERVED
