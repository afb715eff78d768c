"""A seed always gives the same history, and the default seeds cover every kind of event."""

from collections.abc import Iterator, Sequence
from itertools import islice

from lab.simulator.versions import TESTED
from tests.chaos.histories.events import Approval, Configure, Delete, Serve
from tests.chaos.histories.ours.events import (
    Actor,
    Add,
    Approve,
    ChangeFile,
    EditService,
    Event,
    FileState,
    ServiceEdit,
    Step,
    Trouble,
)
from tests.chaos.histories.ours.generate import SETTINGS, history
from tests.chaos.histories.ours.mutations import MUTATIONS

DEFAULT_SEEDS = range(1, 301)


def test_a_seed_always_gives_the_same_history() -> None:
    assert history(1234) == history(1234)
    assert history(1234) != history(1235)


def test_the_default_seeds_cover_every_kind_of_event() -> None:
    steps, events = list(_steps()), list(_events())

    assert {version for seed in DEFAULT_SEEDS for version in history(seed).versions.values()} == set(TESTED)
    assert {step.actor for step in steps} == set(Actor)
    assert {what for step in steps for what in step.trouble.values()} == set(Trouble)
    assert {type(event) for event in events} == set(Event.__args__)
    assert {event.edit for event in events if isinstance(event, EditService)} == set(ServiceEdit)
    assert {event.file for event in events if isinstance(event, ChangeFile)} == set(FileState)
    assert {event.what for event in events if isinstance(event, Approve)} == set(Approval)
    assert {(e.key, e.value) for e in events if isinstance(e, Configure)} == {
        (k, v) for k, vs in SETTINGS for v in vs
    }
    assert {event.namespace for event in events if isinstance(event, Add)} == {0, 1, None}
    assert any(step.failing for step in steps)
    assert any(step.refresh for step in steps)
    assert any(step.meanwhile and step.meanwhile.run and step.meanwhile.events for step in steps)
    assert {step.meanwhile.run for step in steps if step.meanwhile} == {None, Actor.PLAIN, Actor.WATCH}
    waiting = [step.waiting for step in steps if step.waiting and step.actor in (Actor.CI, Actor.PERSON)]
    assert {meanwhile.run for meanwhile in waiting} == {None, Actor.PLAIN, Actor.WATCH}
    assert {step.counts for step in steps if step.actor is Actor.WATCH} == {True, False}


def test_the_default_seeds_apply_plans_at_once_and_after_other_steps() -> None:
    waited = [_between_save_and_apply(history(seed).steps) for seed in DEFAULT_SEEDS]
    between = [steps for steps in waited if steps is not None]

    assert {len(steps) for steps in between} == {0, 1, 2}
    assert sum(map(bool, between)) > len(between) / 3
    assert {step.actor for steps in between for step in steps} >= {Actor.WATCH, Actor.CI, Actor.PERSON}
    assert any(step.refresh for steps in between for step in steps)
    assert {Serve, Delete, Configure} <= {type(e) for steps in between for step in steps for e in step.events}


def test_the_default_seeds_can_detect_every_mutation() -> None:
    first = {mutation.name: list(islice(mutation.seeds(), 2)) for mutation in MUTATIONS}
    assert {name: seeds for name, seeds in first.items() if seeds[-1] not in DEFAULT_SEEDS} == {}


def _between_save_and_apply(steps: Sequence[Step]) -> Sequence[Step] | None:
    """The steps while the first saved plan waits; None where no plan is saved."""
    actors = [step.actor for step in steps]
    if Actor.SAVE not in actors:
        return None
    return steps[actors.index(Actor.SAVE) + 1 : actors.index(Actor.APPLY)]


def _steps() -> Iterator[Step]:
    for seed in DEFAULT_SEEDS:
        yield from history(seed).steps


def _events() -> Iterator[Event]:
    for step in _steps():
        yield from step.events
