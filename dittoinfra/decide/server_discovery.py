"""Which servers the cluster adds to the configured ones, and which it has lost. Pure.

A configured server is never discovered. Any other server that is listed, or remembered, is one of these:

listed     the cluster has it: treated as if it were configured
held       the cluster has it twice, or its settings contradict each other: it stays as the state holds it
missing    it was found before, every listing is complete, and none has it: its adapters count an absence
unseen     it was found before, and a listing has gaps or must not count: treated as remembered, not counted
"""

from collections import defaultdict
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace

from pydantic import TypeAdapter, ValidationError

from dittoinfra import naming
from dittoinfra.decide.adapter_texts import absent_text
from dittoinfra.model import (
    FoundServer,
    ListedObject,
    Listing,
    Missing,
    Nonsense,
    Note,
    Permission,
    RememberedServer,
    ServersMemory,
)
from dittoinfra.settings import StackSettings
from dittoinfra.settings.base import ServerName
from dittoinfra.settings.checks import check_found
from dittoinfra.settings.layers import effective, found_layers
from dittoinfra.state import Memory

_SERVER_NAME: TypeAdapter[str] = TypeAdapter(ServerName)
_STATIC_SERVICES = ("-headless", "-api", "-metrics", "-file")


@dataclass(frozen=True, slots=True)
class Discovery:
    """The servers that result from the listings of a run."""

    servers: tuple[FoundServer, ...] = ()
    """Every server beside the configured ones, ordered by name."""
    missing: Mapping[str, Missing] = field(default_factory=dict)
    """The found servers that the cluster no longer has: they are not polled."""
    counted: frozenset[str] = frozenset()
    """Servers of which an absence is counted: the missing ones, and those that have no adapters either."""
    held: Mapping[str, Nonsense] = field(default_factory=dict)
    """The found servers that nothing can be declared for, and why: they are not polled, and stay as the state
    holds them. One server never stops another."""
    elsewhere: frozenset[str] = frozenset()
    """Servers that were named, are not configured any more, and are in other namespaces of the cluster: they
    are found there once their Services are gone."""
    lacks: tuple[Permission, ...] = ()
    """What must be allowed before the listings can be complete."""
    notes: tuple[Note, ...] = ()

    @property
    def followed(self) -> tuple[FoundServer, ...]:
        """The servers whose settings apply."""
        return tuple(server for server in self.servers if server.name not in self.held)

    @property
    def polled(self) -> tuple[FoundServer, ...]:
        """The servers that are polled."""
        return tuple(server for server in self.followed if server.name not in self.missing)

    def holding(self, more: Mapping[str, Nonsense]) -> "Discovery":
        """The same with more servers held, which are neither missing nor counted then."""
        held = {**more, **self.held}
        return replace(
            self,
            missing={name: why for name, why in self.missing.items() if name not in held},
            counted=self.counted - held.keys(),
            held=held,
        )


def discover(settings: StackSettings, memory: Memory, listings: Sequence[Listing]) -> Discovery:
    """The servers that the cluster adds to the configured ones, from its listings and from memory."""
    if not listings:
        return Discovery()  # what was found before is not configured any more
    configured = {server.name for server in settings.servers}
    remembered = memory.servers
    named, refused = _by_server(configured, listings, remembered)
    gaps = tuple(gap for listing in listings for gap in listing.gaps)
    incomplete = any(listing.gaps or listing.held for listing in listings)
    counts = all(listing.counts for listing in listings)
    # An object with an invalid server name may belong to a server that had a valid name before.
    hidden = {name for listed in refused for name in (listed.name, _stripped(listed))}
    twice = {name: _found_twice(seen) for name, seen in named.items() if len(_namespaces(seen)) > 1}
    found: list[FoundServer] = []
    waiting: list[Note] = []
    missing: dict[str, Missing] = {}
    counted: set[str] = set()
    for name in sorted({*named, *remembered} - configured):
        seen, before = named.get(name, ()), remembered.get(name)
        if before is None:
            found.append(_listed(name, seen))
        elif name not in twice and (
            here := _here(seen, before, bound=name in memory.adapters, gaps=incomplete)
        ):
            found.append(_listed(name, here))
        elif (
            incomplete or name in hidden or name in twice or (before.found is not None and not counts)
        ) and not before.deployed:
            found.append(FoundServer(name, before.namespace, before.found or {}, before.absences))
        elif before.found is not None and name in memory.adapters:
            found.append(FoundServer(name, before.namespace, before.found))
            missing[name] = Missing(_why_missing(before, seen))
            counted.add(name)
        elif before.found is not None:
            counted.add(name)
            server = FoundServer(name, before.namespace, before.found, before.absences + 1)
            limit = effective(found_layers(settings, server)).absence_polls
            if server.absences < limit:
                found.append(server)
                so_far = f"{absent_text(server.absences, limit)}: kept"
                text = f"not listed in namespace {server.namespace} any more, {so_far}"
                waiting.append(Note(name, text, warning=True))
    held = {
        server.name: why
        for server in found
        if (why := twice.get(server.name) or _contradiction(settings, server)) is not None
    }
    return Discovery(
        servers=tuple(found),
        missing=missing,
        counted=frozenset(counted),
        elsewhere=frozenset(named.keys() & memory.adapters.keys()) - {server.name for server in found},
        lacks=tuple(dict.fromkeys(gap.lacks for gap in gaps if gap.lacks is not None)),
        notes=tuple(dict.fromkeys((*_about_listings(listings), *map(_about_refused, refused), *waiting))),
    ).holding(held)


