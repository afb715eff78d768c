"""The lines about adapters whose Services a run removes."""

from dataclasses import replace

from dittoinfra.model import RememberedAdapter
from dittoinfra.program.survey import RunRecord
from dittoinfra.stacks.result import RunReport, Step
from dittoinfra.watch.stack_watch import done_removals, planned_removals
from tests.pure.decide.make import answer, server, serving
from tests.unit.status.make import record, report, step

SERVERS = [
    server("media", namespace="files", absencePolls=2),
    server("moved", namespace="new"),
    server("udp", namespace="files"),
]
MEMORY = {
    "media": {
        "nfs": RememberedAdapter("nfs", 12049, namespace="files"),
        "smb": RememberedAdapter("smb", 12445, absences=1, namespace="files"),
    },
    "moved": {"nfs": RememberedAdapter("nfs", 12049, namespace="old")},
    "left": {"nfs": RememberedAdapter("nfs", 12049, namespace="files")},
    "udp": {"nfs": RememberedAdapter("nfs", 12049, namespace="files", split=True)},
}
HEARD = {name: answer(serving("nfs", 12049)) for name in ("media", "moved", "udp")}


def decided() -> RunRecord:
    """A run that loses an adapter by absence, one by a move and one with its server."""
    run = record(SERVERS, MEMORY, HEARD)
    return replace(run, decision=replace(run.decision, refusals=()))


def done(*steps: Step) -> RunReport:
    return replace(report(*(replace(this, done=True) for this in steps)), decided=decided())


def test_every_removal_is_told_before_with_its_reason() -> None:
    assert [text for _, text in planned_removals(decided())] == [
        "left/nfs is not configured any more: its Service is removed",
        "media/smb is absent 2/2: its Service is removed",
        "moved/nfs is moved to another namespace or cluster: its Service is replaced",
        "udp/nfs is without a UDP Service of its own now: its UDP Service is removed",
    ]


def test_a_run_that_is_refused_is_about_to_remove_nothing() -> None:
    refused = record(SERVERS, MEMORY, HEARD)

    assert refused.decision.refusals, "a move needs approval"
    assert list(planned_removals(refused)) == []


def test_what_was_done_is_told_and_nothing_else() -> None:
    told = done_removals(
        done(
            step("delete", "media/smb"),
            step("replace", "moved/nfs"),
            step("update", "media/nfs"),
            step("delete", "udp:udp/nfs"),
        )
    )

    assert [text for _, text in told] == [
        "removed media/smb (absent 2/2)",
        "removed moved/nfs (moved to another namespace or cluster)",
        "removed udp/nfs (without a UDP Service of its own now)",
    ]
    assert list(done_removals(replace(report(step("delete", "media/smb")), decided=decided()))) == [], (
        "it failed"
    )
    assert list(done_removals(report(step("delete", "media/smb")))) == [], "the program did not come so far"
