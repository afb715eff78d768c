"""Generates a history from a seed; the same seed always gives the same history."""

from collections.abc import Callable, Iterator, Sequence
from random import Random
from typing import Any, Final

from lab.simulator.versions import TESTED
from tests.chaos.histories.events import (
    SERVERS,
    AdapterName,
    Approval,
    Configure,
    Delete,
    Disable,
    EditService,
    Event,
    FailOnce,
    History,
    Restart,
    Serve,
    ServiceEdit,
    Step,
    Stop,
    Trouble,
)

STEPS: Final = 8
"""Runs of a history."""

TYPES: Final = ("nfs", "smb", "webdav", "object-gateway")
"""The last one has a port name that is cut."""
MANY_TYPES: Final = (*TYPES, "ftp", "sftp", "s3", "rsync", "afp", "nbd", "iscsi", "p9")
"""Enough adapters for the brake."""
MANY_TYPES_CHANCE: Final = 0.08

# No two types share a port, so that answers are nonsense only where that is intended.
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
    rng = Random(seed)
    types = MANY_TYPES if rng.random() < MANY_TYPES_CHANCE else TYPES
    first = Step((*_beginning(rng, types), *_maybe_configured(rng)))
    steps = [first]
    while len(steps) < STEPS:
        steps.append(_step(rng, types, steps[-1]))
    # Generated last, so that a seed keeps its steps.
    return History(types, tuple(steps), {server: rng.choice(TESTED) for server in SERVERS})


def _beginning(rng: Random, types: Sequence[str]) -> Iterator[Event]:
    if rng.random() < 0.4:
        yield Configure("other_server", True)
    for server in SERVERS:
        # The brake counts the adapters of the stack, so one large server is enough.
        for adapter_type in types if server == SERVERS[0] else types[:2]:
            if len(types) > len(TYPES) or rng.random() < 0.8:
                adapter = AdapterName(server, adapter_type)
                yield Serve(adapter, _ports(types, adapter_type)[0])


def _maybe_configured(rng: Random) -> Iterator[Event]:
    for _ in range(rng.choice((0, 1, 2))):
        yield _configured(rng)


def _step(rng: Random, types: Sequence[str], last: Step) -> Step:
    # Absences are counted over several runs, so some steps have no events.
    events = tuple(event for _ in range(rng.choice((0, 1, 1, 1, 2, 3))) for event in _events(rng, types))
    edited = any(isinstance(event, EditService) for event in events)
    return Step(
        events=events,
        trouble=_trouble(rng, last),
        approval=rng.choice((Approval.EXACT, *Approval)) if rng.random() < 0.08 else None,
        refresh=rng.random() < (0.5 if edited else 0.03),
        preview=rng.random() < 0.12,
        failing=_failing(rng, types) if rng.random() < 0.15 else frozenset(),
    )


def _trouble(rng: Random, last: Step) -> dict[str, Trouble]:
    found = {name: what for name, what in last.trouble.items() if rng.random() < 0.3}
    for name, chance in zip(SERVERS, (0.2, 0.15), strict=True):
        if rng.random() < chance:
            found[name] = rng.choice(list(Trouble))
    return found


def _failing(rng: Random, types: Sequence[str]) -> frozenset[tuple[str, str]]:
    operations = rng.sample(("create", "update", "delete"), rng.choice((1, 2, 3)))
    name = rng.choice(("*", "*", str(AdapterName(SERVERS[0], rng.choice(types[:2])))))
    return frozenset((operation, name) for operation in operations)


def _events(rng: Random, types: Sequence[str]) -> Sequence[Event]:
    kinds: Sequence[tuple[int, Callable[[Random, Sequence[str]], Sequence[Event]]]] = (
        (9, _adapter_changed),
        (5 if types == MANY_TYPES else 1, _all_at_once),
        (5, lambda rng, _: [_configured(rng)]),
        (1, lambda rng, _: [rng.choice((Restart, FailOnce))(rng.choice(SERVERS))]),
        (6, lambda rng, types: [EditService(_adapter(rng, types), rng.choice(list(ServiceEdit)))]),
    )
    weights, makers = zip(*kinds, strict=True)
    return list(rng.choices(makers, weights)[0](rng, types))


def _adapter_changed(rng: Random, types: Sequence[str]) -> Sequence[Event]:
    adapter = _adapter(rng, types)
    port = rng.choice(_ports(types, adapter.type))
    changes = (Serve(adapter, port), Stop(adapter, port), Disable(adapter), Delete(adapter))
    return rng.choices(changes, (2, 1, 1, 2))


def _all_at_once(rng: Random, types: Sequence[str]) -> Sequence[Event]:
    change = rng.choice((Disable, Delete))
    some = rng.sample(types, rng.randint(2, len(types)))
    return [change(AdapterName(SERVERS[0], adapter_type)) for adapter_type in some]


def _configured(rng: Random) -> Configure:
    key, values = rng.choice(SETTINGS)
    return Configure(key, rng.choice(values))


def _adapter(rng: Random, types: Sequence[str]) -> AdapterName:
    # Mostly the two types that every server has: events on missing adapters test nothing.
    return AdapterName(rng.choices(SERVERS, (4, 1))[0], rng.choice((*types[:2], *types[:2], *types)))


def _ports(types: Sequence[str], adapter_type: str) -> tuple[int, ...]:
    first = FIRST_PORT + 10 * types.index(adapter_type)
    return PORTS.get(adapter_type, (first, first + 1))
