"""Which names the adapters of a run get, and why some cannot. Pure."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field

from dittoinfra.decide.dns_annotations import dns_annotations, unsupported
from dittoinfra.decide.host_names import InvalidHostNameError, host_name
from dittoinfra.decide.refusals import NameFault, NameRefused
from dittoinfra.model import Addresses, DeclaredAdapter, HostNames, StackDecision
from dittoinfra.naming import adapter_resource, adapter_service, sanitize
from dittoinfra.settings import DnsSettings, ServerSettings, TypeSettings, service_settings
from dittoinfra.settings.dns import filled


@dataclass(frozen=True, slots=True)
class NamedAdapter:
    """An adapter's names, and how its Service carries them."""

    names: HostNames
    annotations: Mapping[str, str]
    addresses: Addresses = ()
    """Where the Service is found, as far as it was known before the run declared anything."""


@dataclass(frozen=True, slots=True)
class NameDecision:
    """The names of a whole run, by adapter (server/type)."""

    adapters: Mapping[str, NamedAdapter] = field(default_factory=dict)
    refusals: tuple[NameRefused, ...] = ()

    def of(self, server: str) -> Mapping[str, NamedAdapter]:
        """The names of one server's adapters, by type."""
        return {this.names.type: this for this in self.adapters.values() if this.names.server == server}


@dataclass(frozen=True, slots=True)
class _Wish:
    """One adapter whose settings ask for names, and those of the names that can be had."""

    server: ServerSettings
    adapter: DeclaredAdapter
    settings: TypeSettings
    dns: DnsSettings
    hostname: str | None
    aliases: tuple[str, ...]
    faults: tuple[str, ...]
    """What is wrong with the names that cannot be had."""

    @property
    def resource(self) -> str:
        return adapter_resource(self.server.name, self.adapter.type)

    def refused(self, fault: NameFault, why: str) -> NameRefused:
        return NameRefused(self.resource, fault, why)


def decide_names(decision: StackDecision, servers: Sequence[ServerSettings]) -> NameDecision:
    """Names for every declared adapter whose settings ask for them, or everything that is wrong with them."""
    wishes = [
        _wish(server, adapter, settings, settings.dns)
        for server in servers
        for adapter in decision.servers[server.name].adapters
        if (settings := service_settings(server, adapter.type)).dns is not None
    ]
    named = {wish.resource: this for wish in wishes if (this := _named(wish)) is not None}
    faults = [fault for wish in wishes for fault in _faults(wish, named.get(wish.resource))]
    return NameDecision(named, (*faults, *_taken(wishes, dict(_routes(servers)))))


def _wish(
    server: ServerSettings, adapter: DeclaredAdapter, settings: TypeSettings, dns: DnsSettings
) -> _Wish:
    # A type is written as in the Service's name: types are case-sensitive and may hold dots, names are not.
    values = {"server": server.name, "type": sanitize(adapter.type), "namespace": server.namespace}
    faults: list[str] = []

    def read(key: str, template: str) -> str | None:
        text = filled(template, values)
        try:
            return host_name(text)
        except InvalidHostNameError as error:
            faults.append(f"dns.{key} {text!r} {error}")
            return None

    hostname = read("hostname", dns.hostname) if dns.hostname else None
    aliases = [read("aliases", alias) for alias in dns.aliases]
    return _Wish(server, adapter, settings, dns, hostname, tuple(filter(None, aliases)), tuple(faults))


def _named(wish: _Wish) -> NamedAdapter | None:
    if wish.hostname is None:
        return None
    names = HostNames(
        server=wish.server.name,
        type=wish.adapter.type,
        namespace=wish.server.namespace,
        service=adapter_service(wish.server.name, wish.adapter.type),
        backend=wish.dns.backend,
        hostname=wish.hostname,
        aliases=wish.aliases,
        ip=wish.dns.ip,
        grace_period=wish.dns.grace_period,
    )
    return NamedAdapter(names, dns_annotations(names, wish.dns))


def _faults(wish: _Wish, named: NamedAdapter | None) -> Iterator[NameRefused]:
    if wish.settings.type == "ClusterIP":
        yield wish.refused(
            NameFault.INVALID_SERVICE_TYPE,
            "its Service is a ClusterIP, which has no address outside the cluster; "
            "set its type to LoadBalancer or NodePort, or its dns to null",
        )
    if not wish.dns.hostname:
        yield wish.refused(
            NameFault.MISSING_HOSTNAME,
            "its dns gives no hostname; set dns.hostname, for instance to {type}.{server}.example.com, "
            "or its dns to null",
        )
    if wish.settings.type == "NodePort" and wish.dns.ip is None:
        yield wish.refused(
            NameFault.MISSING_IP_ADDRESS,
            "its Service is a NodePort, which is found at every node; set dns.ip to the address to register",
        )
    for why in wish.faults:
        yield wish.refused(NameFault.INVALID_HOSTNAME, why)
    for key in unsupported(wish.dns):
        yield wish.refused(
            NameFault.UNSUPPORTED_SETTING,
            f"{wish.dns.backend} has no word for dns.{key}; drop it, or set it to null for this adapter",
        )
    for key, value in named.annotations.items() if named else ():
        if wish.settings.annotations.get(key, value) != value:
            yield wish.refused(
                NameFault.ANNOTATION_TAKEN,
                f"annotation {key} is set to {wish.settings.annotations[key]!r} and by dns to {value!r}; "
                "drop one of them",
            )


def _routes(servers: Sequence[ServerSettings]) -> Iterator[tuple[str, str]]:
    """Host names that lead to the servers' APIs, which are somebody's already."""
    for server in servers:
        route = server.deploy and (server.deploy.api.ingress or server.deploy.api.gateway)
        if route:
            yield route.host, f"the API of {server.name}"


def _taken(wishes: Sequence[_Wish], owners: dict[str, str]) -> Iterator[NameRefused]:
    for wish in wishes:
        for name in filter(None, (wish.hostname, *wish.aliases)):
            if name not in owners:
                owners[name] = wish.resource
                continue
            by = "this adapter itself" if owners[name] == wish.resource else owners[name]
            yield wish.refused(
                NameFault.HOSTNAME_TAKEN,
                f"{name} is claimed by {by} already; give every adapter names of its own, "
                "for instance with {server} and {type} in them",
            )
