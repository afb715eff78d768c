"""Several polls in one run: each builds on the one before, and only the difference to memory is a removal."""

import pytest

from dittoinfra.decide.server_rules import decide_server, wants_another_poll
from dittoinfra.model import Outcome
from tests.pure.decide.make import (
    NONSENSE,
    UNANSWERED,
    UNREACHABLE,
    answer,
    declared,
    disabled,
    remembering,
    removed,
    said,
    server,
    serving,
    stopped,
)

NFS = serving("nfs", 12049)
MEMORY = remembering(("nfs", 12049), ("smb", 12445))


def test_an_adapter_that_is_back_at_the_second_poll_is_served() -> None:
    decision = decide_server(server(), MEMORY, [answer(NFS), answer(NFS, serving("smb", 12445))])

    assert declared(decision) == [("nfs", 12049, "serving", 0), ("smb", 12445, "serving", 0)]
    assert removed(decision) == []


def test_an_adapter_absent_in_three_polls_of_one_run_is_removed() -> None:
    decision = decide_server(server(), MEMORY, [answer(NFS)] * 3)

    assert declared(decision) == [("nfs", 12049, "serving", 0)]
    assert removed(decision) == [("smb", "absent")]


@pytest.mark.parametrize(
    ("polls", "told"),
    [
        (
            [answer(NFS), UNREACHABLE, UNREACHABLE, answer(NFS)],
            ["smb is missing from the answer, absent 2/3: kept"],
        ),
        (
            [answer(NFS), answer(NFS, stopped("smb", 12445))],
            ["smb is enabled but not running: kept on port 12445; start or disable it on the server"],
        ),
        ([answer(NFS)] * 3, ["smb is absent 3/3: its Service is removed"]),
        ([answer(NFS), answer(NFS, serving("smb", 12445))], []),
    ],
    ids=["counted", "not running at last", "removed", "back again"],
)
def test_people_read_how_the_run_ends_and_not_how_it_got_there(polls: list[Outcome], told: list[str]) -> None:
    assert said(decide_server(server(), MEMORY, polls)) == told


@pytest.mark.parametrize("outcome", UNANSWERED, ids=lambda outcome: type(outcome).__name__)
def test_an_unanswered_poll_in_between_leaves_the_count_alone(outcome: Outcome) -> None:
    between = decide_server(server(), MEMORY, [answer(NFS), outcome])
    after = decide_server(server(), MEMORY, [answer(NFS), outcome, answer(NFS)])

    assert declared(between) == [("nfs", 12049, "kept", 0), ("smb", 12445, "kept", 1)]
    assert declared(after) == [("nfs", 12049, "serving", 0), ("smb", 12445, "absent", 2)]


def test_an_adapter_disabled_at_first_and_back_at_the_second_poll_is_no_removal() -> None:
    decision = decide_server(
        server(), MEMORY, [answer(NFS, disabled("smb", 12445)), answer(NFS, serving("smb", 12445))]
    )

    assert declared(decision) == [("nfs", 12049, "serving", 0), ("smb", 12445, "serving", 0)]
    assert removed(decision) == []
    assert said(decision) == []


def test_an_adapter_that_one_poll_removes_and_the_next_lists_as_enabled_is_kept() -> None:
    later = answer(NFS, stopped("smb", 12445))
    disabled_first = decide_server(server(), MEMORY, [answer(NFS, disabled("smb", 12445)), later])
    nearly_gone = remembering(("nfs", 12049), ("smb", 12445, 2))
    missing_first = decide_server(server(), nearly_gone, [answer(NFS), later])

    assert declared(disabled_first) == [("nfs", 12049, "serving", 0), ("smb", 12445, "not running", 0)]
    assert declared(missing_first) == [("nfs", 12049, "serving", 0), ("smb", 12445, "not running", 2)]
    assert removed(disabled_first) == removed(missing_first) == []


@pytest.mark.parametrize("second", [answer(NFS), NONSENSE], ids=["missing", "nonsense"])
def test_an_adapter_disabled_at_first_and_not_back_stays_removed(second: Outcome) -> None:
    decision = decide_server(server(), MEMORY, [answer(NFS, disabled("smb", 12445)), second])

    assert [adapter[0] for adapter in declared(decision)] == ["nfs"]
    assert removed(decision) == [("smb", "disabled")]


def test_an_adapter_that_came_and_went_within_the_run_was_never_there() -> None:
    decision = decide_server(server(), {}, [answer(NFS), answer(disabled("nfs", 12049))])

    assert declared(decision) == []
    assert removed(decision) == []
    assert said(decision) == []


def test_an_adapter_that_is_new_and_missing_at_the_second_poll_is_counted() -> None:
    decision = decide_server(server(), remembering(("smb", 12445)), [answer(NFS), answer()])

    assert said(decision) == [
        "nfs is missing from the answer, absent 1/3: kept",
        "smb is missing from the answer, absent 2/3: kept",
    ]


def test_an_answer_after_silence_ends_the_bootstrap() -> None:
    decision = decide_server(server(), {}, [UNREACHABLE, answer(NFS)])

    assert not decision.bootstrap
    assert said(decision) == []


def test_silence_after_silence_is_bootstrap_still() -> None:
    assert decide_server(server(), {}, [UNREACHABLE, NONSENSE]).bootstrap is True


def test_silence_after_an_answer_is_no_bootstrap() -> None:
    decision = decide_server(server(), {}, [answer(), UNREACHABLE])

    assert not decision.bootstrap
    assert decision.outcome == UNREACHABLE


@pytest.mark.parametrize(
    ("second", "lost"),
    [
        (UNREACHABLE, ("nfs",)),
        (answer(), ("nfs",)),
        (answer(NFS), ()),
        (answer(disabled("nfs", 12049)), ()),
    ],
    ids=["unreachable", "missing", "serving", "disabled"],
)
def test_a_lost_port_is_found_again_by_a_later_poll_or_stays_lost(
    second: Outcome, lost: tuple[str, ...]
) -> None:
    decision = decide_server(server(), remembering(("nfs", None)), [UNREACHABLE, second])

    assert decision.lost == lost


@pytest.mark.parametrize(
    ("polls", "absence_polls", "wanted"),
    [
        ([answer(NFS)], 3, True),
        ([answer(NFS)] * 2, 3, True),
        ([answer(NFS)] * 3, 3, False),
        ([answer(NFS)], 1, False),
        ([answer(NFS, serving("smb", 12445))], 3, False),
        ([answer(NFS, disabled("smb", 12445))], 3, False),
        ([UNREACHABLE], 3, False),
    ],
    ids=["absent 1/3", "absent 2/3", "removed", "removed at once", "all serve", "disabled", "unreachable"],
)
def test_another_poll_is_wanted_only_while_an_absence_is_being_counted(
    polls: list[Outcome], absence_polls: int, wanted: bool
) -> None:
    settings = server(absencePolls=absence_polls)

    decision = decide_server(settings, MEMORY, polls)

    assert wants_another_poll(settings, decision) is wanted
