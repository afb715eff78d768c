"""What is a reason for a run, and what is none."""

import pytest

from dittoinfra.decide.server_rules import decide_server
from dittoinfra.model import Outcome, ServerMemory
from dittoinfra.settings import ServerSettings
from dittoinfra.watch.adapter_changes import ChangeKind, changes, memory_after
from tests.pure.decide.make import (
    UNANSWERED,
    answer,
    disabled,
    remembering,
    server,
    serving,
    stopped,
)

NFS = serving("nfs", 12049)
HELD = remembering(("nfs", 12049))
NEVER = {"removal": "never"}


def seen(of: ServerSettings, held: ServerMemory, outcome: Outcome) -> list[tuple[str, str]]:
    found = changes(of, held, decide_server(of, held, [outcome]))
    return [(change.text, str(change.kind)) for change in found]


@pytest.mark.parametrize(
    ("settings", "held", "outcome", "expected"),
    [
        ({}, HELD, answer(NFS), []),
        ({}, HELD, answer(NFS, disabled("smb", 12445)), []),
        ({}, HELD, answer(NFS, stopped("smb", 12445)), []),
        ({}, remembering(), answer(), []),
        ({}, remembering(), answer(NFS), [("media/nfs is new on port 12049", "served")]),
        ({}, HELD, answer(serving("nfs", 2049)), [("media/nfs moved from port 12049 to 2049", "served")]),
        ({}, HELD, answer(disabled("nfs", 12049)), [("media/nfs is disabled", "disabled")]),
        (NEVER, HELD, answer(disabled("nfs", 12049)), []),
        ({}, HELD, answer(), [("media/nfs is absent 1/3", "absent")]),
        ({}, HELD, answer(stopped("nfs", 2049)), []),
        ({}, remembering(("nfs", 12049, 1)), answer(), [("media/nfs is absent 2/3", "still absent")]),
        ({}, remembering(("nfs", 12049, 2)), answer(), [("media/nfs is absent 3/3", "still absent")]),
        ({"absencePolls": 1}, HELD, answer(), [("media/nfs is absent 1/1", "absent")]),
        ({}, remembering(("nfs", 12049, 2)), answer(NFS), [("media/nfs is back", "served")]),
        (
            {},
            remembering(("nfs", 12049, 1)),
            answer(disabled("nfs", 12049)),
            [("media/nfs is disabled", "disabled")],
        ),
        (NEVER, remembering(("nfs", 12049, 2)), answer(), [("media/nfs is absent 3/3", "still absent")]),
        (NEVER, remembering(("nfs", 12049, 3)), answer(), []),
        ({"adapters": {"pinned": [{"type": "nfs", "port": 12049}]}}, HELD, answer(), []),
        ({}, remembering(("nfs", None)), answer(), []),
        (
            {},
            remembering(("nfs", None)),
            answer(NFS),
            [("media/nfs moved from port None to 12049", "served")],
        ),
    ],
    ids=[
        "the same",
        "another one is disabled",
        "another one does not run yet",
        "none and none",
        "new",
        "moved",
        "disabled",
        "disabled, removal never",
        "missing",
        "not running",
        "missing again",
        "missing a third time",
        "missing, one poll is enough",
        "back",
        "disabled while counted",
        "missing a third time, removal never",
        "missing for good, removal never",
        "pinned",
        "a lost port",
        "a lost port found",
    ],
)
def test_exactly_what_a_run_would_declare_differently_is_a_reason_for_one(
    settings: dict[str, object], held: ServerMemory, outcome: Outcome, expected: list[tuple[str, str]]
) -> None:
    assert seen(server("media", **settings), held, outcome) == expected


@pytest.mark.parametrize("outcome", UNANSWERED, ids=lambda outcome: type(outcome).__name__)
@pytest.mark.parametrize("held", [{}, HELD, remembering(("nfs", 12049, 2))], ids=["new", "held", "counting"])
def test_silence_is_no_reason(held: ServerMemory, outcome: Outcome) -> None:
    assert seen(server(), held, outcome) == []


def test_every_adapter_is_told_in_order() -> None:
    held = remembering(("nfs", 12049), ("smb", 12445))

    assert [text for text, _ in seen(server(), held, answer(serving("smb", 445), serving("ftp", 21)))] == [
        "media/ftp is new on port 21",
        "media/nfs is absent 1/3",
        "media/smb moved from port 12445 to 445",
    ]


@pytest.mark.parametrize("polls", [3, 5])
def test_an_absence_asks_for_runs_until_it_is_over_and_for_none_afterwards(polls: int) -> None:
    media, held, runs = server(absencePolls=polls), remembering(("nfs", 12049), ("smb", 12445)), 0
    missing = answer(serving("smb", 12445))

    for _ in range(10):
        if changes(media, held, decide_server(media, held, [missing])):
            held, runs = memory_after(media, held, [missing]), runs + 1

    assert (runs, set(held)) == (polls, {"smb"})


def test_what_a_run_leaves_is_no_reason_for_another() -> None:
    held = remembering(("nfs", 12049), ("smb", 12445, 1))
    heard = answer(serving("nfs", 2049), serving("smb", 12445), serving("ftp", 21))

    after = memory_after(server(), held, [heard])

    ports = {adapter.type: (adapter.port, adapter.absences, adapter.namespace) for adapter in after.values()}
    assert ports == {"ftp": (21, 0, "default"), "nfs": (2049, 0, "default"), "smb": (12445, 0, "default")}
    assert seen(server(), after, heard) == []


@pytest.mark.parametrize("kind", ChangeKind)
def test_only_absences_are_counted(kind: ChangeKind) -> None:
    assert kind.counts == ("absent" in kind)
