"""What a run would do about each adapter, and why, in words for people. Pure."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from enum import StrEnum

from dittoinfra.model import (
    Answered,
    DeclaredAdapter,
    Missing,
    Reason,
    RememberedAdapter,
    Removal,
    ReportedAdapter,
    ServerDecision,
    ServerMemory,
    State,
)
from dittoinfra.settings import ServerSettings


class Action(StrEnum):
    """What becomes of an adapter's Service."""

    CREATE = "create"
    UPDATE = "update"
    REMOVE = "remove"
    KEEP = "keep"
    NOTHING = "nothing"
    """There is none, and none is made."""
    STOP = "stop"
    """It must be kept and nobody knows how: the run stops."""

    @property
    def changes(self) -> bool:
        """Whether the Service is not left as it was."""
        return self in (Action.CREATE, Action.UPDATE, Action.REMOVE)


@dataclass(frozen=True, slots=True)
class Outlook:
    """What becomes of one adapter."""

    type: str
    action: Action
    why: str
    configured: bool = False
    """Whether the configuration alone wants it so, whatever the server says."""


def outlook(server: ServerSettings, memory: ServerMemory, decision: ServerDecision) -> tuple[Outlook, ...]:
    """Everything that is known of a server's adapters, ordered by type."""
    answer = decision.outcome.adapters if isinstance(decision.outcome, Answered) else ()
    reported = {adapter.type: adapter for adapter in answer}
    found = (
        *(
            _declared(server, memory.get(a.type), a, reported.get(a.type), decision)
            for a in decision.adapters
        ),
        *(Outlook(r.type, Action.REMOVE, _removed(server, r)) for r in decision.removals),
        *(Outlook(t, Action.STOP, "it must be kept, but the state has lost its port") for t in decision.lost),
    )
    known = {this.type for this in found}
    return tuple(sorted((*found, *_left_out(reported, known)), key=lambda this: this.type))


def unconfigured(memory: ServerMemory) -> tuple[Outlook, ...]:
    """The adapters of a server that is not configured any more."""
    why = "its server is not configured any more"
    return tuple(Outlook(name, Action.REMOVE, why, configured=True) for name in sorted(memory))


def _declared(
    server: ServerSettings,
    before: RememberedAdapter | None,
    adapter: DeclaredAdapter,
    reported: ReportedAdapter | None,
    decision: ServerDecision,
) -> Outlook:
    why = _why(server, adapter, reported, decision)
    configured = adapter.state is State.PINNED
    if before is None:
        return Outlook(adapter.type, Action.CREATE, f"{why}, not in the stack yet", configured)
    changes = tuple(_changes(server, before, adapter))
    action = Action.UPDATE if changes or before.absences != adapter.absences else Action.KEEP
    return Outlook(adapter.type, action, ", ".join((why, *changes)), configured)


def _changes(server: ServerSettings, before: RememberedAdapter, adapter: DeclaredAdapter) -> Iterator[str]:
    if before.port is None:
        yield f"the state has lost its port, which is {adapter.port}"
    elif before.port != adapter.port:
        yield f"moved from port {before.port} to {adapter.port}"
    if before.absences and not adapter.absences:
        yield f"absent {before.absences}/{server.absence_polls} is cleared"


def _why(
    server: ServerSettings,
    adapter: DeclaredAdapter,
    reported: ReportedAdapter | None,
    decision: ServerDecision,
) -> str:
    match adapter.state:
        case State.SERVING:
            return "served"
        case State.PINNED:
            return "pinned by the configuration"
        case State.DISABLED:
            return "disabled, kept because removal is never"
        case State.ABSENT:
            how = _absent_how(reported, decision)
            kept = ", kept because removal is never" if adapter.absences >= server.absence_polls else ""
            return f"{how}, absent {adapter.absences}/{server.absence_polls}{kept}"
        case _:
            counted = f", absent {adapter.absences}/{server.absence_polls} stays" if adapter.absences else ""
            return f"{type(decision.outcome).__name__.lower()}{counted}"


def _absent_how(reported: ReportedAdapter | None, decision: ServerDecision) -> str:
    if isinstance(decision.outcome, Missing):
        return "its server is not listed any more"
    return "missing from the answer" if reported is None else "not running"


def _removed(server: ServerSettings, removal: Removal) -> str:
    if removal.reason is Reason.DISABLED:
        return "disabled on the server"
    return f"absent {server.absence_polls}/{server.absence_polls}"


def _left_out(reported: Mapping[str, ReportedAdapter], known: set[str]) -> Iterator[Outlook]:
    for adapter in reported.values():
        if adapter.type not in known:
            why = "enabled, but not running" if adapter.enabled else "disabled"
            yield Outlook(adapter.type, Action.NOTHING, why)
