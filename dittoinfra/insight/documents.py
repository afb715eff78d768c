"""What `hosts` and `explain` tell, as documents: the JSON and its schema are these classes."""

from collections.abc import Iterable
from typing import Any

from dittoinfra.decide.hosts import HostRecord, HostState
from dittoinfra.document import Document
from dittoinfra.settings import Explained, Origin


class Host(Document):
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
    hostname: str
    """The name."""
    aliases: tuple[str, ...]
    """Its other names."""
    addresses: tuple[str, ...]
    """IP addresses, IPv4 first; those of a load balancer that has only a name are looked up."""
    reason: HostState
    """How the names stand."""
    message: str
    """What is to be said beside it; empty where there is nothing."""


class HostsDocument(Document):
    """`dittoinfra hosts --json`."""

    stack: str
    """Name of the stack."""
    hosts: tuple[Host, ...]
    """Ordered by name."""


class Value(Document):
    """One effective value, and where it comes from."""

    path: str
    """As in YAML, from the server's block on; for an adapter, from the settings of its Service on."""
    value: Any
    """The value; a secret is hidden."""
    origin: Origin
    """Who says so."""
    where: str | None
    """Path of the key that says so; null for a default, and for what the cluster says."""
    selector: str | None
    """What that selector selects by, in the words of `kubectl --selector`; null where there is none."""


class ExplainDocument(Document):
    """`dittoinfra explain --json`."""

    stack: str
    """Name of the stack."""
    server: str
    """Name of the server."""
    adapter: str | None
    """Type of the adapter; null where the whole server is explained."""
    values: tuple[Value, ...]
    """In reading order."""


def hosts_document(stack: str, records: Iterable[HostRecord]) -> HostsDocument:
    """The names of a stack."""
    hosts = (Host.model_validate(record, from_attributes=True) for record in records)
    return HostsDocument(stack=stack, hosts=tuple(hosts))


def explain_document(
    stack: str, server: str, adapter: str | None, explained: Iterable[Explained]
) -> ExplainDocument:
    """The values of a server, or of one of its adapters."""
    values = (Value.model_validate(each, from_attributes=True) for each in explained)
    return ExplainDocument(stack=stack, server=server, adapter=adapter, values=tuple(values))
