"""A seed always gives the same history, and the default seeds cover every kind of event."""

from collections.abc import Iterator

from lab.simulator.versions import TESTED
from tests import ROOT
from tests.chaos.histories.events import (
    SERVERS,
    Approval,
    Configure,
    EditService,
    Event,
    ServiceEdit,
    Step,
    Trouble,
)
from tests.chaos.histories.failure_message import OWN_SIDE_HISTORIES, failure_message
from tests.chaos.histories.generate import MANY_TYPES, SETTINGS, history

DEFAULT_SEEDS = range(1, 301)


def test_a_seed_always_gives_the_same_history() -> None:
    assert history(1234) == history(1234)
    assert history(1234) != history(1235)


def test_every_history_is_long_enough() -> None:
    assert min(len(history(seed).steps) for seed in DEFAULT_SEEDS) >= 8


def test_the_default_seeds_cover_every_kind_of_event() -> None:
    steps, events = list(_steps()), list(_events())

    assert {version for seed in DEFAULT_SEEDS for version in history(seed).versions.values()} == set(TESTED)
    assert {what for step in steps for what in step.trouble.values()} == set(Trouble)
    assert {event.edit for event in events if isinstance(event, EditService)} == set(ServiceEdit)
    configured = {(event.key, event.value) for event in events if isinstance(event, Configure)}
    assert configured == {(key, value) for key, values in SETTINGS for value in values}
    assert {type(event) for event in events} == set(Event.__args__)
    assert {step.approval for step in steps} == {None, *Approval}
    assert {operation for step in steps for operation, _ in step.failing} == {"create", "update", "delete"}
    assert any(step.preview and step.refresh and step.trouble for step in steps)
    assert any(step == Step() for step in steps), "a run with nothing new"
    assert any(history(seed).types == MANY_TYPES for seed in DEFAULT_SEEDS)


def test_a_failed_history_says_how_to_repeat_it() -> None:
    versions = dict(zip(SERVERS, TESTED, strict=True))
    test = ROOT / "tests/chaos/histories/ours/test_ours.py"
    told = failure_message(
        test, OWN_SIDE_HISTORIES, 1234, ["media/nfs serves on port 12049", "nothing new"], 8, versions
    )

    assert told.splitlines() == [
        "history 1234, broken in step 2 of 8; media runs DittoFS 0.29.0, backup runs DittoFS 0.31.1:",
        "  1. media/nfs serves on port 12049",
        "  2. nothing new",
        "to repeat it: DITTOINFRA_STACK_SEED=1234 DITTOINFRA_STACK_HISTORIES=1 "
        ".venv/bin/pytest -n 0 tests/chaos/histories/ours/test_ours.py",
    ]


def _steps() -> Iterator[Step]:
    for seed in DEFAULT_SEEDS:
        yield from history(seed).steps


def _events() -> Iterator[Event]:
    for step in _steps():
        yield from step.events
