"""Generates a history from a seed: a few adapters that change a little from poll to poll."""

from collections.abc import Sequence
from random import Random
from typing import TypeVar

from dittoinfra.model import Answered, Outcome, ReportedAdapter
from tests.pure.decide.histories.absence_count import Reported
from tests.pure.decide.histories.history import (
    ABSENCE_POLLS,
    DEPLOYS,
    EXPOSURES,
    NOT_RUNNING,
    PINS,
    PORTS,
    REMOVALS,
    TYPES,
    History,
    Rules,
    Run,
)
from tests.pure.decide.make import UNANSWERED

_STATES = (*[Reported.SERVING] * 3, Reported.STOPPED, Reported.DISABLED, Reported.MISSING, Reported.MISSING)
# Types of one name are drawn now and then, and most servers pin nothing: else hardly an answer is believed.
_TYPES = (*TYPES, *["ftp", "nfs", "object-gateway", "smb"] * 4)
_PINS = (*PINS, *[PINS[0]] * 4)
_RUNS = (1, 2, 3, 4)
_POLLS = (1, 1, 1, 1, 2, 3)
_CHANGES = (0, 0, 1, 2)

Thing = TypeVar("Thing")


def history(seed: str) -> History:
    """The history of a seed."""
    rng = Random(seed)
    world: dict[str, ReportedAdapter] = {}
    rules = _rules(rng)
    runs = []
    for _ in range(_one(rng, _RUNS)):
        if rng.random() < 0.2:
            rules = _rules(rng)
        polls = [_poll(rng, world) for _ in range(_one(rng, _POLLS))]
        lost = _one(rng, _TYPES) if rng.random() < 0.05 else None
        runs.append(Run(rules, polls, lost))
    return History(_one(rng, range(len(EXPOSURES))), _one(rng, range(len(DEPLOYS))), runs)


def _one(rng: Random, things: Sequence[Thing]) -> Thing:
    # A good deal faster than Random.choice, which cares for more than fair enough.
    return things[int(rng.random() * len(things))]


def _rules(rng: Random) -> Rules:
    return Rules(_one(rng, ABSENCE_POLLS), _one(rng, REMOVALS), _one(rng, _PINS), _one(rng, NOT_RUNNING))


def _poll(rng: Random, world: dict[str, ReportedAdapter]) -> Outcome:
    for _ in range(_one(rng, _CHANGES) if world else 3):
        _change(rng, world)
    if rng.random() < 0.2:
        return _one(rng, UNANSWERED)
    return Answered(tuple(world.values()))


def _change(rng: Random, world: dict[str, ReportedAdapter]) -> None:
    adapter_type, state = _one(rng, _TYPES), _one(rng, _STATES)
    # Out and in again: it stands last now, so the order of the answers changes as the server's does.
    world.pop(adapter_type, None)
    if state is not Reported.MISSING:
        # Two adapters that listen on one port are nonsense, and such an answer never comes this far.
        taken = {adapter.port for adapter in world.values()}
        port = _one(rng, [port for port in PORTS if port not in taken])
        world[adapter_type] = ReportedAdapter(
            adapter_type, port, state is not Reported.DISABLED, state is Reported.SERVING
        )
