"""One number is one life whenever it is drawn, and those of every day have everything in them."""

from collections.abc import Iterator
from itertools import islice

from lab.simulator.versions import TESTED
from tests.chaos.histories.ours.dice import EDITS, history
from tests.chaos.histories.ours.events import (
    Actor,
    Add,
    Approval,
    Approve,
    Edit,
    Event,
    File,
    Hand,
    Lose,
    Move,
    Touch,
    Trouble,
)
from tests.chaos.histories.ours.mutations import MUTATIONS

DAILY = range(1, 301)


def test_a_number_is_always_the_same_life() -> None:
    assert history(1234) == history(1234)
    assert history(1234) != history(1235)


def test_the_lives_of_every_day_have_everything_in_them() -> None:
    moves, events = list(_moves()), list(_events())

    assert {version for seed in DAILY for version in history(seed).versions.values()} == set(TESTED)
    assert {move.actor for move in moves} == set(Actor)
    assert {what for move in moves for what in move.trouble.values()} == set(Trouble)
    assert {type(event) for event in events} == set(Event.__args__)
    assert {event.hand for event in events if isinstance(event, Touch)} == set(Hand)
    assert {event.file for event in events if isinstance(event, Lose)} == set(File)
    assert {event.what for event in events if isinstance(event, Approve)} == set(Approval)
    assert {(e.key, e.value) for e in events if isinstance(e, Edit)} == {
        (k, v) for k, vs in EDITS for v in vs
    }
    assert {event.namespace for event in events if isinstance(event, Add)} == {0, 1, None}
    assert any(move.failing for move in moves)
    assert any(move.refresh for move in moves)
    assert any(move.meanwhile and move.meanwhile.run and move.meanwhile.events for move in moves)


def test_lives_of_every_day_can_notice_every_mutation() -> None:
    first = {mutation.name: list(islice(mutation.seeds(), 2)) for mutation in MUTATIONS}
    assert {name: seeds for name, seeds in first.items() if seeds[-1] not in DAILY} == {}


def _moves() -> Iterator[Move]:
    for seed in DAILY:
        yield from history(seed).moves


def _events() -> Iterator[Event]:
    for move in _moves():
        yield from move.events
