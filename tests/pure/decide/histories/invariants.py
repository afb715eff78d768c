"""What must hold in every history of a server. Each message names the broken promise."""

from collections.abc import Mapping, Sequence

from dittoinfra.decide.brake import refusals
from dittoinfra.decide.server_rules import decide_server
from dittoinfra.decide.stack_rules import decide_stack
from dittoinfra.model import (
    Answered,
    DeclaredAdapter,
    Outcome,
    RememberedAdapter,
    ServerDecision,
    ServerMemory,
    State,
)
from dittoinfra.settings import StackSettings
from tests.pure.decide.histories.absence_count import AbsenceCount, Reported, reported, share_a_name
from tests.pure.decide.histories.history import History, Rules, Run, server_of
from tests.pure.decide.histories.ports import check_counting, check_services, ports_of


def check(history: History) -> Sequence[ServerDecision]:
    """Decide every run of a history, remembering only what was declared, as the engine does."""
    decisions = []
    memory: ServerMemory = {}
    last: tuple[DeclaredAdapter, ...] = ()
    absence_count = AbsenceCount()
    for number, run in enumerate(history.runs, 1):
        memory = _broken(memory, run.port_lost)
        absence_count.begin(run.rules)
        decision = _check_run(run, memory, absence_count)
        decisions.append(decision)
        # These two decide anew, which takes time; and every run is the last one of some history.
        is_last = number == len(history.runs)
        if is_last:
            _check_order(run, memory, decision)
        if _refused(run, memory, decision):
            absence_count.refused()
            continue
        if is_last:
            _check_repetition(run, decision)
        check_services(decision.adapters, history)
        check_counting(last, decision.adapters, history)
        last = decision.adapters
        memory = remembered(decision)
    return decisions


def remembered(decision: ServerDecision) -> ServerMemory:
    """What the engine's state holds after a successful run."""
    return {a.type: RememberedAdapter(a.type, a.port, a.absences) for a in decision.adapters}


def _broken(memory: ServerMemory, adapter_type: str | None) -> ServerMemory:
    if adapter_type is None or adapter_type not in memory:
        return memory
    return {**memory, adapter_type: RememberedAdapter(adapter_type, None, memory[adapter_type].absences)}


def _refused(run: Run, memory: ServerMemory, decision: ServerDecision) -> bool:
    server = server_of(run.rules)
    clash = share_a_name(frozenset(adapter.type for adapter in decision.adapters))
    if not clash and not decision.lost:
        return False
    stack = decide_stack([server], {server.name: memory}, {server.name: run.polls})
    assert refusals(stack, [server], StackSettings()), (
        "two Services of one name, or a lost port, must stop the run"
    )
    return True


def _check_run(run: Run, memory: ServerMemory, absence_count: AbsenceCount) -> ServerDecision:
    server = server_of(run.rules)
    before = memory
    removed: dict[str, RememberedAdapter] = {}
    decision: ServerDecision | None = None
    for count in range(1, len(run.polls) + 1):
        decision = decide_server(server, memory, run.polls[:count])
        _check_poll(run.rules, before, removed, run.polls[count - 1], decision, absence_count)
        removed = {r.type: {**removed, **before}[r.type] for r in decision.removals}
        before = {**remembered(decision), **{t: RememberedAdapter(t, None) for t in decision.lost}}
    assert decision is not None
    gone = memory.keys() - {a.type for a in decision.adapters} - set(decision.lost)
    assert {r.type for r in decision.removals} == gone, "a removal is what memory has and the run has not"
    told = {note.text.partition(" ")[0] for note in decision.notes if note.text.endswith(" is removed")}
    assert told == gone, "people are told of every removal, and of no other"
    return decision