def server_name(listed: ListedObject) -> str:
    """The name of the server that an object belongs to."""
    if listed.labels.get("app") == naming.selector("")["app"] and listed.labels.get("instance"):
        return listed.labels["instance"]
    return _stripped(listed)


def objects_by_server(
    objects: Iterable[ListedObject], configured: Collection[str] = ()
) -> dict[str, list[ListedObject]]:
    """The objects of each server that is not configured, by its name, which need not be a valid one."""
    named: defaultdict[str, list[ListedObject]] = defaultdict(list)
    for listed in objects:
        name = server_name(listed)
        # The Services of adapters among them would keep a server listed that no longer exists.
        if naming.ADAPTER_SERVICE_LABEL not in listed.labels and name not in configured:
            named[name].append(listed)
    return dict(named)


def _by_server(
    configured: Collection[str], listings: Sequence[Listing], remembered: ServersMemory
) -> tuple[Mapping[str, Sequence[ListedObject]], Sequence[ListedObject]]:
    """Objects by the server that they belong to, and objects without a valid server name."""
    named: dict[str, Sequence[ListedObject]] = {}
    refused: list[ListedObject] = []
    listed = (this for listing in listings for this in listing.objects)
    for name, objects in objects_by_server(listed, configured).items():
        memory = remembered.get(name)
        # An object of a server that this stack deployed is removed with its configuration.
        removed = memory.namespace if memory is not None and memory.deployed else None
        if not _valid(name):
            refused += objects
        elif counted := [this for this in objects if this.namespace != removed]:
            named[name] = counted
    return named, refused


def _here(
    seen: Sequence[ListedObject], memory: RememberedServer, *, bound: bool, gaps: bool
) -> Sequence[ListedObject]:
    """The listed objects of a known server that count; `bound`: its Services fix its namespace."""
    # A listing with gaps may add a server; it changes nothing about one that was found before.
    if gaps and memory.found is not None:
        return ()
    return [listed for listed in seen if not bound or listed.namespace == memory.namespace]


def _listed(name: str, objects: Sequence[ListedObject]) -> FoundServer:
    """A server with the labels of all its objects; where two differ, the one that was listed first counts."""
    labels: dict[str, str] = {}
    for listed in reversed(objects):
        labels |= listed.labels
    return FoundServer(name, objects[0].namespace, labels)


def _stripped(listed: ListedObject) -> str:
    if listed.kind == "Service":
        for ending in _STATIC_SERVICES:
            if listed.name.endswith(ending):
                return listed.name.removesuffix(ending)
    return listed.name


def _valid(name: str) -> bool:
    try:
        _SERVER_NAME.validate_python(name)
    except ValidationError:
        return False
    return True


def _namespaces(objects: Sequence[ListedObject]) -> tuple[str, ...]:
    return tuple(sorted({listed.namespace for listed in objects}))


def _found_twice(seen: Sequence[ListedObject]) -> Nonsense:
    return Nonsense(
        f"found in the namespaces {' and '.join(_namespaces(seen))}, and a stack has one server of a name",
        "narrow dittoinfra:serversFrom to one of them, or give each a stack of its own",
    )


def _contradiction(settings: StackSettings, server: FoundServer) -> Nonsense | None:
    if not (wrong := tuple(check_found(settings, server))):
        return None
    explain = f"`dittoinfra explain STACK {server.name}` shows where it comes from"
    return Nonsense("; ".join(map(str, wrong)), f"correct dittoinfra:selectors or its labels; {explain}")


def _why_missing(memory: RememberedServer, seen: Sequence[ListedObject]) -> str:
    if not seen:
        return f"not among the servers that the cluster lists in namespace {memory.namespace} any more"
    return (
        f"not in namespace {memory.namespace} any more; the one of this name in {seen[0].namespace} takes "
        "its place when its adapters are gone"
    )


def _about_listings(listings: Sequence[Listing]) -> Iterator[Note]:
    for listing in listings:
        for gap in listing.gaps:
            text = f"the listing is not complete: {gap.why}; no server counts as missing"
            yield Note(listing.source, text, warning=True)
        if listing.counts and not (listing.gaps or listing.objects or listing.held):
            yield Note(listing.source, "selects nothing in the cluster", warning=True)


def _about_refused(listed: ListedObject) -> Note:
    return Note(
        f"{listed.namespace}/{listed.name}",
        f"this {listed.kind} is left out: {server_name(listed)!r} cannot be a server's name, which starts "
        "with a lower-case letter and has at most 52 lower-case letters, digits and '-'",
        warning=True,
    )
