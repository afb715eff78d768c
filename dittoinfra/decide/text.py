"""A decision as a person reads it. Pure."""

from collections.abc import Iterator, Sequence

from dittoinfra.model import DeclaredAdapter, ServerDecision, StackDecision, State
from dittoinfra.settings import ServerSettings


def state_text(adapter: DeclaredAdapter, absence_polls: int) -> str:
    """How an adapter stands: `serving`, `absent 1/3`, `pinned`, `kept`, `disabled`."""
    if adapter.state in (State.ABSENT, State.KEPT) and adapter.absences:
        return f"absent {min(adapter.absences, absence_polls)}/{absence_polls}"
    return str(adapter.state)


def outcome_text(decision: ServerDecision) -> str:
    """How the poll ended, in one word; `bootstrap` where nothing is known of the server yet."""
    return "bootstrap" if decision.bootstrap else type(decision.outcome).__name__.lower()


def decision_text(decision: StackDecision, servers: Sequence[ServerSettings]) -> str:
    """The whole decision: a server, its adapters, and what goes."""
    return "\n".join(_lines(decision, servers))


def _lines(decision: StackDecision, servers: Sequence[ServerSettings]) -> Iterator[str]:
    for server in servers:
        decided = decision.servers[server.name]
        yield f"{server.name}: {outcome_text(decided)}"
        for adapter in decided.adapters:
            yield f"  = {adapter.type} {adapter.port} {state_text(adapter, server.absence_polls)}"
        for removal in decided.removals:
            yield f"  - {removal.type} {removal.reason}"
    for removal in decision.removals:
        if removal.server not in decision.servers:
            yield f"- {removal.name} {removal.reason}"