def _check_poll(
    rules: Rules,
    before: ServerMemory,
    removed: ServerMemory,
    outcome: Outcome,
    decision: ServerDecision,
    absence_count: AbsenceCount,
) -> None:
    """Check one poll; `removed` are adapters that earlier polls of the same run have removed."""
    pinned = dict(rules.pins)
    after = {adapter.type: adapter for adapter in decision.adapters}
    assert list(after) == sorted(after), "adapters are ordered by type"
    for adapter_type, port in pinned.items():
        assert after.get(adapter_type) == DeclaredAdapter(adapter_type, port, State.PINNED), "pinned stays"
    said = reported(outcome)
    believed = said is not None and not share_a_name(frozenset((*before, *pinned, *said)))
    said = said if believed else None
    assert isinstance(decision.outcome, Answered) is believed, "two types of one name are not believed"
    # A removal stands unless a later answer lists the adapter as enabled.
    enabled = {t for t, what in (said or {}).items() if what in (Reported.SERVING, Reported.STOPPED)}
    before = {**before, **{t: a for t, a in removed.items() if t in enabled}}
    absence_count.add_poll(said, before, pinned)
    free_before = {t: a for t, a in before.items() if t not in pinned}
    free_after = {t: a for t, a in after.items() if t not in pinned}
    if said is None:
        _check_unanswered(free_before, free_after, decision)
    else:
        _check_answered(rules, free_before, said, free_after, decision, absence_count)
        _check_answered_ports(free_before, outcome, free_after)


def _check_unanswered(
    before: ServerMemory, after: Mapping[str, DeclaredAdapter], decision: ServerDecision
) -> None:
    kept = {t: (a.port, a.absences) for t, a in before.items() if a.port is not None}
    assert {t: (a.port, a.absences) for t, a in after.items()} == kept, "no answer changes nothing"
    assert set(decision.lost) == before.keys() - kept.keys(), "a port that is needed and unknown is told"


def _check_answered(
    rules: Rules,
    before: ServerMemory,
    said: Mapping[str, Reported],
    after: Mapping[str, DeclaredAdapter],
    decision: ServerDecision,
    absence_count: AbsenceCount,
) -> None:
    for adapter_type in before.keys() - after.keys() - set(decision.lost):
        what = said.get(adapter_type, Reported.MISSING)
        assert rules.removal == "sync", "removal: never removes nothing"
        assert what is not Reported.SERVING, "what serves is declared"
        assert what is not Reported.STOPPED or rules.not_running == "remove", "an outage removes nothing"
        if what.absent:
            assert absence_count.at_most[adapter_type] >= rules.absence_polls, "removed before its time"
    for adapter_type in before.keys() & after.keys():
        what = said.get(adapter_type, Reported.MISSING)
        if rules.removal == "sync":
            assert what is not Reported.DISABLED, "what was switched off goes now"
            if what is not Reported.STOPPED or rules.not_running == "remove":
                assert absence_count.at_least[adapter_type] < rules.absence_polls, "kept beyond its time"
    for adapter_type in after.keys() - before.keys():
        assert said.get(adapter_type) is Reported.SERVING, "only what serves is created"


def _check_answered_ports(
    before: ServerMemory, outcome: Outcome, after: Mapping[str, DeclaredAdapter]
) -> None:
    assert isinstance(outcome, Answered)
    served = {a.type: a.port for a in outcome.adapters if a.enabled and a.running}
    for adapter_type, adapter in after.items():
        if adapter_type in served:
            assert adapter.port == served[adapter_type], "what serves is declared where it serves"
            assert adapter.absences == 0, "serving clears the count"
        else:
            assert adapter.port == before[adapter_type].port, "what is kept keeps its port"


def _check_order(run: Run, memory: ServerMemory, decision: ServerDecision) -> None:
    turned = [Answered(o.adapters[::-1]) if isinstance(o, Answered) else o for o in run.polls]
    other = decide_server(server_of(run.rules), memory, turned)
    assert (other.adapters, other.removals, other.lost, other.notes) == (
        decision.adapters,
        decision.removals,
        decision.lost,
        decision.notes,
    ), "the order of an answer means nothing"


def _check_repetition(run: Run, decision: ServerDecision) -> None:
    """The same answer again changes nothing, except the counters of absent adapters."""
    again = decide_server(server_of(run.rules), remembered(decision), run.polls[-1:])
    if isinstance(decision.outcome, Answered) and not any(a.absences for a in decision.adapters):
        assert again.adapters == decision.adapters, "the same answer again changes nothing"
        assert again.removals == (), "the same answer again removes nothing"
    left = {r.type for r in again.removals}
    assert ports_of(again.adapters) == {p for p in ports_of(decision.adapters) if p[0] not in left}, (
        "while an absence is counted, the counter is all that changes"
    )
