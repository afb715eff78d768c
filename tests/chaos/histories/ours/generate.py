"""Generates a history with mistakes and concurrent runs from a seed; the same seed gives the same history."""

from collections.abc import Callable, Sequence
from random import Random
from typing import Any, Final

from lab.simulator.versions import TESTED
from tests.chaos.histories.events import AdapterName, Approval, Configure, Delete, Disable, Serve, Stop
from tests.chaos.histories.ours.events import (
    DEPLOYED,
    FOUND,
    HERE,
    NAMED,
    SERVERS,
    THERE,
    Actor,
    Add,
    Approve,
    ChangeFile,
    Drop,
    EditService,
    Event,
    FileState,
    History,
    Meanwhile,
    Rename,
    SecretPlace,
    Selector,
    ServiceEdit,
    Step,
    Trouble,
    Unlist,
)

STEPS: Final = 3
"""Commands after the first one."""
TYPES: Final = ("nfs", "smb")
PORTS: Final = {"nfs": (12049, 20490), "smb": (12445, 4450)}
ACTORS: Final = (8, 5, 5, 1, 3, 0, 2)
"""How often each actor is drawn."""
BETWEEN: Final = (6, 2, 2, 0, 0, 0, 2)
"""The same while a saved plan waits."""
MANAGERS: Final = ("kubectl-edit", "lens", "kubectl-client-side-apply")

SETTINGS: Final[tuple[tuple[str, tuple[Any, ...]], ...]] = (
    ("absence_polls", (1, 2, 3)),
    ("polls_per_run", (1, 2)),
    ("hasty", (None, *Selector)),
    ("hasty", (Selector.ALL, Selector.COLD)),
    ("brake", (2, 10)),
    ("namespace", (HERE, THERE)),
    ("note", ("first", "second")),
    ("secret", tuple(SecretPlace)),
    ("secret", tuple(SecretPlace)),
    ("secret", (SecretPlace.ENV, SecretPlace.EXTRA, None)),
    ("finds", (None, *Selector)),
    ("finds", (Selector.ALL, Selector.COLD)),
)


def history(seed: int) -> History:
    """The history of a seed."""
    rng = Random(f"ours {seed}")
    steps = [Step(Actor.PLAIN, tuple(_beginning(rng)))]
    while len(steps) <= STEPS:
        steps.append(_step(rng, steps[-1]))
        if steps[-1].actor is Actor.SAVE:
            steps += _until_applied(rng, steps[-1])
    # Drawn last, so that the steps of a seed do not change.
    return History(tuple(steps), {server: rng.choice(TESTED) for server in SERVERS})


def _beginning(rng: Random) -> Sequence[Event]:
    events: list[Event] = [
        Serve(AdapterName(server, kind), PORTS[kind][0])
        for server in SERVERS
        for kind in TYPES
        if kind == TYPES[0] or rng.random() < 0.7
    ]
    if rng.random() < 0.3:
        events.append(Configure("finds", Selector.ALL))
    if rng.random() < 0.3:
        events.append(Drop(NAMED[1]))
    if rng.random() < 0.3:
        events.append(Add(NAMED[0], None))
    return events


def _until_applied(rng: Random, saved: Step) -> Sequence[Step]:
    """A saved plan is applied later: with or without changes, refreshes and runs in between."""
    between: list[Step] = []
    for _ in range(rng.choices((0, 1, 2), (5, 3, 1))[0]):
        between.append(_step(rng, between[-1] if between else saved, BETWEEN))
    events = (*_undone(rng, saved), *_events(rng, (0, 0, 1)))
    return [*between, Step(Actor.APPLY, events, _trouble(rng, 0.1), refresh=rng.random() < 0.1)]


def _step(rng: Random, last: Step, actors: Sequence[int] = ACTORS) -> Step:
    events = (*_corrected(rng, last), *_events(rng, (0, 1, 1, 2)))
    actor = rng.choices(list(Actor), actors)[0]
    if ChangeFile(FileState.MISSING) in events and rng.random() < 0.3:
        # "All" is every stack that has a file.
        actor = Actor.ALL
    if rng.random() < {Actor.SAVE: 0.4, Actor.WATCH: 0.1}.get(actor, 0.0):
        events = (*events, Disable(_adapter(rng)))
    edited = [event.adapter for event in events if isinstance(event, EditService)]
    trouble = _trouble(rng, 0.12)
    if edited and edited[0].server != DEPLOYED and rng.random() < 0.4:
        # An edit of a Service matters most while its server gives no usable answer.
        trouble[edited[0].server] = rng.choice(list(Trouble))
    return Step(
        actor,
        events,
        trouble,
        refresh=rng.random() < (0.5 if edited else 0.04),
        failing=str(_adapter(rng)) if rng.random() < 0.08 else None,
        meanwhile=_meanwhile(rng) if actor in (Actor.CI, Actor.PERSON) and rng.random() < 0.45 else None,
        waiting=_meanwhile(rng) if Add(DEPLOYED, HERE) in events and rng.random() < 0.4 else None,
        counts=actor is not Actor.WATCH or rng.random() < 0.7,
    )


