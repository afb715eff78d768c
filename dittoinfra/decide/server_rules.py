"""The decision on one server from its polls, its memory and its rules. Pure."""

from collections.abc import Iterable, Iterator
from dataclasses import replace

from dittoinfra import naming
from dittoinfra.changes import count_text
from dittoinfra.decide.adapter_texts import absent_text, moved_text, removed_text
from dittoinfra.model import (
    AlreadyPolled,
    Answered,
    DeclaredAdapter,
    Missing,
    Nonsense,
    Note,
    Outcome,
    Reason,
    RememberedAdapter,
    Removal,
    ReportedAdapter,
    ServerDecision,
    ServerMemory,
    ServerPolls,
    State,
    Unanswered,
    Uncounted,
)
from dittoinfra.settings import ServerSettings
from dittoinfra.settings.server import api_endpoint

_CONFIRMED = (State.SERVING, State.NOT_RUNNING, State.PINNED)
"""What an adapter is that an answer lists as enabled, or that needs no answer."""

_DENIED = (State.ABSENT, State.DISABLED)
"""What an adapter is that an answer does not list as enabled, and that stays."""

Verdict = DeclaredAdapter | Removal | None
"""What happens to one adapter type; None where it is neither remembered nor to be declared."""


def decide_server(server: ServerSettings, memory: ServerMemory, polls: ServerPolls) -> ServerDecision:
    """The decision after one or more polls of the same run, each building on the one before."""
    decision = _after(server, memory, polls)
    return replace(decision, adapters=_from_where(server, memory, decision))


def asked_elsewhere(server: ServerSettings, memory: ServerMemory, decision: ServerDecision) -> str | None:
    """Where a server is asked now and was asked before, as text; None where that is the same.

    A server that is missing from its cluster is not asked.
    """
    if isinstance(decision.outcome, Missing):
        return None
    now = _asked_at(server)
    before = _asked_before(memory, now)
    return f"is asked at {now} now and was asked at {before} before" if before else None


def _after(server: ServerSettings, memory: ServerMemory, polls: ServerPolls) -> ServerDecision:
    if isinstance(polls, AlreadyPolled):
        return _hold(server, memory, polls.outcome)
    if isinstance(polls, Uncounted):
        decision = _decide(server, memory, polls.outcome, counts=False)
        return replace(decision, notes=tuple(_notes(server, memory, decision)))
    decision, before = _decide(server, memory, polls[0]), memory
    removed: ServerMemory = {}
    for outcome in polls[1:]:
        # What an earlier poll removed is not forgotten: a later one may list it as enabled, running or not.
        removed = {r.type: _revived({**removed, **before}[r.type], r) for r in decision.removals}
        back = {t: removed[t] for t in removed.keys() & _enabled(outcome)}
        before = {**_as_memory(decision), **back}
        later = _decide(server, before, outcome)
        gone = {r.type: r for r in decision.removals if r.type not in _enabled(later.outcome)}
        gone |= {r.type: r for r in later.removals}
        decision = replace(
            later,
            bootstrap=decision.bootstrap and later.bootstrap,
            adapters=tuple(adapter for adapter in later.adapters if adapter.type not in gone),
            removals=tuple(gone[adapter_type] for adapter_type in sorted(gone) if adapter_type in memory),
            lost=tuple(adapter_type for adapter_type in later.lost if adapter_type not in gone),
        )
    return replace(decision, notes=tuple(_notes(server, memory, decision)))


def _asked_at(server: ServerSettings) -> str | None:
    # Only where an answer came from matters, and a server that is not asked gives none.
    endpoint = api_endpoint(server, in_cluster=True)
    return str(endpoint) if endpoint is not None else None


def _asked_before(memory: ServerMemory, now: str | None) -> str | None:
    """Where a server's adapters were confirmed, if that is not where it is asked `now`."""
    # States of older versions do not tell, and then nothing is checked.
    known = {adapter.asked_at for adapter in memory.values() if adapter.asked_at is not None}
    return min(known - {now}, default=None)


def _from_where(
    server: ServerSettings, memory: ServerMemory, decision: ServerDecision
) -> tuple[DeclaredAdapter, ...]:
    """The adapters with the address to remember: a new one only once an answer from it confirms them all."""
    now = _asked_at(server)
    before = _asked_before(memory, now)
    confirmed = before is None or all(adapter.state in _CONFIRMED for adapter in decision.adapters)
    if isinstance(decision.outcome, Answered) and confirmed:
        return tuple(replace(adapter, asked_at=now) for adapter in decision.adapters)
    known = {adapter.type: adapter.asked_at for adapter in memory.values()}
    return tuple(
        replace(adapter, asked_at=known.get(adapter.type) or before) for adapter in decision.adapters
    )


