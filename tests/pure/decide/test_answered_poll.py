"""An answered poll, row by row: what is created, updated, kept, removed and left alone."""

import pytest

from dittoinfra.decide.server_rules import decide_server
from dittoinfra.model import ReportedAdapter
from tests.pure.decide.make import (
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


def test_an_adapter_that_serves_and_is_new_is_declared() -> None:
    decision = decide_server(server(), {}, [answer(serving("nfs", 12049))])

    assert declared(decision) == [("nfs", 12049, "serving", 0)]
    assert removed(decision) == []
    assert not decision.bootstrap
    assert decision.notes == ()


def test_an_adapter_that_serves_on_a_new_port_is_declared_there_and_the_move_is_told() -> None:
    decision = decide_server(server(), remembering(("nfs", 12049)), [answer(serving("nfs", 2049))])

    assert declared(decision) == [("nfs", 2049, "serving", 0)]
    assert said(decision) == ["nfs moved from port 12049 to 2049"]
    assert not any(note.warning for note in decision.notes)


def test_an_adapter_that_serves_again_starts_its_count_anew() -> None:
    decision = decide_server(server(), remembering(("nfs", 12049, 2)), [answer(serving("nfs", 12049))])

    assert declared(decision) == [("nfs", 12049, "serving", 0)]
    assert decision.notes == ()


def test_an_adapter_whose_port_was_lost_serves_on_without_talk_of_a_move() -> None:
    decision = decide_server(server(), remembering(("nfs", None)), [answer(serving("nfs", 12049))])

    assert declared(decision) == [("nfs", 12049, "serving", 0)]
    assert decision.lost == ()
    assert decision.notes == ()


@pytest.mark.parametrize("running", [False, True])
def test_a_disabled_adapter_is_removed_now(running: bool) -> None:
    reported = ReportedAdapter("nfs", 12049, enabled=False, running=running)

    decision = decide_server(server(), remembering(("nfs", 12049)), [answer(reported)])

    assert declared(decision) == []
    assert removed(decision) == [("nfs", "disabled")]
    assert said(decision) == ["nfs is disabled: its Service is removed"]


@pytest.mark.parametrize(
    ("reported", "how"),
    [((), "is missing from the answer"), ((stopped("nfs", 999),), "is not running")],
    ids=["missing", "not running"],
)
@pytest.mark.parametrize(("before", "after"), [(0, 1), (1, 2)])
def test_an_absent_adapter_is_kept_with_its_port_and_counted(
    reported: tuple[ReportedAdapter, ...], how: str, before: int, after: int
) -> None:
    media = server(notRunning="remove")

    decision = decide_server(media, remembering(("nfs", 12049, before)), [answer(*reported)])

    assert declared(decision) == [("nfs", 12049, "absent", after)]
    assert removed(decision) == []
    assert said(decision) == [f"nfs {how}, absent {after}/3: kept"]
    assert all(note.warning for note in decision.notes)


@pytest.mark.parametrize("reported", [(), (stopped("nfs", 12049),)], ids=["missing", "not running"])
def test_an_adapter_absent_often_enough_is_removed(reported: tuple[ReportedAdapter, ...]) -> None:
    media = server(notRunning="remove")

    decision = decide_server(media, remembering(("nfs", 12049, 2)), [answer(*reported)])

    assert declared(decision) == []
    assert removed(decision) == [("nfs", "absent")]
    assert said(decision) == ["nfs is absent 3/3: its Service is removed"]
    assert all(note.warning for note in decision.notes)


@pytest.mark.parametrize("counted", [0, 2])
def test_an_adapter_that_is_enabled_but_not_running_is_kept_as_it_is(counted: int) -> None:
    media = server(absencePolls=1)

    decision = decide_server(media, remembering(("nfs", 12049, counted)), [answer(stopped("nfs", 999))] * 5)

    assert declared(decision) == [("nfs", 12049, "not running", counted)]
    assert removed(decision) == []
    assert said(decision) == [
        "nfs is enabled but not running: kept on port 12049; start or disable it on the server"
    ]
    assert all(note.warning for note in decision.notes)


def test_absence_polls_of_one_removes_at_once() -> None:
    decision = decide_server(server(absencePolls=1), remembering(("nfs", 12049)), [answer()])

    assert removed(decision) == [("nfs", "absent")]


def test_a_lowered_limit_removes_at_the_next_absence_and_never_says_more_than_all() -> None:
    decision = decide_server(server(absencePolls=2), remembering(("nfs", 12049, 7)), [answer()])

    assert removed(decision) == [("nfs", "absent")]
    assert said(decision) == ["nfs is absent 2/2: its Service is removed"]


@pytest.mark.parametrize(
    ("reported", "told"),
    [
        ((), []),
        ((disabled("nfs", 12049),), []),
        (
            (stopped("nfs", 12049),),
            ["nfs is enabled but not running: nothing is declared for it yet"],
        ),
    ],
    ids=["missing", "disabled", "not running"],
)
def test_an_adapter_that_never_served_gets_nothing(
    reported: tuple[ReportedAdapter, ...], told: list[str]
) -> None:
    decision = decide_server(server(), {}, [answer(*reported)])

    assert declared(decision) == []
    assert removed(decision) == []
    assert decision.lost == ()
    assert not decision.bootstrap, "an empty answer is an answer, not a server that was not asked yet"
    assert said(decision) == told


def test_every_adapter_is_decided_on_its_own_and_ordered_by_type() -> None:
    memory = remembering(("smb", 12445), ("nfs", 12049, 1), ("ftp", 21))

    decision = decide_server(server(), memory, [answer(serving("webdav", 80), disabled("smb", 12445))])

    assert declared(decision) == [
        ("ftp", 21, "absent", 1),
        ("nfs", 12049, "absent", 2),
        ("webdav", 80, "serving", 0),
    ]
    assert removed(decision) == [("smb", "disabled")]


def test_the_order_of_an_answer_means_nothing() -> None:
    adapters = (serving("nfs", 12049), serving("smb", 12445), stopped("ftp", 21))
    memory = remembering(("ftp", 21))

    one, other = (decide_server(server(), memory, [answer(*order)]) for order in (adapters, adapters[::-1]))

    assert declared(one) == declared(other)
    assert one.notes == other.notes
