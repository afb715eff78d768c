"""Histories by the hundred thousand: a small world that changes a little from poll to poll."""

from collections.abc import Sequence
from random import Random
from typing import TypeVar

from dittoinfra.model import Answered, Outcome, ReportedAdapter
from tests.pure.decide.histories.life import (
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
from tests.pure.decide.histories.witness import Heard
from tests.pure.decide.make import UNANSWERED

_STATES = (*[Heard.SERVING] * 3, Heard.STOPPED, Heard.DISABLED, Heard.MISSING, Heard.MISSING)
# Types of one name are drawn now and then, and most servers pin nothing: else hardly an answer is believed.
_TYPES = (*TYPES, *["ftp", "nfs", "object-gateway", "smb"] * 4)
_PINS = (*PINS, *[PINS[0]] * 4)
_RUNS = (1, 2, 3, 4)
_POLLS = (1, 1, 1, 1, 2, 3)
_CHANGES = (0, 0, 1, 2)

Thing = TypeVar("Thing")


def history(seed: str) -> History:
    """The history of a seed."""
    dice = Random(seed)
    world: dict[str, ReportedAdapter] = {}
    rules = _rules(dice)
    runs = []
    for _ in range(_one(dice, _RUNS)):
        if dice.random() < 0.2:
            rules = _rules(dice)
        polls = [_poll(dice, world) for _ in range(_one(dice, _POLLS))]
        lost = _one(dice, _TYPES) if dice.random() < 0.05 else None
        runs.append(Run(rules, polls, lost))
    return History(_one(dice, range(len(EXPOSURES))), _one(dice, range(len(DEPLOYS))), runs)


def _one(dice: Random, things: Sequence[Thing]) -> Thing:
    # A good deal faster than Random.choice, which cares for more than fair enough.
    return things[int(dice.random() * len(things))]


def _rules(dice: Random) -> Rules:
    return Rules(_one(dice, ABSENCE_POLLS), _one(dice, REMOVALS), _one(dice, _PINS), _one(dice, NOT_RUNNING))


def _poll(dice: Random, world: dict[str, ReportedAdapter]) -> Outcome:
    for _ in range(_one(dice, _CHANGES) if world else 3):
        _change(dice, world)
    if dice.random() < 0.2:
        return _one(dice, UNANSWERED)
    return Answered(tuple(world.values()))


def _change(dice: Random, world: dict[str, ReportedAdapter]) -> None:
    adapter_type, state = _one(dice, _TYPES), _one(dice, _STATES)
    # Out and in again: it stands last now, so the order of the answers changes as the server's does.
    world.pop(adapter_type, None)
    if state is not Heard.MISSING:
        # Two adapters that listen on one port are nonsense, and such an answer never comes this far.
        taken = {adapter.port for adapter in world.values()}
        port = _one(dice, [port for port in PORTS if port not in taken])
        world[adapter_type] = ReportedAdapter(
            adapter_type, port, state is not Heard.DISABLED, state is Heard.SERVING
        )
