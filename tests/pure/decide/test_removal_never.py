"""`removal: never`: whatever was declared once stays declared."""

from dittoinfra.decide.server_rules import decide_server, wants_another_poll
from tests.pure.decide.make import (
    UNREACHABLE,
    answer,
    declared,
    disabled,
    remembering,
    removed,
    said,
    server,
    serving,
)

NEVER = server(removal="never")


def test_a_disabled_adapter_is_kept_and_says_so() -> None:
    decision = decide_server(NEVER, remembering(("nfs", 12049)), [answer(disabled("nfs", 12049))])

    assert declared(decision) == [("nfs", 12049, "disabled", 0)]
    assert removed(decision) == []
    assert said(decision) == ["nfs is disabled: kept, because removal is never"]


def test_an_adapter_absent_for_ever_is_kept_and_its_count_stops_at_the_limit() -> None:
    decision = decide_server(NEVER, remembering(("nfs", 12049, 3)), [answer()])

    assert declared(decision) == [("nfs", 12049, "absent", 3)]
    assert said(decision) == ["nfs is missing from the answer, absent 3/3: kept, because removal is never"]
    assert not wants_another_poll(NEVER, decision), "there is nothing left to find out"


def test_a_disabled_adapter_that_is_asked_about_again_changes_nothing_more() -> None:
    off = answer(disabled("nfs", 12049))

    once = decide_server(NEVER, remembering(("nfs", 12049)), [off])
    twice = decide_server(NEVER, remembering(("nfs", 12049)), [off, off])

    assert declared(once) == declared(twice)


def test_a_disabled_adapter_is_not_absent() -> None:
    off = answer(disabled("nfs", 12049))

    decision = decide_server(NEVER, remembering(("nfs", 12049, 2)), [off, UNREACHABLE])

    assert declared(decision) == [("nfs", 12049, "kept", 0)], "switching it off ends the count"


def test_a_disabled_adapter_that_goes_missing_is_counted_from_the_start() -> None:
    off = answer(disabled("nfs", 12049))

    decision = decide_server(NEVER, remembering(("nfs", 12049, 2)), [off, answer()])

    assert declared(decision) == [("nfs", 12049, "absent", 1)]


def test_an_adapter_switched_on_again_serves() -> None:
    memory = remembering(("nfs", 12049, 1))

    decision = decide_server(NEVER, memory, [answer(serving("nfs", 12049))])

    assert declared(decision) == [("nfs", 12049, "serving", 0)]
