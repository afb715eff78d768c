"""One number is one history whenever it is drawn, and all of them together are everything that can happen."""

from collections.abc import Iterator

from tests.chaos.histories.dice import CROWD, SETTINGS, history
from tests.chaos.histories.events import Approval, Configure, Event, Hand, Step, Touch, Trouble
from tests.chaos.histories.story import story

DAILY = range(1, 301)


def test_a_number_is_always_the_same_history() -> None:
    assert history(1234) == history(1234)
    assert history(1234) != history(1235)


def test_every_history_is_long_enough() -> None:
    assert min(len(history(seed).steps) for seed in DAILY) >= 8


def test_the_histories_of_every_day_have_everything_in_them() -> None:
    steps, events = list(_steps()), list(_events())

    assert {what for step in steps for what in step.trouble.values()} == set(Trouble)
    assert {event.hand for event in events if isinstance(event, Touch)} == set(Hand)
    configured = {(event.key, event.value) for event in events if isinstance(event, Configure)}
    assert configured == {(key, value) for key, values in SETTINGS for value in values}
    assert {type(event) for event in events} == set(Event.__args__)
    assert {step.approval for step in steps} == {None, *Approval}
    assert {operation for step in steps for operation, _ in step.failing} == {"create", "update", "delete"}
    assert any(step.preview and step.refresh and step.trouble for step in steps)
    assert any(step == Step() for step in steps), "a run with nothing new"
    assert any(history(seed).types == CROWD for seed in DAILY)


def test_a_broken_history_says_how_to_live_it_again() -> None:
    told = story(1234, ["media/nfs serves on port 12049", "nothing new"], 8)

    assert told.splitlines() == [
        "history 1234, broken in step 2 of 8:",
        "  1. media/nfs serves on port 12049",
        "  2. nothing new",
        "to live it again: DITTOINFRA_STACK_SEED=1234 DITTOINFRA_STACK_HISTORIES=1 "
        ".venv/bin/pytest -n 0 tests/chaos/histories",
    ]


def _steps() -> Iterator[Step]:
    for seed in DAILY:
        yield from history(seed).steps


def _events() -> Iterator[Event]:
    for step in _steps():
        yield from step.events
