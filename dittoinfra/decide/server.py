"""What one server's polls, its memory and its rules come to. Pure."""

from collections.abc import Iterable, Sequence
from dataclasses import replace

from dittoinfra import naming
from dittoinfra.decide.notes import notes
from dittoinfra.model import (
    Answered,
    DeclaredAdapter,
    Missing,
    Nonsense,
    Outcome,
    Reason,
    RememberedAdapter,
    Removal,
    ReportedAdapter,
    ServerDecision,
    ServerMemory,
    State,
)
from dittoinfra.settings import ServerSettings

Verdict = DeclaredAdapter | Removal | None
"""What becomes of one adapter type; None where nothing is known of it and nothing is owed to it."""


def decide_server(server: ServerSettings, memory: ServerMemory, polls: Sequence[Outcome]) -> ServerDecision:
    """The decision after one or more polls of the same run, each building on the one before."""
    decision = _decide(server, memory, polls[0])
    for outcome in polls[1:]:
        later = _decide(server, _as_memory(decision), outcome)
        gone = {r.type: r for r in (*decision.removals, *later.removals)}
        declared = {a.type for a in later.adapters}
        decision = replace(
            later,
            bootstrap=decision.bootstrap and later.bootstrap,
            removals=tuple(gone[t] for t in sorted(gone) if t in memory and t not in declared),
        )
    return replace(decision, notes=tuple(notes(server, memory, decision)))


def wants_another_poll(server: ServerSettings, decision: ServerDecision) -> bool:
    """Whether one more poll could say more about an absent adapter."""
    return any(
        adapter.state is State.ABSENT and adapter.absences < server.absence_polls
        for adapter in decision.adapters
    )


def _as_memory(decision: ServerDecision) -> ServerMemory:
    kept = {a.type: RememberedAdapter(a.type, a.port, a.absences) for a in decision.adapters}
    return kept | {adapter_type: RememberedAdapter(adapter_type, None) for adapter_type in decision.lost}


def _decide(server: ServerSettings, memory: ServerMemory, outcome: Outcome) -> ServerDecision:
    # Nobody pinned an adapter to a server that is not there.
    pins = () if isinstance(outcome, Missing) else server.adapters.pinned
    pinned = {pin.type: pin.port for pin in pins}
    outcome = _believed(server, memory, pinned.keys(), outcome)
    answer = _reported(outcome)
    verdicts: dict[str, Verdict] = {}
    for adapter_type in sorted({*memory, *pinned, *(answer or {})}):
        remembered = memory.get(adapter_type)
        if adapter_type in pinned:
            verdicts[adapter_type] = DeclaredAdapter(adapter_type, pinned[adapter_type], State.PINNED)
        elif answer is None:
            verdicts[adapter_type] = _keep(memory[adapter_type], State.KEPT, memory[adapter_type].absences)
        else:
            verdicts[adapter_type] = _answered(server, remembered, answer.get(adapter_type))
    return ServerDecision(
        server=server.name,
        outcome=outcome,
        bootstrap=answer is None and not memory,
        adapters=tuple(v for v in verdicts.values() if isinstance(v, DeclaredAdapter)),
        removals=tuple(v for v in verdicts.values() if isinstance(v, Removal)),
        lost=tuple(t for t, v in verdicts.items() if v is None and t in memory),
    )


def _reported(outcome: Outcome) -> dict[str, ReportedAdapter] | None:
    match outcome:
        case Answered(adapters):
            return {adapter.type: adapter for adapter in adapters}
        case Missing():
            return {}
        case _:
            return None


def _answered(
    server: ServerSettings, remembered: RememberedAdapter | None, reported: ReportedAdapter | None
) -> Verdict:
    if reported is not None and reported.enabled and reported.running:
        return DeclaredAdapter(reported.type, reported.port, State.SERVING)
    if remembered is None:
        return None
    if reported is not None and not reported.enabled:
        if server.removal == "never":
            return _keep(remembered, State.DISABLED, absences=0)
        return Removal(server.name, remembered.type, Reason.DISABLED)
    absences = min(remembered.absences + 1, server.absence_polls)
    if absences < server.absence_polls or server.removal == "never":
        return _keep(remembered, State.ABSENT, absences)
    return Removal(server.name, remembered.type, Reason.ABSENT)


def _keep(remembered: RememberedAdapter, state: State, absences: int) -> DeclaredAdapter | None:
    if remembered.port is None:
        return None
    return DeclaredAdapter(remembered.type, remembered.port, state, absences)


def _believed(
    server: ServerSettings, memory: ServerMemory, pinned: Iterable[str], outcome: Outcome
) -> Outcome:
    """An answer whose types would end in one name with each other, or with what is there, is nonsense."""
    if not isinstance(outcome, Answered):
        return outcome
    taken: dict[str, str] = {}
    for adapter_type in sorted({*memory, *pinned, *(a.type for a in outcome.adapters)}):
        for name in naming.adapter_names(server.name, adapter_type):
            other = taken.setdefault(name, adapter_type)
            if other != adapter_type:
                return Nonsense(f"adapter types {other!r} and {adapter_type!r} would both be named {name!r}")
    return outcome
