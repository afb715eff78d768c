"""Which servers the cluster adds to the configured ones, and which it has lost. Pure.

A server of the configuration is itself. Any other that is listed, or remembered, is one of these:

listed     the cluster has it: treated as if it were configured
missing    it was found before, every listing is complete, and none has it: its adapters count an absence
unseen     it was found before, and a listing has gaps: treated as remembered, nothing is counted
"""

from collections import defaultdict
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, field

from pydantic import TypeAdapter, ValidationError

from dittoinfra import naming
from dittoinfra.decide.refusals import FoundTwice
from dittoinfra.model import (
    FoundServer,
    ListedObject,
    Listing,
    Missing,
    Note,
    Permission,
    RememberedServer,
    ServersMemory,
)
from dittoinfra.settings.base import ServerName

_SERVER_NAME: TypeAdapter[str] = TypeAdapter(ServerName)
_STATIC_SERVICES = ("-headless", "-api", "-metrics", "-file")


@dataclass(frozen=True, slots=True)
class Discovery:
    """What the listings of a run come to."""

    servers: tuple[FoundServer, ...] = ()
    """Every server beside the configured ones, ordered by name."""
    missing: Mapping[str, Missing] = field(default_factory=dict)
    """Those of them that the cluster no longer has: nobody is there to be asked."""
    twice: tuple[FoundTwice, ...] = ()
    """Why the run must stop."""
    lacks: tuple[Permission, ...] = ()
    """What must be allowed before the listings can be complete."""
    notes: tuple[Note, ...] = ()


def discover(
    configured: Collection[str],
    listings: Sequence[Listing],
    remembered: ServersMemory,
    with_adapters: Collection[str],
    absence_polls: Callable[[FoundServer], int],
) -> Discovery:
    """Servers from the listings and from memory; `with_adapters` are the remembered ones that have any."""
    if not listings:
        return Discovery()  # what was found before is not configured any more
    named, refused = _sorted_out(configured, listings, remembered)
    gaps = tuple(gap for listing in listings for gap in listing.gaps)
    # An object whose name cannot be read may be that of a server which had a name before.
    hidden = {name for listed in refused for name in (listed.name, _stripped(listed))}
    found: list[FoundServer] = []
    waiting: list[Note] = []
    missing: dict[str, Missing] = {}
    for name in sorted({*named, *remembered} - {*configured}):
        seen, memory = named.get(name, ()), remembered.get(name)
        if memory is None:
            found.append(_listed(name, seen))
        elif here := _here(seen, memory, bound=name in with_adapters, gaps=bool(gaps)):
            found.append(_listed(name, here))
        elif (gaps or name in hidden) and not memory.deployed:
            found.append(FoundServer(name, memory.namespace, memory.found or {}, memory.absences))
        elif memory.found is not None and name in with_adapters:
            found.append(FoundServer(name, memory.namespace, memory.found))
            missing[name] = Missing(_why_missing(memory, seen))
        elif memory.found is not None:
            server = FoundServer(name, memory.namespace, memory.found, memory.absences + 1)
            if server.absences < (limit := absence_polls(server)):
                found.append(server)
                waiting.append(_about_absence(server, limit))
    return Discovery(
        servers=tuple(found),
        missing=missing,
        twice=tuple(
            FoundTwice(name, _namespaces(seen))
            for name, seen in sorted(named.items())
            if len(_namespaces(seen)) > 1
        ),
        lacks=tuple(dict.fromkeys(gap.lacks for gap in gaps if gap.lacks is not None)),
        notes=tuple(dict.fromkeys((*_about_listings(listings), *map(_about_refused, refused), *waiting))),
    )


def _sorted_out(
    configured: Collection[str], listings: Sequence[Listing], remembered: ServersMemory
) -> tuple[Mapping[str, Sequence[ListedObject]], Sequence[ListedObject]]:
    """Objects by the server that they stand for, and those that can stand for none."""
    named: defaultdict[str, list[ListedObject]] = defaultdict(list)
    refused: list[ListedObject] = []
    for listed in (o for listing in listings for o in listing.objects if not _of_adapter(o)):
        name = server_name(listed)
        if not _valid(name):
            refused.append(listed)
        elif name not in configured and not _made_here(listed, remembered.get(name)):
            named[name].append(listed)
    return named, refused


def _here(
    seen: Sequence[ListedObject], memory: RememberedServer, *, bound: bool, gaps: bool
) -> Sequence[ListedObject]:
    """What was listed of a known server and may be believed; `bound` to a namespace by its Services."""
    # A listing with gaps may add a server; of one that was found before it changes nothing.
    if gaps and memory.found is not None:
        return ()
    return [listed for listed in seen if not bound or listed.namespace == memory.namespace]


def _about_absence(server: FoundServer, limit: int) -> Note:
    text = f"not listed in namespace {server.namespace} any more, absent {server.absences}/{limit}: kept"
    return Note(server.name, text, warning=True)


def _listed(name: str, objects: Sequence[ListedObject]) -> FoundServer:
    return FoundServer(name, objects[0].namespace, _labels(objects))


def server_name(listed: ListedObject) -> str:
    """The name of the server that an object stands for."""
    if listed.labels.get("app") == naming.selector("")["app"] and listed.labels.get("instance"):
        return listed.labels["instance"]
    return _stripped(listed)


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


def _of_adapter(listed: ListedObject) -> bool:
    # Our own among them would keep a server in the listing that is long gone.
    return naming.ADAPTER_SERVICE_LABEL in listed.labels


def _made_here(listed: ListedObject, memory: RememberedServer | None) -> bool:
    """Whether an object is of a server that this stack deployed: it goes with the configuration of it."""
    return memory is not None and memory.deployed and memory.namespace == listed.namespace


def _namespaces(objects: Sequence[ListedObject]) -> tuple[str, ...]:
    return tuple(sorted({listed.namespace for listed in objects}))


def _labels(objects: Sequence[ListedObject]) -> dict[str, str]:
    """The labels of all objects of a server; where two differ, the one that was listed first counts."""
    labels: dict[str, str] = {}
    for listed in reversed(objects):
        labels |= listed.labels
    return labels


def _why_missing(memory: RememberedServer, seen: Sequence[ListedObject]) -> str:
    if not seen:
        return f"not among the servers that the cluster lists in namespace {memory.namespace} any more"
    elsewhere = " and ".join(_namespaces(seen))
    return (
        f"not in namespace {memory.namespace} any more; the one of this name in {elsewhere} takes its place "
        "when its adapters are gone"
    )


def _about_listings(listings: Sequence[Listing]) -> Iterator[Note]:
    for listing in listings:
        for gap in listing.gaps:
            text = f"the listing is not complete: {gap.why}; no server counts as missing"
            yield Note(listing.source, text, warning=True)
        if not listing.gaps and not listing.objects:
            yield Note(listing.source, "selects nothing in the cluster", warning=True)


def _about_refused(listed: ListedObject) -> Note:
    return Note(
        f"{listed.namespace}/{listed.name}",
        f"this {listed.kind} is left out: {server_name(listed)!r} cannot be a server's name, which starts "
        "with a lower-case letter and has at most 52 lower-case letters, digits and '-'",
        warning=True,
    )
