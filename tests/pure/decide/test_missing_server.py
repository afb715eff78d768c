"""A found server that the cluster no longer lists: its adapters are counted as after any answer."""

import pytest

from dittoinfra.decide.brake import refusals
from dittoinfra.decide.explanation import conditions, decision_text
from dittoinfra.decide.server_rules import decide_server
from dittoinfra.decide.stack_rules import decide_stack, servers_to_declare
from dittoinfra.model import Missing
from dittoinfra.settings import StackSettings
from tests.pure.decide.make import answer, declared, remembering, removed, said, server, serving

MISSING = Missing("not listed")


def test_each_adapter_counts_one_absence_and_keeps_its_port() -> None:
    decision = decide_server(server(), remembering(("nfs", 12049), ("smb", 12445, 1)), [MISSING])

    assert declared(decision) == [("nfs", 12049, "absent", 1), ("smb", 12445, "absent", 2)]
    assert said(decision) == [
        "missing: not listed; its adapters count as absent",
        "nfs is missing with its server, absent 1/3: kept",
        "smb is missing with its server, absent 2/3: kept",
    ]
    assert all(note.warning for note in decision.notes)


def test_at_the_limit_they_go_and_the_server_with_the_last_of_them() -> None:
    media, other = server(), server("other")
    memory = {"media": remembering(("nfs", 12049, 2)), "other": remembering(("nfs", 1))}

    decision = decide_stack(
        [media, other], memory, {"media": [MISSING], "other": [answer(serving("nfs", 1))]}
    )

    assert removed(decision.servers["media"]) == [("nfs", "absent")]
    assert servers_to_declare([media, other], decision) == (other,)
    assert "media: missing\n  - nfs absent" in decision_text(decision, [media, other])


def test_the_last_adapter_of_the_stack_does_not_go_unasked() -> None:
    decision = decide_stack([server()], {"media": remembering(("nfs", 1, 2))}, {"media": [MISSING]})

    (pulled,) = refusals(decision, [server()], StackSettings())
    assert "which would leave none" in str(pulled)


def test_pins_hold_no_server_that_is_gone() -> None:
    pinned = server(adapters={"pinned": [{"type": "nfs", "port": 1}]})

    assert declared(decide_server(pinned, remembering(("nfs", 1)), [MISSING])) == [("nfs", 1, "absent", 1)]
    assert declared(decide_server(pinned, {}, [MISSING])) == []


def test_removal_never_keeps_them() -> None:
    decision = decide_server(server(removal="never"), remembering(("nfs", 1, 3)), [MISSING])

    assert declared(decision) == [("nfs", 1, "absent", 3)]


@pytest.mark.parametrize("on_unreachable", ["keep", "fail"])
def test_it_is_no_server_that_does_not_answer(on_unreachable: str) -> None:
    media = server(onUnreachable=on_unreachable)
    decision = decide_stack([media], {"media": remembering(("nfs", 1))}, {"media": [MISSING]})

    assert refusals(decision, [media], StackSettings()) == ()
    reachable, _, ready = conditions(media, decision.servers["media"])
    assert (reachable.status, reachable.reason, reachable.message) == ("False", "Missing", "not listed")
    assert ready.status == "False"
    assert servers_to_declare([media], decision) == (media,)


def test_one_that_comes_back_starts_anew() -> None:
    decision = decide_server(server(), remembering(("nfs", 1, 2)), [answer(serving("nfs", 1))])

    assert declared(decision) == [("nfs", 1, "serving", 0)]
