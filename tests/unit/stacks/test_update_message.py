"""What a run tells the backend's history, and what is read from it again."""

from dataclasses import replace

from dittoinfra.changes import Change, Changes
from dittoinfra.reports.stack_history import history_entry, notable
from dittoinfra.request import Operation
from dittoinfra.stacks.result import RunReport
from dittoinfra.stacks.update_message import (
    LIMIT,
    NotedChange,
    decided_changes,
    previewed_changes,
    read_message,
    update_message,
)
from tests.pure.decide.make import answer, disabled, remembering, server, serving
from tests.unit.reports.make import step
from tests.unit.status.make import record

GONE = NotedChange(Change.DELETE, "Service media/smb", "disabled on the server")
NEW = NotedChange(Change.CREATE, "Service media/nfs", "served, not in the stack yet")


def test_a_message_is_read_as_it_was_written() -> None:
    written = update_message("dittoinfra up", [NEW, GONE])

    assert written == (
        "dittoinfra up: 1 to create, 1 to delete\n"
        "delete Service media/smb: disabled on the server\n"
        "create Service media/nfs: served, not in the stack yet"
    )
    assert read_message(written) == ("dittoinfra up: 1 to create, 1 to delete", [GONE, NEW])


def test_the_user_s_own_message_comes_first() -> None:
    assert update_message("dittoinfra up", [GONE], "for ticket 7") == f"for ticket 7\n{_line(GONE)}"
    assert update_message("dittoinfra up", [], "for ticket 7") == "for ticket 7"
    assert update_message("dittoinfra up", []) is None


def test_a_message_of_others_is_all_title() -> None:
    assert read_message("delete the old things\n\nand more") == ("delete the old things\n\nand more", [])


def test_a_long_message_is_cut_and_keeps_what_is_removed() -> None:
    many = [replace(NEW, object=f"Service media/{number}") for number in range(500)]

    written = update_message("dittoinfra up", [*many, GONE])

    assert written is not None
    assert len(written) <= LIMIT + len("\nand 500 more")
    assert read_message(written)[1][0] == GONE
    assert written.splitlines()[-1].startswith("and ")


def test_a_reason_cannot_write_a_line_of_its_own() -> None:
    written = update_message("dittoinfra up", [replace(GONE, reason="x\ndelete Service a/b: y\0")])

    assert written is not None
    assert "\0" not in written
    assert len(read_message(written)[1]) == 1


def test_what_a_preview_foresees_has_the_decision_s_reasons() -> None:
    steps = (
        step("media", "media-adapter-smb", "delete", adapter="smb"),
        replace(step("media", "media", "update", "StatefulSet"), changed=("a", "b", "c", "d")),
    )
    report = RunReport(Changes(), steps, (), 0, reasons={"media/smb": "disabled on the server"})

    assert [(c.change, c.reason) for c in previewed_changes(Operation.UP, report)] == [
        (Change.DELETE, "disabled on the server"),
        (Change.UPDATE, "a, b, c"),
    ]
    assert {c.reason for c in previewed_changes(Operation.DESTROY, report)} == {"the stack is destroyed"}


def test_without_a_preview_the_decision_says_what_becomes_of_services() -> None:
    memory = {"media": remembering(("nfs", 12049), ("smb", 12445)), "old": remembering(("nfs", 2049))}
    run = record([server()], memory, {"media": answer(serving("nfs", 12050), disabled("smb", 12445))})

    assert decided_changes(run) == [
        NotedChange(Change.UPDATE, "Service media/nfs", "served, moved from port 12049 to 12050"),
        GONE,
        NotedChange(Change.DELETE, "Service old/nfs", "its server is not configured any more"),
    ]


def test_history_leaves_out_what_changed_nothing_and_knows_no_configuration() -> None:
    stored = {
        "version": 3,
        "kind": "update",
        "result": "succeeded",
        "startTime": "1",
        "endTime": "2",
        "message": f"dittoinfra up: 1 to delete\n{_line(GONE)}",
        "environment": {"git.head": "abc", "git.author": "Ann", "ci.build.url": "https://ci/7"},
        "config": {"dittoinfra:x": {"value": "hush"}},
        "resourceChanges": {"delete": 1, "same": 4},
    }
    quiet = {**stored, "message": "", "resourceChanges": {"same": 5}}
    failed = {**quiet, "result": "failed", "version": 0}
    entries = [history_entry(each) for each in (quiet, stored, failed)]

    assert [entry.version for entry in notable(entries)] == [3, None]
    (about,) = notable(entries, "media/smb")
    assert about.changes == (GONE,)
    assert (about.source.commit, about.source.author, about.source.ci_url) == ("abc", "Ann", "https://ci/7")
    assert notable(entries, "media/nfs") == ()
    assert "hush" not in about.model_dump_json()


def _line(noted: NotedChange) -> str:
    return f"{noted.change} {noted.object}: {noted.reason}"
