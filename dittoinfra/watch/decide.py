"""Whether what a server says now would make a run change anything. Pure.

The rules of a run answer that themselves: a poll is decided as a run would decide it, against what the stack
holds. What would be declared differently is a reason for a run, and nothing else is: not an order, not a
silence, not an adapter that was never served and still is not.

An absence that is being counted changes its counter with every answer, so it asks for a run at every poll
until it is over; once the counter stands still (`removal: never`), it asks for none.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from dittoinfra.decide import decide_server
from dittoinfra.model import (
    DeclaredAdapter,
    Outcome,
    Reason,
    RememberedAdapter,
    Removal,
    ServerDecision,
    ServerMemory,
)
from dittoinfra.naming import adapter_resource
from dittoinfra.settings import ServerSettings


@dataclass(frozen=True, slots=True)
class Change:
    """One adapter that a run would declare differently, or no longer."""

    text: str
    goes_on: bool = False
    """The next step of an absence that is being counted already: no surprise that has to settle first."""


def changes(server: ServerSettings, held: ServerMemory, decision: ServerDecision) -> tuple[Change, ...]:
    """Everything that a run with this decision would change for a server that the stack holds like this."""
    declared = {adapter.type: adapter for adapter in decision.adapters}
    gone = {removal.type: removal for removal in decision.removals}
    return tuple(
        change
        for adapter_type in sorted({*held, *declared})
        for change in _changed(
            server, held.get(adapter_type), declared.get(adapter_type), gone.get(adapter_type)
        )
    )


def held_after(server: ServerSettings, held: ServerMemory, polls: Sequence[Outcome]) -> ServerMemory:
    """What the stack holds of a server once a run that heard these polls has come to its end."""
    decision = decide_server(server, held, polls)
    return {a.type: RememberedAdapter(a.type, a.port, a.absences) for a in decision.adapters}


def _changed(
    server: ServerSettings,
    before: RememberedAdapter | None,
    after: DeclaredAdapter | None,
    removal: Removal | None,
) -> Iterator[Change]:
    counted = before is not None and before.absences > 0
    if removal is not None:
        absent = removal.reason is Reason.ABSENT
        why = f"is absent {server.absence_polls}/{server.absence_polls}" if absent else "is disabled"
        yield _change(server, removal.type, why, goes_on=absent and counted)
    elif after is None:
        # A port that nobody knows any more: a run could only say so, and the last one has.
        return
    elif before is None:
        yield _change(server, after.type, f"is new on port {after.port}")
    elif before.port != after.port:
        yield _change(server, after.type, f"moved from port {before.port} to {after.port}")
    elif after.absences > before.absences:
        how = f"is absent {after.absences}/{server.absence_polls}"
        yield _change(server, after.type, how, goes_on=counted)
    elif after.absences < before.absences:
        yield _change(server, after.type, "is back")


def _change(server: ServerSettings, adapter_type: str, what: str, *, goes_on: bool = False) -> Change:
    return Change(f"{adapter_resource(server.name, adapter_type)} {what}", goes_on)
