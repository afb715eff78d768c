"""What must hold after every run of every history. Each message names the broken promise."""

from collections.abc import Mapping

from tests.chaos.histories.absence_count import AbsenceCount
from tests.chaos.histories.events import AdapterName
from tests.chaos.histories.manifests import service_name
from tests.chaos.histories.preserved_fields import check_declared, check_updated
from tests.chaos.histories.run import ExpectedRun, Run, Snapshot, operations_of


def check_run(run: Run, absence_count: AbsenceCount) -> None:
    """Check every promise about a run."""
    expected, after = run.expected, run.after
    _check_others(expected, after)
    _check_removals(run, absence_count)
    _check_kept(run)
    if expected.verdict.refused:
        _check_refused(run)
    elif expected.failing:
        _check_failed(run)
    else:
        _check_done(run)


def check_idle(before: Snapshot, after: Snapshot, what: str) -> None:
    """Check that nothing has changed."""
    assert after == before, f"{what} changes nothing"


def _check_others(expected: ExpectedRun, after: Snapshot) -> None:
    """Services that belong to no adapter never change."""
    ours = {service_name(adapter) for adapter in (*expected.before.held, *expected.plan)}
    others = {name: live for name, live in expected.before.services.items() if name not in ours}
    assert {name: live for name, live in after.services.items() if name not in ours} == others, (
        "static Services and those of others are never changed"
    )


def _check_removals(run: Run, absence_count: AbsenceCount) -> None:
    """Each removal has a reason that the rules allow."""
    expected = run.expected
    configuration = expected.configuration
    for adapter in _gone(run):
        assert adapter.type not in configuration.pinned(adapter.server), f"{adapter} is pinned, and gone"
        if adapter.server not in expected.answers:
            continue
        assert configuration.removal == "sync", f"removal is never, and {adapter} is gone"
        answer = expected.answers[adapter.server]
        assert answer is not None, f"{adapter} is gone without a usable answer"
        reported = answer.get(adapter.type)
        assert reported is None or not reported.enabled, f"{adapter} is enabled, and is gone"
        if reported is None:
            assert absence_count.misses[adapter] >= configuration.absence_polls, (
                f"{adapter} is gone before its time"
            )


def _check_kept(run: Run) -> None:
    """An adapter that is kept has its old port, or the one of the answer."""
    before, after = run.expected.before.held, run.after.held
    for adapter in before.keys() & after.keys():
        if adapter.server not in run.expected.answers or adapter.type in run.expected.configuration.pinned(
            adapter.server
        ):
            continue
        old, new = before[adapter], after[adapter]
        answer = run.expected.answers[adapter.server]
        reported = answer.get(adapter.type) if answer is not None else None
        if answer is None:
            assert (new.port, new.count) == (old.port, old.count), f"{adapter} has changed without an answer"
        elif reported is None or not reported.serving:
            assert new.port == old.port, f"{adapter} is kept, and not on its port"
        elif run.report.ok:
            assert new.port == reported.port_of(adapter.type), f"{adapter} does not follow its port"
            assert new.count == 0, f"{adapter} serves, and is counted as absent"


def _gone(run: Run) -> list[AdapterName]:
    before, after = run.expected.before, run.after
    return [
        adapter
        for adapter in before.held
        if adapter not in after.held
        or (service_name(adapter) in before.services and service_name(adapter) not in after.services)
    ]


def _check_refused(run: Run) -> None:
    expected = run.expected
    assert not run.report.ok, f"this run must stop: {expected.verdict.refused}"
    check_idle(expected.before, run.after, "a run that stops")
    said = "\n".join(run.report.lines("error"))
    for word in expected.verdict.refused:
        assert word in said, f"the error does not name {word!r}: {said}"


def _check_failed(run: Run) -> None:
    expected, after = run.expected, run.after
    assert not run.report.ok, "a failed operation must fail the run"
    for adapter in expected.before.held.keys() | expected.plan.keys():
        if _unchanged(expected, after, adapter):
            continue
        assert adapter not in expected.failing, f"{adapter} failed, and has changed"
        assert adapter in expected.operations, (
            f"{adapter} has changed in a run that had nothing to do with it"
        )
        _check_arrived(expected, after, adapter)


def _check_done(run: Run) -> None:
    expected, after = run.expected, run.after
    assert run.report.ok, f"this run must come to its end: {run.report.lines('error')}"
    check_operations(expected, operations_of(run.report), "the run")
    if run.preview is not None:
        assert run.report.changes == run.preview.changes, "the preview did not tell the truth"
    assert run.report.changes.replace == 0, "nothing is ever replaced"
    assert after.held.keys() == expected.plan.keys(), "the state holds what is declared and nothing else"
    for adapter in expected.before.held.keys() | expected.plan.keys():
        # An adapter whose Service is gone already is removed without any operation.
        if adapter in expected.operations or adapter not in expected.plan:
            _check_arrived(expected, after, adapter)
        else:
            same = _unchanged(expected, after, adapter) and expected.before.held[adapter] == after.held.get(
                adapter
            )
            assert same, f"{adapter}: a run with nothing new changes nothing"


def check_operations(expected: ExpectedRun, operations: Mapping[AdapterName, str], who: str) -> None:
    """The operations that the engine reports for a run or a preview are the expected ones."""
    must = expected.operations
    wrong = {
        str(adapter): f"{operations.get(adapter, 'nothing')}, not {must.get(adapter, 'nothing')}"
        for adapter in sorted(operations.keys() | must.keys(), key=str)
        if operations.get(adapter) != must.get(adapter)
    }
    assert not wrong, f"{who} does to Services what it must not: {wrong}"


def _unchanged(expected: ExpectedRun, after: Snapshot, adapter: AdapterName) -> bool:
    """Whether a Service is unchanged; its adapter's memory may have changed before the operation failed."""
    name = service_name(adapter)
    old, new = (snapshot.held.get(adapter) for snapshot in (expected.before, after))
    same = expected.before.services.get(name) == after.services.get(name)
    return same and (old.inputs if old else None) == (new.inputs if new else None)


def _check_arrived(expected: ExpectedRun, after: Snapshot, adapter: AdapterName) -> None:
    """A Service is as expected, in the state and in the cluster."""
    name = service_name(adapter)
    old, new = expected.before.services.get(name), after.services.get(name)
    if adapter not in expected.plan:
        assert adapter not in after.held, f"{adapter} must be forgotten"
        assert new is None, f"{name} must be gone"
        return
    declared, it = expected.plan[adapter], expected.verdict.declared[adapter]
    held = after.held.get(adapter)
    assert held is not None, f"{adapter} must be remembered"
    assert (held.port, held.count) == (it.port, it.count), f"{adapter} is remembered wrongly"
    assert held.inputs == declared, f"{adapter} is declared wrongly"
    assert new is not None, f"{name} must be there"
    check_declared(new, declared)
    earlier = expected.before.held.get(adapter)
    if old is not None and earlier is not None and earlier.inputs is not None:
        check_updated(old, new, declared, earlier.inputs)
