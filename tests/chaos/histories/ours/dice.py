"""From a number to a life of our own side: the same one whenever and wherever it is drawn."""

from collections.abc import Callable, Sequence
from random import Random
from typing import Any, Final

from lab.simulator.versions import TESTED
from tests.chaos.histories.events import Delete, Disable, Place, Serve, Stop
from tests.chaos.histories.ours.events import (
    FOUND,
    HERE,
    NAMED,
    NEWCOMER,
    SERVERS,
    THERE,
    Actor,
    Add,
    Approval,
    Approve,
    Drop,
    Edit,
    Event,
    File,
    Hand,
    History,
    Lose,
    Meanwhile,
    Move,
    Rename,
    Selector,
    Touch,
    Trouble,
    Unlist,
)

MOVES: Final = 3
"""Commands of a life after its first one."""
TYPES: Final = ("nfs", "smb")
PORTS: Final = {"nfs": (12049, 20490), "smb": (12445, 4450)}
MANAGERS: Final = ("kubectl-edit", "lens", "kubectl-client-side-apply")

EDITS: Final[tuple[tuple[str, tuple[Any, ...]], ...]] = (
    ("absence_polls", (1, 2, 3)),
    ("polls_per_run", (1, 2)),
    ("namespace", (HERE, THERE)),
    ("note", ("first", "second")),
    ("secret", (True, False, False)),
    ("finds", (None, *Selector)),
    ("finds", (Selector.ALL, Selector.COLD)),
)


def history(seed: int) -> History:
    """The life of a seed."""
    dice = Random(f"ours {seed}")
    moves = [Move(Actor.WATCH, tuple(_beginning(dice)))]
    while len(moves) <= MOVES:
        moves.append(_move(dice, moves[-1]))
    # Drawn last, so that a number has the moves it always had.
    return History(tuple(moves), {server: dice.choice(TESTED) for server in SERVERS})


def _beginning(dice: Random) -> Sequence[Event]:
    events: list[Event] = [
        Serve(Place(server, kind), PORTS[kind][0])
        for server in SERVERS
        for kind in TYPES
        if kind == TYPES[0] or dice.random() < 0.7
    ]
    if dice.random() < 0.3:
        events.append(Edit("finds", Selector.ALL))
    if dice.random() < 0.3:
        events.append(Drop(NAMED[1]))
    if dice.random() < 0.3:
        events.append(Add(NAMED[0], None))
    return events


def _move(dice: Random, last: Move) -> Move:
    if last.actor is Actor.SAVE:
        # Days later: the world may have gone on, and perhaps nobody else has touched the stack.
        return Move(Actor.APPLY, (*_undone(dice, last), *_events(dice, (0, 0, 1))), _trouble(dice, 0.1))
    events = _events(dice, (0, 1, 1, 2))
    # What is lost is found again, sooner or later.
    lost = [event for event in last.events if isinstance(event, Lose)]
    if lost and lost[-1].file is not File.WHOLE and dice.random() < 0.8:
        events = (Lose(File.WHOLE), *events)
    actor = dice.choices(list(Actor), (8, 6, 6, 1, 4, 0))[0]
    if actor is Actor.SAVE and dice.random() < 0.4:
        events = (*events, Disable(_place(dice)))
    touched = [event.place for event in events if isinstance(event, Touch)]
    trouble = _trouble(dice, 0.12)
    if touched and touched[0].server != NEWCOMER and dice.random() < 0.4:
        # What was done to a Service shows when its server cannot say what it serves.
        trouble[touched[0].server] = dice.choice(list(Trouble))
    return Move(
        actor,
        events,
        trouble,
        refresh=dice.random() < (0.5 if touched else 0.04),
        failing=str(_place(dice)) if dice.random() < 0.08 else None,
        meanwhile=_meanwhile(dice) if actor in (Actor.CI, Actor.PERSON) and dice.random() < 0.6 else None,
    )


def _undone(dice: Random, last: Move) -> Sequence[Event]:
    """An adapter that was going when the plan was made may be back."""
    gone = [event.place for event in last.events if isinstance(event, Disable | Delete)]
    return [Serve(place, PORTS[place.type][0]) for place in gone if dice.random() < 0.5]


def _meanwhile(dice: Random) -> Meanwhile:
    return Meanwhile(_events(dice, (0, 1)), _trouble(dice, 0.1), run=dice.random() < 0.7)


def _trouble(dice: Random, chance: float) -> dict[str, Trouble]:
    return {name: dice.choice(list(Trouble)) for name in (*NAMED, FOUND) if dice.random() < chance}


def _events(dice: Random, how_many: Sequence[int]) -> tuple[Event, ...]:
    return tuple(event for _ in range(dice.choice(how_many)) for event in _event(dice))


def _event(dice: Random) -> Sequence[Event]:
    kinds: Sequence[tuple[int, Callable[[Random], Sequence[Event]]]] = (
        (9, _adapter),
        (6, _edited),
        (2, lambda dice: [Lose(dice.choice(list(File)[1:]))]),
        (3, lambda dice: [Touch(_place(dice), dice.choice(list(Hand)), dice.choice(MANAGERS))]),
        (1, lambda dice: [Unlist(dice.random() < 0.4)]),
        (1, lambda dice: [Approve(dice.choice((Approval.EXACT, *Approval)))]),
    )
    weights, makers = zip(*kinds, strict=True)
    return list(dice.choices(makers, weights)[0](dice))


def _adapter(dice: Random) -> Sequence[Event]:
    place = _place(dice)
    port = dice.choice(PORTS[place.type])
    changes = (Serve(place, port), Stop(place, port), Disable(place), Delete(place))
    return dice.choices(changes, (2, 2, 1, 5))


def _edited(dice: Random) -> Sequence[Event]:
    server = dice.choice((*NAMED, FOUND))
    key, values = dice.choice(EDITS)
    edits: Sequence[tuple[int, Event]] = (
        (3, Add(server, dice.choice((HERE, THERE, None)))),
        (2, Drop(server)),
        (1, Rename(dice.choice(NAMED))),
        (3, Add(NEWCOMER, HERE)),
        (4, Edit(key, dice.choice(values))),
    )
    weights, events = zip(*edits, strict=True)
    event = dice.choices(events, weights)[0]
    if event == Add(NEWCOMER, HERE):
        # Everybody waits for it: others must not be counted meanwhile.
        return [event, Delete(_place(dice))]
    moves = isinstance(event, Add) or (isinstance(event, Edit) and event.key == "namespace")
    return [event, Approve(Approval.EXACT)] if moves and dice.random() < 0.2 else [event]


def _place(dice: Random) -> Place:
    return Place(dice.choices(SERVERS, (4, 3, 3, 1))[0], dice.choice(TYPES))