def wants_another_poll(server: ServerSettings, decision: ServerDecision) -> bool:
    """Whether one more poll could say more about an absent adapter."""
    return any(
        adapter.state is State.ABSENT and adapter.absences < server.absence_polls
        for adapter in decision.adapters
    )


def _as_memory(decision: ServerDecision) -> ServerMemory:
    lost = {adapter_type: RememberedAdapter(adapter_type, None) for adapter_type in decision.lost}
    return {**decision.remembered(), **lost}


def _decide(
    server: ServerSettings, memory: ServerMemory, outcome: Outcome, *, counts: bool = True
) -> ServerDecision:
    # A pin does not apply to a server that no longer exists.
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
            verdicts[adapter_type] = _answered(server, remembered, answer.get(adapter_type), counts=counts)
    return ServerDecision(
        server=server.name,
        outcome=outcome,
        bootstrap=answer is None and not memory,
        adapters=tuple(v for v in verdicts.values() if isinstance(v, DeclaredAdapter)),
        removals=tuple(v for v in verdicts.values() if isinstance(v, Removal)),
        lost=tuple(t for t, v in verdicts.items() if v is None and t in memory),
    )


def _hold(server: ServerSettings, memory: ServerMemory, said: Outcome) -> ServerDecision:
    """What memory holds, in the states of the earlier answer: nothing changes, counts or is told twice."""
    shown = _decide(server, memory, said)
    states = {adapter.type: adapter.state for adapter in shown.adapters}
    declared = {adapter.type: adapter for adapter in shown.adapters if adapter.state is State.PINNED}
    for adapter in memory.values():
        state = states.get(adapter.type, State.ABSENT if adapter.absences else State.KEPT)
        kept = _keep(adapter, state, adapter.absences)
        if kept is not None:
            declared.setdefault(adapter.type, kept)
    return replace(
        shown,
        adapters=tuple(declared[adapter_type] for adapter_type in sorted(declared)),
        removals=(),
        lost=tuple(adapter_type for adapter_type in memory if adapter_type not in declared),
    )


def _reported(outcome: Outcome) -> dict[str, ReportedAdapter] | None:
    match outcome:
        case Answered(adapters):
            return {adapter.type: adapter for adapter in adapters}
        case Missing():
            return {}
        case _:
            return None


def _revived(before: RememberedAdapter, removal: Removal) -> RememberedAdapter:
    """An adapter as it was before a removal that a later poll may take back."""
    return replace(before, absences=0) if removal.reason is Reason.DISABLED else before


def _enabled(outcome: Outcome) -> frozenset[str]:
    """The types that an answer lists as enabled."""
    reported = _reported(outcome) or {}
    return frozenset(adapter_type for adapter_type, adapter in reported.items() if adapter.enabled)


def _answered(
    server: ServerSettings,
    remembered: RememberedAdapter | None,
    reported: ReportedAdapter | None,
    *,
    counts: bool,
) -> Verdict:
    if reported is not None and reported.enabled and reported.running:
        return DeclaredAdapter(reported.type, reported.port, State.SERVING)
    if remembered is None:
        return None
    if reported is not None and not reported.enabled:
        if server.removal == "never":
            return _keep(remembered, State.DISABLED, absences=0)
        return Removal(server.name, remembered.type, Reason.DISABLED)
    if reported is not None and server.not_running == "keep":
        return _keep(remembered, State.NOT_RUNNING, remembered.absences)
    if not counts:
        return _keep(remembered, State.ABSENT, remembered.absences)
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
    """Reject an answer if two of its types, or one of them and a known one, would get the same name."""
    if not isinstance(outcome, Answered):
        return outcome
    taken: dict[str, str] = {}
    for adapter_type in sorted({*memory, *pinned, *(a.type for a in outcome.adapters)}):
        for name in naming.adapter_names(server.name, adapter_type):
            other = taken.setdefault(name, adapter_type)
            if other != adapter_type:
                return Nonsense(f"adapter types {other!r} and {adapter_type!r} would both be named {name!r}")
    return outcome


