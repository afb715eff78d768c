"""What each name of a stack leads to now, as a hosts file and as data. Pure."""

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import asdict, dataclass
from enum import StrEnum
from ipaddress import ip_address
from typing import Any

from dittoinfra.model import Addresses, HostNames


class HostState(StrEnum):
    """How a name stands."""

    REGISTERED = "HostRegistered"
    PENDING = "PendingLoadBalancer"
    UNRESOLVED = "Unresolved"
    """Its load balancer is known by a name that leads nowhere."""
    MISSING = "ServiceMissing"
    """The stack declared its Service, and it is not in the cluster."""


@dataclass(frozen=True, slots=True)
class Unresolved:
    """A load balancer's name that leads nowhere."""

    why: str


Resolved = Mapping[str, Addresses | Unresolved]
"""IP addresses of load balancers that are known by name."""


@dataclass(frozen=True, slots=True)
class NamedService:
    """A Service with names, and where it is found."""

    names: HostNames
    addresses: Addresses | None
    """IP addresses, or names of load balancers; None where the Service is not in the cluster."""


@dataclass(frozen=True, slots=True)
class HostRecord:
    """What the names of one Service lead to."""

    server: str
    adapter: str
    namespace: str
    service: str
    backend: str
    hostname: str
    aliases: tuple[str, ...]
    addresses: Addresses
    """IP addresses, IPv4 first."""
    reason: HostState
    message: str = ""
    """What is to be said beside it; empty where there is nothing."""

    @property
    def names(self) -> str:
        """Every name, as a hosts file lists them."""
        return " ".join((self.hostname, *self.aliases))


def balancer_names(services: Iterable[NamedService]) -> tuple[str, ...]:
    """Names of load balancers that must be resolved before anything can be said."""
    wanted = (address for service in services for address in _given(service) or ())
    return tuple(sorted({address for address in wanted if not _is_ip(address)}))


def host_records(services: Iterable[NamedService], resolved: Resolved) -> tuple[HostRecord, ...]:
    """What every name leads to, ordered by name; every name in `balancer_names` must be resolved."""
    records = (_record(service, resolved) for service in services)
    return tuple(sorted(records, key=lambda record: (record.hostname, record.namespace, record.service)))


def hosts_file(records: Iterable[HostRecord]) -> str:
    """The records as a hosts file; what leads nowhere is a comment that says why."""
    return "".join(f"{line}\n" for record in records for line in _lines(record))


def hosts_data(records: Iterable[HostRecord]) -> list[dict[str, Any]]:
    """The records as JSON has them."""
    return [
        {key: list(value) if isinstance(value, tuple) else value for key, value in asdict(record).items()}
        for record in records
    ]


def _record(service: NamedService, resolved: Resolved) -> HostRecord:
    names = service.names
    state, addresses, message = _state(service, resolved)
    return HostRecord(
        server=names.server,
        adapter=names.type,
        namespace=names.namespace,
        service=names.service,
        backend=names.backend,
        hostname=names.hostname,
        aliases=names.aliases,
        addresses=addresses,
        reason=state,
        message=message,
    )


def _state(service: NamedService, resolved: Resolved) -> tuple[HostState, Addresses, str]:
    given = _given(service)
    if given is None:
        return HostState.MISSING, (), "the Service is not in the cluster; run `pulumi up --refresh`"
    if not given:
        return HostState.PENDING, (), "the load balancer has given no address yet"
    found: set[str] = set()
    why: list[str] = []
    for address in given:
        match (address,) if _is_ip(address) else resolved[address]:
            case Unresolved(reason):
                why.append(f"{address} cannot be resolved: {reason}")
            case addresses:
                found.update(addresses)
    state = HostState.REGISTERED if found else HostState.UNRESOLVED
    return state, tuple(sorted(found, key=_address_order)), "; ".join(why)


def _lines(record: HostRecord) -> Iterator[str]:
    for address in record.addresses:
        yield f"{address:<15} {record.names}  # {record.namespace}/{record.service}"
    if record.message:
        yield f"# {record.names}: {record.reason}: {record.namespace}/{record.service}: {record.message}"


def _given(service: NamedService) -> Addresses | None:
    if service.addresses is None or service.names.ip is None:
        return service.addresses
    return (service.names.ip,)


def _is_ip(address: str) -> bool:
    try:
        ip_address(address)
    except ValueError:
        return False
    return True


def _address_order(address: str) -> tuple[int, int]:
    parsed = ip_address(address)
    return parsed.version, int(parsed)
