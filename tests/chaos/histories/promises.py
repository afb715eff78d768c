"""What must hold in every run of every history. Every message says which promise is broken."""

from collections.abc import Mapping

from tests.chaos.histories.events import Place
from tests.chaos.histories.manifests import service_name
from tests.chaos.histories.run import Moment, Outlook, Run, operations_of
from tests.chaos.histories.survivals import check_declared, check_updated
from tests.chaos.histories.witness import Witness


def check_run(run: Run, witness: Witness) -> None:
    """Everything that was promised about a run."""
    outlook, after = run.outlook, run.after
    _check_others(outlook, after)
    _check_removals(run, witness)
    _check_kept(run)
    if outlook.verdict.refused:
        _check_refused(run)
    elif outlook.failing:
        _check_failed(run)
    else:
        _check_done(run)


def check_idle(before: Moment, after: Moment, what: str) -> None:
    """Nothing has changed anywhere."""
    assert after == before, f"{what} changes nothing"


def _check_others(outlook: Outlook, after: Moment) -> None:
    """Services that no adapter has are nobody's business, whatever becomes of the adapters."""
    ours = {service_name(place) for place in (*outlook.before.held, *outlook.plan)}
    others = {name: live for name, live in outlook.before.services.items() if name not in ours}
    assert {name: live for name, live in after.services.items() if name not in ours} == others, (
        "static Services and those of others are never touched"
    )


def _check_removals(run: Run, witness: Witness) -> None:
    """What goes, goes for a reason that a person could give."""
    outlook = run.outlook
    wishes = outlook.wishes
    for place in _gone(run):
        assert place.type not in wishes.pinned(place.server), f"{place} is pinned, and gone"
        if place.server not in outlook.answers:
            continue
        assert wishes.removal == "sync", f"removal is never, and {place} is gone"
        answer = outlook.answers[place.server]
        assert answer is not None, f"{place} is gone without a usable answer"
        told = answer.get(place.type)
        assert told is None or not told.enabled, f"{place} is enabled, and is gone"
        if told is None:
            assert witness.misses[place] >= wishes.absence_polls, f"{place} is gone before its time"


def _check_kept(run: Run) -> None:
    """What stays, stays where it was or follows the answer."""
    before, after = run.outlook.before.held, run.after.held
    for place in before.keys() & after.keys():
        if place.server not in run.outlook.answers or place.type in run.outlook.wishes.pinned(place.server):
            continue
        old, new = before[place], after[place]
        answer = run.outlook.answers[place.server]
        told = answer.get(place.type) if answer is not None else None
        if answer is None:
            assert (new.port, new.count) == (old.port, old.count), f"{place} has changed without an answer"
        elif told is None or not told.serving:
            assert new.port == old.port, f"{place} is kept, and not on its port"
        elif run.report.ok:
            assert new.port == told.port_of(place.type), f"{place} does not follow its port"
            assert new.count == 0, f"{place} serves, and is counted as absent"


def _gone(run: Run) -> list[Place]:
    before, after = run.outlook.before, run.after
    return [
        place
        for place in before.held
        if place not in after.held
        or (service_name(place) in before.services and service_name(place) not in after.services)
    ]


def _check_refused(run: Run) -> None:
    outlook = run.outlook
    assert not run.report.ok, f"this run must stop: {outlook.verdict.refused}"
    check_idle(outlook.before, run.after, "a run that stops")
    said = "\n".join(run.report.lines("error"))
    for word in outlook.verdict.refused:
        assert word in said, f"the error does not name {word!r}: {said}"


def _check_failed(run: Run) -> None:
    outlook, after = run.outlook, run.after
    assert not run.report.ok, "a failed operation must fail the run"
    for place in outlook.before.held.keys() | outlook.plan.keys():
        if _untouched(outlook, after, place):
            continue
        assert place not in outlook.failing, f"{place} failed, and has changed"
        assert place in outlook.operations, f"{place} has changed in a run that had nothing to do with it"
        _check_arrived(outlook, after, place)


def _check_done(run: Run) -> None:
    outlook, after = run.outlook, run.after
    assert run.report.ok, f"this run must come to its end: {run.report.lines('error')}"
    check_told(outlook, operations_of(run.report), "the run")
    if run.foretold is not None:
        assert run.report.changes == run.foretold.changes, "the preview did not tell the truth"
    assert run.report.changes.replace == 0, "nothing is ever replaced"
    assert after.held.keys() == outlook.plan.keys(), "the state holds what is declared and nothing else"
    for place in outlook.before.held.keys() | outlook.plan.keys():
        # An adapter whose Service is gone already is removed without any operation.
        if place in outlook.operations or place not in outlook.plan:
            _check_arrived(outlook, after, place)
        else:
            same = _untouched(outlook, after, place) and outlook.before.held[place] == after.held.get(place)
            assert same, f"{place}: a run with nothing new changes nothing"


def check_told(outlook: Outlook, told: Mapping[Place, str], who: str) -> None:
    """The engine's own account of a run, or of a preview, is what had to come."""
    must = outlook.operations
    wrong = {
        str(place): f"{told.get(place, 'nothing')}, not {must.get(place, 'nothing')}"
        for place in sorted(told.keys() | must.keys(), key=str)
        if told.get(place) != must.get(place)
    }
    assert not wrong, f"{who} does to Services what it must not: {wrong}"


def _untouched(outlook: Outlook, after: Moment, place: Place) -> bool:
    """Whether a Service is as it was; what is remembered of its adapter may have changed before it failed."""
    name = service_name(place)
    old, new = (moment.held.get(place) for moment in (outlook.before, after))
    same = outlook.before.services.get(name) == after.services.get(name)
    return same and (old.inputs if old else None) == (new.inputs if new else None)


def _check_arrived(outlook: Outlook, after: Moment, place: Place) -> None:
    """A Service is where the rules want it, in the state and in the cluster."""
    name = service_name(place)
    old, new = outlook.before.services.get(name), after.services.get(name)
    if place not in outlook.plan:
        assert place not in after.held, f"{place} must be forgotten"
        assert new is None, f"{name} must be gone"
        return
    declared, it = outlook.plan[place], outlook.verdict.declared[place]
    held = after.held.get(place)
    assert held is not None, f"{place} must be remembered"
    assert (held.port, held.count) == (it.port, it.count), f"{place} is remembered wrongly"
    assert held.inputs == declared, f"{place} is declared wrongly"
    assert new is not None, f"{name} must be there"
    check_declared(new, declared)
    earlier = outlook.before.held.get(place)
    if old is not None and earlier is not None and earlier.inputs is not None:
        check_updated(old, new, declared, earlier.inputs)