def _notes(server: ServerSettings, memory: ServerMemory, decision: ServerDecision) -> Iterator[Note]:
    """Every note, derived from the final decision and not from intermediate ones."""
    absent, reported = "is missing from the answer", set[str]()
    match decision.outcome:
        case Answered(adapters):
            known = {*memory, *(adapter.type for adapter in decision.adapters)}
            reported = {adapter.type for adapter in adapters}
            for new in sorted(adapters):
                if new.enabled and not new.running and new.type not in known:
                    text = f"{new.type} is enabled but not running: nothing is declared for it yet"
                    yield Note(server.name, text)
        case Missing() as missing:
            absent = "is missing with its server"
            yield Note(server.name, f"{missing}; its adapters count as absent", warning=True)
        case unanswered:
            yield Note(server.name, _unanswered(unanswered, decision), warning=True)
    for adapter in decision.adapters:
        how_absent = "is not running" if adapter.type in reported else absent
        yield from _about(server, memory.get(adapter.type), adapter, how_absent)
    for removal in decision.removals:
        how, surprising = removed_text(removal.reason, server.absence_polls), removal.reason is Reason.ABSENT
        yield Note(server.name, f"{removal.type} is {how}: its Service is removed", warning=surprising)
    unconfirmed = decision.removals or any(adapter.state in _DENIED for adapter in decision.adapters)
    # With `never` there is nothing to approve, however long the address is not confirmed.
    told = unconfirmed and server.removal != "never"
    if told and (asked := asked_elsewhere(server, memory, decision)) is not None:
        text = f"{asked}: an adapter that is disabled or absent there is removed only with approval"
        yield Note(server.name, text, warning=True)


def _unanswered(outcome: Unanswered, decision: ServerDecision) -> str:
    kept = sum(adapter.state is State.KEPT for adapter in decision.adapters)
    if kept:
        then = f"{count_text(kept, 'remembered adapter')} kept as is"
    elif decision.adapters:
        then = "no adapters but the pinned ones are known, so no others are declared"
    else:
        then = "no adapters are known yet, so none are declared"
    return f"{outcome}; {then}"


def _about(
    server: ServerSettings, before: RememberedAdapter | None, adapter: DeclaredAdapter, how_absent: str
) -> Iterator[Note]:
    match adapter.state:
        case State.SERVING | State.KEPT:
            if before is not None and before.port not in (None, adapter.port):
                yield Note(server.name, f"{adapter.type} {moved_text(before.port, adapter.port)}")
        case State.DISABLED:
            yield Note(server.name, f"{adapter.type} is disabled: kept, because removal is never")
        case State.NOT_RUNNING:
            text = f"{adapter.type} is enabled but not running: kept on port {adapter.port}"
            yield Note(server.name, f"{text}; start or disable it on the server", warning=True)
        case State.ABSENT:
            counted = f"{how_absent}, {absent_text(adapter.absences, server.absence_polls)}"
            never = server.removal == "never" and adapter.absences >= server.absence_polls
            kept = "kept, because removal is never" if never else "kept"
            yield Note(server.name, f"{adapter.type} {counted}: {kept}", warning=True)
        case _:
            return


def unchanged_answers(server: ServerSettings, memory: ServerMemory, last: Outcome) -> tuple[Answered, ...]:
    """Polls of one run after which the declaration equals the memory, absence counts included.

    The first one serves everything and so clears the counts; then each adapter is missed as often as its
    count says. Where the state has lost an adapter's port, the `last` real outcome may tell it.
    """
    ports = {a.type: a.port for a in last.adapters} if isinstance(last, Answered) else {}
    served = {
        adapter.type: ReportedAdapter(adapter.type, port, enabled=True, running=True)
        for adapter in memory.values()
        if (port := adapter.port or ports.get(adapter.type)) is not None
    }
    misses = {adapter.type: _misses(server, adapter) for adapter in memory.values()}
    polls = max(misses.values(), default=0)
    return tuple(
        Answered(tuple(this for name, this in served.items() if poll <= polls - misses[name]))
        for poll in range(polls + 1)
    )


def _misses(server: ServerSettings, adapter: RememberedAdapter) -> int:
    # A count under a former, higher limit may exceed the present one; a replay must not remove an adapter.
    limit = server.absence_polls if server.removal == "never" else server.absence_polls - 1
    return min(adapter.absences, limit)
