"""Where named adapters are found, and what people are told of it. Pure."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace

from dittoinfra.decide.names import NamedAdapter, NameDecision
from dittoinfra.model import Addresses, HostNames, NameMemory, Note, ToldNames

LiveAddresses = Mapping[str, Mapping[str, Addresses]]
"""Addresses of live Services, by namespace and name; a namespace that could not be asked is not in it."""


def unlocated_namespaces(names: NameDecision) -> tuple[str, ...]:
    """Namespaces whose Services must be looked at to know where named adapters are found."""
    return tuple(sorted({this.names.namespace for this in names.adapters.values() if this.names.ip is None}))


def locate(names: NameDecision, live: LiveAddresses, memory: NameMemory) -> NameDecision:
    """The same names with the addresses they lead to: the given one, the live ones, or those of the state."""
    adapters = {
        resource: replace(this, addresses=_located(resource, this.names, live, memory))
        for resource, this in names.adapters.items()
    }
    return replace(names, adapters=adapters)


def name_notes(names: NameDecision, memory: NameMemory) -> Iterator[Note]:
    """What became of the names since the last run; nothing of names that lead where they led before."""
    for resource, this in names.adapters.items():
        if not this.addresses:
            yield _pending(this.names)
        elif _is_news(this, memory.told.get(resource)):
            yield _registered(this)
    kept = {name for this in names.adapters.values() for name in this.names.all}
    for told in memory.told.values():
        gone = [name for name in told.names.all if name not in kept]
        if gone:
            yield _deleted(told.names, gone)


def _located(resource: str, names: HostNames, live: LiveAddresses, memory: NameMemory) -> Addresses:
    if names.ip is not None:
        return (names.ip,)
    if names.namespace in live:
        return live[names.namespace].get(names.service, ())
    told = memory.told.get(resource)
    # The state learns of an address at updates and refreshes only; what was told once was true then.
    return memory.addresses.get(resource) or (told.addresses if told else ())


def _is_news(this: NamedAdapter, told: ToldNames | None) -> bool:
    if told is None:
        return True
    was, now = told.names, this.names
    return not {*now.all} <= {*was.all} or now.backend != was.backend or this.addresses != told.addresses


def _pending(names: HostNames) -> Note:
    look = f"kubectl -n {names.namespace} describe service {names.service}"
    return Note(
        names.server,
        f"PendingLoadBalancer: {_words(names.all, names)}: its load balancer has no address that is known; "
        f"see `{look}`, or set dns.ip",
    )


def _registered(this: NamedAdapter) -> Note:
    names = this.names
    text = f"HostRegistered: {_words(names.all, names)}: {', '.join(this.addresses)}, by {names.backend}"
    return Note(names.server, text)


def _deleted(names: HostNames, gone: Sequence[str]) -> Note:
    after = f" after a grace period of {names.grace_period} s" if names.grace_period else ""
    text = f"HostDeleted: {_words(gone, names)}: no longer declared; {names.backend} removes it{after}"
    return Note(names.server, text)


def _words(some: Sequence[str], names: HostNames) -> str:
    return f"{', '.join(some)} ({names.type})"
