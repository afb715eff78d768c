"""What is a reason for a run, and what is none."""

import pytest

from dittoinfra.decide import decide_server
from dittoinfra.model import Outcome, ServerMemory
from dittoinfra.settings import ServerSettings
from dittoinfra.watch.decide import Change, changes, held_after
from tests.decide.make import (
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


def seen(of: ServerSettings, held: ServerMemory, outcome: Outcome) -> list[tuple[str, bool]]:
    found = changes(of, held, decide_server(of, held, [outcome]))
    return [(change.text, change.goes_on) for change in found]


@pytest.mark.parametrize(
    ("settings", "held", "outcome", "expected"),
    [
        ({}, HELD, answer(NFS), []),
        ({}, HELD, answer(NFS, disabled("smb", 12445)), []),
        ({}, HELD, answer(NFS, stopped("smb", 12445)), []),
        ({}, remembering(), answer(), []),
        ({}, remembering(), answer(NFS), [("media/nfs is new on port 12049", False)]),
        ({}, HELD, answer(serving("nfs", 2049)), [("media/nfs moved from port 12049 to 2049", False)]),
        ({}, HELD, answer(disabled("nfs", 12049)), [("media/nfs is disabled", False)]),
        (NEVER, HELD, answer(disabled("nfs", 12049)), []),
        ({}, HELD, answer(), [("media/nfs is absent 1/3", False)]),
        ({}, HELD, answer(stopped("nfs", 2049)), [("media/nfs is absent 1/3", False)]),
        ({}, remembering(("nfs", 12049, 1)), answer(), [("media/nfs is absent 2/3", True)]),
        ({}, remembering(("nfs", 12049, 2)), answer(), [("media/nfs is absent 3/3", True)]),
        ({"absencePolls": 1}, HELD, answer(), [("media/nfs is absent 1/1", False)]),
        ({}, remembering(("nfs", 12049, 2)), answer(NFS), [("media/nfs is back", False)]),
        (
            {},
            remembering(("nfs", 12049, 1)),
            answer(disabled("nfs", 12049)),
            [("media/nfs is disabled", False)],
        ),
        (NEVER, remembering(("nfs", 12049, 2)), answer(), [("media/nfs is absent 3/3", True)]),
        (NEVER, remembering(("nfs", 12049, 3)), answer(), []),
        ({"adapters": {"pinned": [{"type": "nfs", "port": 12049}]}}, HELD, answer(), []),
        ({}, remembering(("nfs", None)), answer(), []),
        ({}, remembering(("nfs", None)), answer(NFS), [("media/nfs moved from port None to 12049", False)]),
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
    settings: dict[str, object], held: ServerMemory, outcome: Outcome, expected: list[tuple[str, bool]]
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
            held, runs = held_after(media, held, [missing]), runs + 1

    assert (runs, set(held)) == (polls, {"smb"})


def test_what_a_run_leaves_is_no_reason_for_another() -> None:
    held = remembering(("nfs", 12049), ("smb", 12445, 1))
    heard = answer(serving("nfs", 2049), serving("smb", 12445), serving("ftp", 21))

    after = held_after(server(), held, [heard])

    assert after == remembering(("ftp", 21), ("nfs", 2049), ("smb", 12445))
    assert seen(server(), after, heard) == []


def test_a_change_is_a_surprise_unless_told_otherwise() -> None:
    assert not Change("media/nfs is new on port 12049").goes_on