def _corrected(rng: Random, last: Step) -> Sequence[Event]:
    """A lost file, or an encrypted value in a wrong place, is mostly corrected in the next step."""
    corrections: list[Event] = []
    lost = [event for event in last.events if isinstance(event, ChangeFile)]
    if lost and lost[-1].file is not FileState.WHOLE and rng.random() < 0.8:
        corrections.append(ChangeFile(FileState.WHOLE))
    if any(Configure("secret", place) in last.events for place in SecretPlace) and rng.random() < 0.8:
        corrections.append(Configure("secret", None))
    return corrections


def _undone(rng: Random, last: Step) -> Sequence[Event]:
    """Adapters that the saved plan removes and that may be served again."""
    gone = [event.adapter for event in last.events if isinstance(event, Disable | Delete)]
    return [Serve(adapter, PORTS[adapter.type][0]) for adapter in gone if rng.random() < 0.5]


def _meanwhile(rng: Random) -> Meanwhile:
    run = rng.choices((Actor.PLAIN, Actor.WATCH, None), (5, 2, 3))[0]
    return Meanwhile(_events(rng, (0, 1)), _trouble(rng, 0.1), run)


def _trouble(rng: Random, chance: float) -> dict[str, Trouble]:
    return {name: rng.choice(list(Trouble)) for name in (*NAMED, FOUND) if rng.random() < chance}


def _events(rng: Random, how_many: Sequence[int]) -> tuple[Event, ...]:
    return tuple(event for _ in range(rng.choice(how_many)) for event in _event(rng))


def _event(rng: Random) -> Sequence[Event]:
    kinds: Sequence[tuple[int, Callable[[Random], Sequence[Event]]]] = (
        (9, _adapter_change),
        (6, _configuration_change),
        (2, lambda rng: [ChangeFile(rng.choice(list(FileState)[1:]))]),
        (3, lambda rng: [EditService(_adapter(rng), rng.choice(list(ServiceEdit)), rng.choice(MANAGERS))]),
        (1, lambda rng: [Unlist(rng.random() < 0.4)]),
        (1, lambda rng: [Approve(rng.choice((Approval.EXACT, *Approval)))]),
    )
    weights, makers = zip(*kinds, strict=True)
    return list(rng.choices(makers, weights)[0](rng))


def _adapter_change(rng: Random) -> Sequence[Event]:
    adapter = _adapter(rng)
    port = rng.choice(PORTS[adapter.type])
    changes = (Serve(adapter, port), Stop(adapter, port), Disable(adapter), Delete(adapter))
    return rng.choices(changes, (2, 2, 2, 5))


def _configuration_change(rng: Random) -> Sequence[Event]:
    server = rng.choice((*NAMED, FOUND))
    key, values = rng.choice(SETTINGS)
    edits: Sequence[tuple[int, Event]] = (
        (3, Add(server, rng.choice((HERE, THERE, None)))),
        (2, Drop(server)),
        (3, Rename(rng.choice(NAMED))),
        (3, Add(DEPLOYED, HERE)),
        (5, Configure(key, rng.choice(values))),
    )
    weights, events = zip(*edits, strict=True)
    event = rng.choices(events, weights)[0]
    if event in (Configure("secret", SecretPlace.ENV), Configure("secret", SecretPlace.EXTRA)):
        return [Add(DEPLOYED, HERE), event]
    if event == Add(DEPLOYED, HERE):
        # The command waits for it; absences of other servers must not be counted again meanwhile.
        return [event, Delete(_adapter(rng))]
    moves_service = isinstance(event, Add) or (isinstance(event, Configure) and event.key == "namespace")
    return [event, Approve(Approval.EXACT)] if moves_service and rng.random() < 0.2 else [event]


def _adapter(rng: Random) -> AdapterName:
    return AdapterName(rng.choices(SERVERS, (4, 3, 3, 1))[0], rng.choice(TYPES))
