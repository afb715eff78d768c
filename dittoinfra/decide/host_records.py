"""What is known of each name of a stack, and where it leads. Pure."""

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from ipaddress import ip_address

from dittoinfra.decide.host_names import HostState, as_read, host_states, is_ip_address, vanished
from dittoinfra.model import Addresses, DnsKind, HostNames, Located


@dataclass(frozen=True, slots=True)
class Unresolved:
    """A name that leads nowhere."""

    why: str


Resolved = Mapping[str, Addresses | Unresolved]
"""IP addresses of names, as this machine's resolver has them."""


@dataclass(frozen=True, slots=True)
class NamedService:
    """A Service with names, and what it says."""

    names: HostNames
    located: Located | None
    """None where the Service is not in the cluster."""
    asked: Addresses = ()
    """The addresses that the last run asked for, where they are kept."""
    said: str = ""
    """What is wrong with the HostMapping that asks for the names, if anything."""

    @property
    def read(self) -> Located:
        """What the backend reads, as the Service and the last run have it."""
        read = as_read(self.names, self.located or Located())
        if not self.names.keeps_address:
            return read
        return Located(self.asked, read.registered, dict.fromkeys(vanished(read, self.asked), 1))


@dataclass(frozen=True, slots=True)
class HostRecord:
    """The names of one Service, and what they lead to now."""

    server: str
    """The server behind it."""
    adapter: str
    """The adapter behind it."""
    namespace: str
    """Namespace of the Service."""
    service: str
    """Name of the Service."""
    backend: str
    """Who makes the names known: router-hosts or external-dns."""
    kind: DnsKind
    """What asks for them: the Service by its annotations, or a HostMapping of router-hosts."""
    hostname: str
    """The name."""
    aliases: tuple[str, ...]
    """Its other names."""
    addresses: Addresses
    """IP addresses that the names are asked to lead to, IPv4 first; those of a load balancer that has only a
    name are looked up for external-dns, and not used by router-hosts."""
    reason: HostState
    """The state of the host name; `HostRegistered` only where its backend says so: router-hosts, on the
    Service or in the condition `Synced` of the HostMapping."""
    states: Mapping[str, HostState]
    """The state of every name."""
    resolves: Mapping[str, Addresses]
    """What every name resolves to on this machine; empty where it does not."""
    message: str
    """What is to be said beside it; empty where there is nothing."""


def names_to_resolve(services: Iterable[NamedService]) -> tuple[str, ...]:
    """Every asked name, and those of load balancers."""
    found: set[str] = set()
    for service in services:
        found.update(service.names.all)
        found.update(address for address in service.read.addresses if not is_ip_address(address))
    return tuple(sorted(found))


def host_records(services: Iterable[NamedService], resolved: Resolved) -> tuple[HostRecord, ...]:
    """What is known of every name, ordered by name; `resolved` has every name in `names_to_resolve`."""
    records = (_record(service, resolved) for service in services)
    return tuple(sorted(records, key=lambda record: (record.hostname, record.namespace, record.service)))


def hosts_file(records: Iterable[HostRecord]) -> str:
    """The records as a hosts file, with a comment for each name."""
    return "".join(f"{line}\n" for record in records for line in _lines(record))


def _lines(record: HostRecord) -> Iterator[str]:
    service = f"{record.namespace}/{record.service}"
    for address in record.addresses:
        yield f"{address:<15} {' '.join((record.hostname, *record.aliases))}  # {service}"
    asked = f"requested from {record.backend}" + (" by a HostMapping" if record.kind == "HostMapping" else "")
    known = {
        HostState.REQUESTED: asked,
        HostState.PINNED: asked,
        HostState.REGISTERED: f"{record.backend} has an entry for it",
    }
    for name, state in record.states.items():
        found = record.resolves[name]
        here = f"resolves to {', '.join(found)} here" if found else "does not resolve here"
        said = "; ".join(filter(None, (known.get(state), record.message, here)))
        yield f"# {name}: {state}: {service}: {said}"


def _record(service: NamedService, resolved: Resolved) -> HostRecord:
    names = service.names
    states, addresses, message = _known(service, resolved)
    return HostRecord(
        server=names.server,
        adapter=names.type,
        namespace=names.namespace,
        service=names.service,
        backend=names.backend,
        kind=names.kind,
        hostname=names.hostname,
        aliases=names.aliases,
        addresses=addresses,
        reason=states[names.hostname],
        states=states,
        resolves={name: known_addresses(resolved[name]) for name in names.all},
        message=message,
    )


def _known(service: NamedService, resolved: Resolved) -> tuple[Mapping[str, HostState], Addresses, str]:
    names = service.names
    if service.located is None:
        missing = service.said or "the Service is not in the cluster; run `pulumi up --refresh`"
        return dict.fromkeys(names.all, HostState.MISSING), (), missing
    read = service.read
    states = host_states(names, read)
    if not read.addresses:
        made = f"{names.backend} has an entry for {', '.join(read.registered)} from before"
        return states, (), "; ".join([_pending(service), *([made] if read.registered else [])])
    led = {address: (address,) if is_ip_address(address) else resolved[address] for address in read.addresses}
    found = {address for each in led.values() for address in known_addresses(each)}
    why = "; ".join(
        [
            *_kept(service),
            *filter(None, [service.said]),
            *(
                f"{address} cannot be resolved: {each.why}"
                for address, each in led.items()
                if isinstance(each, Unresolved)
            ),
        ]
    )
    if not found:
        states = dict.fromkeys(names.all, HostState.UNRESOLVED)
    return states, tuple(sorted(found, key=_address_order)), why


def _pending(service: NamedService) -> str:
    names, given = service.names, ", ".join(service.located.addresses if service.located else ())
    if not given:
        return "the load balancer has given no address yet"
    if as_read(names, service.located or Located()).addresses:
        return f"the load balancer has given {given}, which the next run asks for"
    return f"the load balancer has given {given}, and {names.backend} waits for an IP address"


def _kept(service: NamedService) -> Iterator[str]:
    """What is to be said of an address that is kept, where the load balancer says another or none."""
    if not service.names.keeps_address:
        return
    now = as_read(service.names, service.located or Located())
    lost = vanished(now, service.asked)
    if not now.addresses:
        yield "the load balancer has no address now, and its last one is kept"
    elif lost:
        yield f"the load balancer has {', '.join(now.addresses)} only, and {', '.join(lost)} is kept"
    elif now.addresses != service.asked:
        yield f"the load balancer has {', '.join(now.addresses)} now, which the next run asks for"


def known_addresses(found: Addresses | Unresolved) -> Addresses:
    """The addresses that a name leads to; none where it leads nowhere."""
    return () if isinstance(found, Unresolved) else found


def _address_order(address: str) -> tuple[int, int]:
    parsed = ip_address(address)
    return parsed.version, int(parsed)
