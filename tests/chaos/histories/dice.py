"""From a number to a history: the same one whenever and wherever it is drawn."""

from collections.abc import Callable, Iterator, Sequence
from random import Random
from typing import Any, Final

from tests.chaos.histories.events import (
    SERVERS,
    Approval,
    Configure,
    Delete,
    Disable,
    Event,
    Hand,
    Hiccup,
    History,
    Place,
    Restart,
    Serve,
    Step,
    Stop,
    Touch,
    Trouble,
)

STEPS: Final = 8
"""Runs of a history."""

TYPES: Final = ("nfs", "smb", "webdav", "object-gateway")
"""The last one has a port name that is cut."""
CROWD: Final = (*TYPES, "ftp", "sftp", "s3", "rsync", "afp", "nbd", "iscsi", "p9")
"""Enough adapters for the brake that looks at shares."""
CROWDED: Final = 0.08

# No type has a port of another's, so an answer is nonsense when it is meant to be.
PORTS: Final = {"nfs": (12049, 0, 2049, 20490), "smb": (12445, 0, 1445, 4450)}
FIRST_PORT: Final = 8000

SETTINGS: Final[tuple[tuple[str, tuple[Any, ...]], ...]] = (
    ("absence_polls", (1, 1, 2, 3)),
    ("polls_per_run", (1, 2, 3)),
    ("removal", ("sync", "sync", "never")),
    ("on_unreachable", ("keep", "keep", "fail")),
    ("pins", ((), (), (("nfs", 2050),), (("smb", 4455), ("webdav", 8443)))),
    ("service_type", ("LoadBalancer", "LoadBalancer", "NodePort", "ClusterIP")),
    ("preset", ("minimal", "operator")),
    ("udp", (False, True)),
    ("traffic_policy", (None, "Local")),
    ("service_ports", ((), (("nfs", 2049), ("smb", 445)), (("nfs", 20049),))),
    ("note", (None, "of the stack", "of the stack, again")),
    ("note_of_server", (None, "of the server")),
    ("note_of_nfs", (None, "of nfs")),
    ("other_server", (True, False)),
    ("other_server", (True, False)),
)


def history(seed: int) -> History:
    """The history of a seed."""
    dice = Random(seed)
    types = CROWD if dice.random() < CROWDED else TYPES
    first = Step((*_beginning(dice, types), *_maybe_configured(dice)))
    steps = [first]
    while len(steps) < STEPS:
        steps.append(_step(dice, types, steps[-1]))
    return History(types, tuple(steps))


def _beginning(dice: Random, types: Sequence[str]) -> Iterator[Event]:
    if dice.random() < 0.4:
        yield Configure("other_server", True)
    for server in SERVERS:
        # The second server is small: brakes are about stacks, and one crowd is enough.
        for adapter_type in types if server == SERVERS[0] else types[:2]:
            if len(types) > len(TYPES) or dice.random() < 0.8:
                place = Place(server, adapter_type)
                yield Serve(place, _ports(types, adapter_type)[0])


def _maybe_configured(dice: Random) -> Iterator[Event]:
    for _ in range(dice.choice((0, 1, 2))):
        yield _configured(dice)


def _step(dice: Random, types: Sequence[str], last: Step) -> Step:
    # Absences are counted over several runs, so often enough nothing else happens.
    events = tuple(event for _ in range(dice.choice((0, 1, 1, 1, 2, 3))) for event in _events(dice, types))
    touched = any(isinstance(event, Touch) for event in events)
    return Step(
        events=events,
        trouble=_trouble(dice, last),
        approval=dice.choice((Approval.EXACT, *Approval)) if dice.random() < 0.08 else None,
        refresh=dice.random() < (0.5 if touched else 0.03),
        preview=dice.random() < 0.12,
        failing=_failing(dice, types) if dice.random() < 0.15 else frozenset(),
    )


def _trouble(dice: Random, last: Step) -> dict[str, Trouble]:
    found = {name: what for name, what in last.trouble.items() if dice.random() < 0.3}
    for name, chance in zip(SERVERS, (0.2, 0.15), strict=True):
        if dice.random() < chance:
            found[name] = dice.choice(list(Trouble))
    return found


def _failing(dice: Random, types: Sequence[str]) -> frozenset[tuple[str, str]]:
    operations = dice.sample(("create", "update", "delete"), dice.choice((1, 2, 3)))
    name = dice.choice(("*", "*", str(Place(SERVERS[0], dice.choice(types[:2])))))
    return frozenset((operation, name) for operation in operations)


def _events(dice: Random, types: Sequence[str]) -> Sequence[Event]:
    kinds: Sequence[tuple[int, Callable[[Random, Sequence[str]], Sequence[Event]]]] = (
        (9, _adapter_changed),
        (5 if types == CROWD else 1, _all_at_once),
        (5, lambda dice, _: [_configured(dice)]),
        (1, lambda dice, _: [dice.choice((Restart, Hiccup))(dice.choice(SERVERS))]),
        (6, lambda dice, types: [Touch(_place(dice, types), dice.choice(list(Hand)))]),
    )
    weights, makers = zip(*kinds, strict=True)
    return list(dice.choices(makers, weights)[0](dice, types))


def _adapter_changed(dice: Random, types: Sequence[str]) -> Sequence[Event]:
    place = _place(dice, types)
    port = dice.choice(_ports(types, place.type))
    changes = (Serve(place, port), Stop(place, port), Disable(place), Delete(place))
    return dice.choices(changes, (2, 1, 1, 2))


def _all_at_once(dice: Random, types: Sequence[str]) -> Sequence[Event]:
    change = dice.choice((Disable, Delete))
    some = dice.sample(types, dice.randint(2, len(types)))
    return [change(Place(SERVERS[0], adapter_type)) for adapter_type in some]


def _configured(dice: Random) -> Configure:
    key, values = dice.choice(SETTINGS)
    return Configure(key, dice.choice(values))


def _place(dice: Random, types: Sequence[str]) -> Place:
    # Mostly the two that every server has: what happens to nobody teaches nothing.
    return Place(dice.choices(SERVERS, (4, 1))[0], dice.choice((*types[:2], *types[:2], *types)))


def _ports(types: Sequence[str], adapter_type: str) -> tuple[int, ...]:
    first = FIRST_PORT + 10 * types.index(adapter_type)
    return PORTS.get(adapter_type, (first, first + 1))
