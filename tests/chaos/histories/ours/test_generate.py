"""A seed always gives the same history, and the default seeds cover every kind of event."""

from collections.abc import Iterator
from itertools import islice

from lab.simulator.versions import TESTED
from tests.chaos.histories.ours.events import (
    Actor,
    Add,
    Approval,
    Approve,
    ChangeFile,
    Configure,
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


def test_the_default_seeds_can_detect_every_mutation() -> None:
    first = {mutation.name: list(islice(mutation.seeds(), 2)) for mutation in MUTATIONS}
    assert {name: seeds for name, seeds in first.items() if seeds[-1] not in DEFAULT_SEEDS} == {}


def _steps() -> Iterator[Step]:
    for seed in DEFAULT_SEEDS:
        yield from history(seed).steps


def _events() -> Iterator[Event]:
    for step in _steps():
        yield from step.events
