"""Answers that tell a stack nothing new."""

from hypothesis import given
from hypothesis import strategies as st

from dittoinfra.decide.server_rules import decide_server, unchanged_answers
from dittoinfra.model import ServerMemory
from tests.pure.decide.make import UNREACHABLE, answer, declared, remembering, removed, server, serving
from tests.pure.naming.strategies import unhurried

TYPES = ("nfs", "s3", "smb", "webdav")
PORTS = st.integers(1, 65535)


@st.composite
def memories(draw: st.DrawFn, highest: int) -> ServerMemory:
    types = draw(st.lists(st.sampled_from(TYPES), unique=True))
    return remembering(*((t, draw(PORTS), draw(st.integers(0, highest))) for t in types))


@unhurried
@given(memories(highest=2))
def test_what_is_remembered_is_declared_again(memory: ServerMemory) -> None:
    media = server(absencePolls=3)

    decision = decide_server(media, memory, unchanged_answers(media, memory, UNREACHABLE))

    assert {a.type: (a.port, a.absences) for a in decision.adapters} == {
        a.type: (a.port, a.absences) for a in memory.values()
    }
    assert not decision.removals


@unhurried
@given(memories(highest=3))
def test_a_count_that_has_reached_its_end_stays_where_nothing_is_removed(memory: ServerMemory) -> None:
    media = server(absencePolls=3, removal="never")

    decision = decide_server(media, memory, unchanged_answers(media, memory, UNREACHABLE))

    assert {a.type: a.absences for a in decision.adapters} == {a.type: a.absences for a in memory.values()}


def test_a_limit_below_the_count_removes_nothing() -> None:
    media, memory = server(absencePolls=2), remembering(("nfs", 12049, 5))

    decision = decide_server(media, memory, unchanged_answers(media, memory, UNREACHABLE))

    assert declared(decision) == [("nfs", 12049, "absent", 1)]
    assert removed(decision) == []


def test_nothing_remembered_is_answered_with_nothing() -> None:
    assert unchanged_answers(server(), {}, UNREACHABLE) == (answer(),)


def test_a_lost_port_is_the_one_that_the_server_names() -> None:
    media, memory = server(), remembering(("nfs", None))

    assert unchanged_answers(media, memory, answer(serving("nfs", 2049))) == (answer(serving("nfs", 2049)),)
    assert decide_server(media, memory, unchanged_answers(media, memory, UNREACHABLE)).lost == ("nfs",)
