"""What a person is told about one server's decision. Pure."""

from collections.abc import Collection, Iterator

from dittoinfra.model import (
    Answered,
    DeclaredAdapter,
    Missing,
    Note,
    Reason,
    Removal,
    ServerDecision,
    ServerMemory,
    State,
    Unanswered,
)
from dittoinfra.settings import ServerSettings


def notes(server: ServerSettings, memory: ServerMemory, decision: ServerDecision) -> Iterator[Note]:
    """Everything worth a line, told from how the run ends and not from what it thought on the way."""
    reported: set[str] = set()
    match decision.outcome:
        case Answered() as answer:
            reported = {adapter.type for adapter in answer.adapters}
            yield from _waiting(server, memory, decision, answer)
        case Missing(why):
            yield Note(server.name, f"missing: {why}; its adapters count as absent", warning=True)
        case unanswered:
            yield Note(server.name, _unanswered(unanswered, decision), warning=True)
    for adapter in decision.adapters:
        yield from _about(server, memory, adapter, _how_absent(decision, adapter, reported))
    for removal in decision.removals:
        yield _removed(server, removal)


def _unanswered(outcome: Unanswered, decision: ServerDecision) -> str:
    kept = sum(adapter.state is State.KEPT for adapter in decision.adapters)
    if kept:
        then = f"{kept} remembered adapter{'s' if kept > 1 else ''} kept as is"
    elif decision.adapters:
        then = "no adapters but the pinned ones are known, so no others are declared"
    else:
        then = "no adapters are known yet, so none are declared"
    return f"{type(outcome).__name__.lower()}: {outcome.why}; {then}"


def _waiting(
    server: ServerSettings, memory: ServerMemory, decision: ServerDecision, answer: Answered
) -> Iterator[Note]:
    known = {*memory, *(adapter.type for adapter in decision.adapters)}
    for reported in sorted(answer.adapters):
        if reported.enabled and not reported.running and reported.type not in known:
            text = f"{reported.type} is enabled but not running: nothing is declared for it yet"
            yield Note(server.name, text)


def _how_absent(decision: ServerDecision, adapter: DeclaredAdapter, reported: Collection[str]) -> str:
    if isinstance(decision.outcome, Missing):
        return "is missing with its server"
    return "is not running" if adapter.type in reported else "is missing from the answer"


def _about(
    server: ServerSettings, memory: ServerMemory, adapter: DeclaredAdapter, how_absent: str
) -> Iterator[Note]:
    before = memory.get(adapter.type)
    match adapter.state:
        case State.SERVING | State.KEPT:
            if before is not None and before.port not in (None, adapter.port):
                yield Note(server.name, f"{adapter.type} moved from port {before.port} to {adapter.port}")
        case State.DISABLED:
            yield Note(server.name, f"{adapter.type} is disabled: kept, because removal is never")
        case State.ABSENT:
            counted = f"absent {adapter.absences}/{server.absence_polls}"
            kept = "kept" if adapter.absences < server.absence_polls else "kept, because removal is never"
            yield Note(server.name, f"{adapter.type} {how_absent}, {counted}: {kept}", warning=True)
        case _:
            return


def _removed(server: ServerSettings, removal: Removal) -> Note:
    if removal.reason is Reason.DISABLED:
        return Note(server.name, f"{removal.type} is disabled: its Service is removed")
    counted = f"absent {server.absence_polls}/{server.absence_polls}"
    return Note(server.name, f"{removal.type} is {counted}: its Service is removed", warning=True)
