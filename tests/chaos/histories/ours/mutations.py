"""Changes of the code that each break a promise, and the lives that can notice."""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Final

import pytest

from dittoinfra.decide import brake, server_rules, stack_rules
from dittoinfra.model import Answered, RememberedAdapter, ReportedAdapter
from dittoinfra.program import answer_fingerprints
from dittoinfra.settings import ServerSettings
from dittoinfra.stacks import plans
from dittoinfra.state import memory
from dittoinfra.state.remembered import adapters_with_service
from tests.chaos.histories.events import Delete, Disable, Serve, Stop
from tests.chaos.histories.ours.dice import history
from tests.chaos.histories.ours.events import (
    HERE,
    NAMED,
    NEWCOMER,
    THERE,
    Actor,
    Add,
    Approve,
    Event,
    File,
    Hand,
    Lose,
    Move,
    Touch,
    Trouble,
)
from tests.chaos.histories.ours.promises import Promise

UPDATES: Final = (Actor.WATCH, Actor.CI, Actor.PERSON, Actor.ALL)
IDENTITY, ONCE, SHOWN, OWN = Promise


@dataclass(frozen=True, slots=True)
class Mutation:
    """Code that is wrong in one way."""

    name: str
    promises: tuple[Promise, ...]
    """Those that it breaks; a life may notice any of them first."""
    patch: Callable[[pytest.MonkeyPatch], None]
    tells: Callable[[Move, Move], bool]
    """Whether two moves in a row have what it takes to notice."""

    def __str__(self) -> str:
        return self.name

    def seeds(self) -> Iterator[int]:
        """The numbers of lives with such moves, from 1 on."""
        for seed in range(1, 100_000):
            moves = history(seed).moves
            if any(map(self.tells, moves, moves[1:])):
                yield seed


def _replace(module: object, name: str, with_: object) -> Callable[[pytest.MonkeyPatch], None]:
    return lambda monkeypatch: monkeypatch.setattr(module, name, with_)


def _happens(move: Move, *kinds: type) -> bool:
    return any(isinstance(event, kinds) for event in move.events)


def _lost(_: Move, move: Move) -> bool:
    lost = [event.file for event in move.events if isinstance(event, Lose)]
    return bool(lost) and lost[-1] is not File.WHOLE and move.actor in UPDATES


def _met_by_another(_: Move, move: Move) -> bool:
    meanwhile = move.meanwhile
    return meanwhile is not None and meanwhile.run and _named(move.events, Delete)


def _deployed(_: Move, move: Move) -> bool:
    calm = move.meanwhile is None and move.failing is None
    return calm and Add(NEWCOMER, HERE) in move.events and move.actor in (Actor.CI, Actor.PERSON)


def _moved(_: Move, move: Move) -> bool:
    moves = any(Add(name, THERE) in move.events for name in NAMED)
    return moves and not _happens(move, Approve) and move.actor in UPDATES


def _stopped(_: Move, move: Move) -> bool:
    return _named(move.events, Stop) and not move.trouble and move.actor in UPDATES


def _misnamed(_: Move, move: Move) -> bool:
    return move.trouble.get(NAMED[0]) is Trouble.LONG_TYPE and move.actor in UPDATES


def _deleted_and_silent(_: Move, move: Move) -> bool:
    gone = [event.place for event in move.events if isinstance(event, Touch) and event.hand is Hand.DELETE]
    return move.refresh and any(place.server in move.trouble for place in gone)


def _planned_and_back(last: Move, move: Move) -> bool:
    gone = {event.place for event in last.events if isinstance(event, Disable)}
    back = {event.place for event in move.events if isinstance(event, Serve)}
    return move.actor is Actor.APPLY and bool(gone & back) and not last.trouble


def _absent(_: Move, move: Move) -> bool:
    return _named(move.events, Delete) and not move.trouble and move.actor in UPDATES


def _named(events: Sequence[Event], *kinds: type[Delete] | type[Stop]) -> bool:
    """Whether it happens to the first adapter of a server that is there from the beginning."""
    return any(isinstance(e, kinds) and e.place.server == NAMED[0] and e.place.type == "nfs" for e in events)


def _count_two(
    this: ServerSettings,
    remembered: RememberedAdapter | None,
    reported: ReportedAdapter | None,
    *,
    counts: bool,
) -> server_rules.Verdict:
    if remembered is not None and reported is None:
        remembered = replace(remembered, absences=remembered.absences + 1)
    return _ANSWERED(this, remembered, reported, counts=counts)


def _outages_count(
    this: ServerSettings,
    remembered: RememberedAdapter | None,
    reported: ReportedAdapter | None,
    *,
    counts: bool,
) -> server_rules.Verdict:
    stopped = reported is not None and reported.enabled and not reported.running
    return _ANSWERED(this, remembered, None if stopped else reported, counts=counts)


def _nothing(*_: object, **__: object) -> tuple[()]:
    return ()


def _no_brake(*_: object, **__: object) -> None:
    return


_ANSWERED = server_rules._answered

MUTATIONS: Final = (
    Mutation(
        "recorded answers meet any state",
        (SHOWN,),
        _replace(answer_fingerprints, "differences", _nothing),
        _met_by_another,
    ),
    Mutation(
        "a server that is held counts as one that misses everything",
        (ONCE, IDENTITY, OWN),
        _replace(
            server_rules,
            "_hold",
            lambda this, memory, _: server_rules.decide_server(this, memory, (Answered(()),)),
        ),
        _deployed,
    ),
    Mutation("an absence counts twice", (ONCE,), _replace(server_rules, "_answered", _count_two), _absent),
    Mutation(
        "lost configuration is empty configuration",
        (IDENTITY, SHOWN),
        _replace(brake, "brake", _no_brake),
        _lost,
    ),
    Mutation(
        "a Service that moves is not lost", (IDENTITY,), _replace(stack_rules, "_moved", _nothing), _moved
    ),
    Mutation(
        "not running is absence",
        (ONCE, IDENTITY, OWN),
        _replace(server_rules, "_answered", _outages_count),
        _stopped,
    ),
    Mutation(
        "a name that cannot be stops the run", (OWN,), _replace(stack_rules, "misnamed", _nothing), _misnamed
    ),
    Mutation(
        "memory is what Services say",
        (OWN,),
        _replace(memory, "remembered_adapters", adapters_with_service),
        _deleted_and_silent,
    ),
    Mutation(
        "a plan is applied unasked",
        (IDENTITY, SHOWN),
        _replace(plans, "contradictions", _nothing),
        _planned_and_back,
    ),
)
