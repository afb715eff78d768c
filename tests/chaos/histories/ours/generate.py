"""Generates a history with mistakes and concurrent runs from a seed; the same seed gives the same history."""

from collections.abc import Callable, Sequence
from random import Random
from typing import Any, Final

from lab.simulator.versions import TESTED
from tests.chaos.histories.events import AdapterName, Delete, Disable, Serve, Stop
from tests.chaos.histories.ours.events import (
    DEPLOYED,
    FOUND,
    HERE,
    NAMED,
    SERVERS,
    THERE,
    Actor,
    Add,
    Approval,
    Approve,
    ChangeFile,
    Configure,
    Drop,
    EditService,
    Event,
    FileState,
    History,
    Meanwhile,
    Rename,
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
MANAGERS: Final = ("kubectl-edit", "lens", "kubectl-client-side-apply")

SETTINGS: Final[tuple[tuple[str, tuple[Any, ...]], ...]] = (
    ("absence_polls", (1, 2, 3)),
    ("polls_per_run", (1, 2)),
    ("namespace", (HERE, THERE)),
    ("note", ("first", "second")),
    ("secret", (True, False, False)),
    ("finds", (None, *Selector)),
    ("finds", (Selector.ALL, Selector.COLD)),
)


def history(seed: int) -> History:
    """The history of a seed."""
    rng = Random(f"ours {seed}")
    steps = [Step(Actor.WATCH, tuple(_beginning(rng)))]
    while len(steps) <= STEPS:
        steps.append(_step(rng, steps[-1]))
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


def _step(rng: Random, last: Step) -> Step:
    if last.actor is Actor.SAVE:
        # A plan is applied later: servers may have changed, with or without a run in between.
        return Step(Actor.APPLY, (*_undone(rng, last), *_events(rng, (0, 0, 1))), _trouble(rng, 0.1))
    events = _events(rng, (0, 1, 1, 2))
    # A lost file is mostly restored in the next step.
    lost = [event for event in last.events if isinstance(event, ChangeFile)]
    if lost and lost[-1].file is not FileState.WHOLE and rng.random() < 0.8:
        events = (ChangeFile(FileState.WHOLE), *events)
    actor = rng.choices(list(Actor), (8, 6, 6, 1, 4, 0))[0]
    if actor is Actor.SAVE and rng.random() < 0.4:
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
        meanwhile=_meanwhile(rng) if actor in (Actor.CI, Actor.PERSON) and rng.random() < 0.6 else None,
    )


def _undone(rng: Random, last: Step) -> Sequence[Event]:
    """Adapters that the saved plan removes and that may be served again."""
    gone = [event.adapter for event in last.events if isinstance(event, Disable | Delete)]
    return [Serve(adapter, PORTS[adapter.type][0]) for adapter in gone if rng.random() < 0.5]


def _meanwhile(rng: Random) -> Meanwhile:
    return Meanwhile(_events(rng, (0, 1)), _trouble(rng, 0.1), run=rng.random() < 0.7)


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
    return rng.choices(changes, (2, 2, 1, 5))


def _configuration_change(rng: Random) -> Sequence[Event]:
    server = rng.choice((*NAMED, FOUND))
    key, values = rng.choice(SETTINGS)
    edits: Sequence[tuple[int, Event]] = (
        (3, Add(server, rng.choice((HERE, THERE, None)))),
        (2, Drop(server)),
        (1, Rename(rng.choice(NAMED))),
        (3, Add(DEPLOYED, HERE)),
        (4, Configure(key, rng.choice(values))),
    )
    weights, events = zip(*edits, strict=True)
    event = rng.choices(events, weights)[0]
    if event == Add(DEPLOYED, HERE):
        # The command waits for it; absences of other servers must not be counted again meanwhile.
        return [event, Delete(_adapter(rng))]
    moves_service = isinstance(event, Add) or (isinstance(event, Configure) and event.key == "namespace")
    return [event, Approve(Approval.EXACT)] if moves_service and rng.random() < 0.2 else [event]


def _adapter(rng: Random) -> AdapterName:
    return AdapterName(rng.choices(SERVERS, (4, 3, 3, 1))[0], rng.choice(TYPES))
