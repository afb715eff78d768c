"""Which host names the adapters of a run get, where they lead, and why some cannot be given. Pure."""

from collections.abc import Container, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from math import inf

from dittoinfra.decide.custom_kinds import HOST_MAPPING, CustomObject, KindDecision, host_mapping
from dittoinfra.decide.host_names import (
    MOST_ALIASES,
    HostState,
    InvalidHostNameError,
    as_read,
    believed,
    dns_annotations,
    host_name,
    host_states,
    remembered,
    vanished,
)
from dittoinfra.decide.refusals import NameFault, NameRefused
from dittoinfra.model import (
    DeclaredAdapter,
    HostNames,
    Located,
    NameMemory,
    Note,
    RememberedNames,
    StackDecision,
)
from dittoinfra.naming import adapter_resource, adapter_service, sanitize
from dittoinfra.object_model import LiveObjects, ObjectPlace
from dittoinfra.settings import DnsSettings, ServerSettings, TypeSettings, service_settings
from dittoinfra.settings.base import filled
from dittoinfra.state import synced_names

LiveServices = Mapping[str, Mapping[str, Located]]
"""What live Services say, by namespace and name; a namespace that could not be asked is not in it."""


@dataclass(frozen=True, slots=True)
class NamedAdapter:
    """An adapter's names, and the annotations of its Service for them."""

    names: HostNames
    annotations: Mapping[str, str]
    located: Located = field(default_factory=Located)
    """What its backend reads of the Service, as far as it was known before the run declared anything."""
    dns: DnsSettings = field(default_factory=DnsSettings)
    limit: float = inf
    """Runs in a row that must find its load balancer without an address, until a pinned one is given up."""


@dataclass(frozen=True, slots=True)
class NameDecision:
    """The names of a whole run, by adapter (server/type)."""

    adapters: Mapping[str, NamedAdapter] = field(default_factory=dict)
    refusals: tuple[NameRefused, ...] = ()

    @property
    def has_mappings(self) -> bool:
        """Whether some names are asked for by an object of their own."""
        return any(this.names.kind == "HostMapping" for this in self.adapters.values())

    def of(self, server: str) -> Mapping[str, NamedAdapter]:
        """The names of one server's adapters, by type."""
        return {this.names.type: this for this in self.adapters.values() if this.names.server == server}


@dataclass(frozen=True, slots=True)
class _AskedName:
    """One host name that an adapter's settings ask for."""

    setting: str
    name: str | None
    """In DNS form; None where it is invalid."""
    fault: str
    """What is wrong with it, if anything."""
    by_type: bool
    """Whether another adapter type would give another name."""


@dataclass(frozen=True, slots=True)
class _AskingAdapter:
    """An adapter whose settings ask for names."""

    server: ServerSettings
    adapter: DeclaredAdapter
    settings: TypeSettings
    dns: DnsSettings
    asked: tuple[_AskedName, ...]

    @property
    def resource(self) -> str:
        return adapter_resource(self.server.name, self.adapter.type)

    def refused(self, fault: NameFault, why: str) -> NameRefused:
        return NameRefused(self.resource, fault, why)


def decide_names(decision: StackDecision, servers: Sequence[ServerSettings]) -> NameDecision:
    """Names for every declared adapter whose settings ask for them, or everything that is wrong with them."""
    asking = [
        _AskingAdapter(
            server, adapter, settings, settings.dns, tuple(_asked(server, settings.dns, adapter.type))
        )
        for server in servers
        for adapter in decision.servers[server.name].adapters
        if (settings := service_settings(server, adapter.type)).dns is not None
    ]
    named = {this.resource: names for this in asking if (names := _named(this)) is not None}
    faults = [fault for this in asking for fault in _faults(this, named.get(this.resource))]
    return NameDecision(named, (*faults, *_taken(asking, dict(api_hosts(servers)))))


def asked_hosts(server: ServerSettings, adapter_type: str) -> Iterator[tuple[str, bool]]:
    """Host names that an adapter would have, each with whether its type is a part of it."""
    dns = service_settings(server, adapter_type).dns
    for asked in _asked(server, dns, adapter_type) if dns else ():
        if asked.name is not None:
            yield asked.name, asked.by_type


def impossible_host(server: ServerSettings, adapter_type: str) -> str | None:
    """What is wrong with an adapter's host names, where those of a plain type would be valid."""
    dns = service_settings(server, adapter_type).dns
    if dns is None:
        return None
    asked = tuple(_asked(server, dns, adapter_type))
    if not any(this.fault for this in asked):
        return None
    pairs = zip(asked, _asked(server, dns, "nfs"), strict=True)
    return next((this.fault for this, plain in pairs if this.fault and not plain.fault), None)


def api_hosts(servers: Sequence[ServerSettings]) -> Iterator[tuple[str, str]]:
    """Host names that are taken already because they lead to the servers' APIs, each with its owner."""
    for server in servers:
        route = server.deploy and (server.deploy.api.ingress or server.deploy.api.gateway)
        if route:
            yield route.host, f"the API of {server.name}"


def _asked(server: ServerSettings, dns: DnsSettings, adapter_type: str) -> Iterator[_AskedName]:
    # A type is written as in the Service's name: types are case-sensitive and may hold dots, names are not.
    values = {"server": server.name, "type": sanitize(adapter_type), "namespace": server.namespace}
    hostname = [("hostname", dns.hostname)] if dns.hostname else []
    for setting, template in (*hostname, *(("aliases", alias) for alias in dns.aliases)):
        text, by_type = filled(template, values), "{type}" in template
        try:
            yield _AskedName(setting, host_name(text), "", by_type)
        except InvalidHostNameError as error:
            yield _AskedName(setting, None, f"{text!r} {error}", by_type)


def _named(this: _AskingAdapter) -> NamedAdapter | None:
    hostname = next((asked.name for asked in this.asked if asked.setting == "hostname"), None)
    if hostname is None:
        return None
    names = HostNames(
        server=this.server.name,
        type=this.adapter.type,
        namespace=this.server.namespace,
        service=adapter_service(this.server.name, this.adapter.type),
        backend=this.dns.backend,
        hostname=hostname,
        aliases=tuple(asked.name for asked in this.asked if asked.setting == "aliases" and asked.name),
        ip=this.dns.ip,
        kind=this.dns.kind,
        pin=this.dns.pin,
    )
    limit = inf if this.server.removal == "never" else this.server.absence_polls
    return NamedAdapter(names, dns_annotations(names, this.dns), dns=this.dns, limit=limit)


def _faults(this: _AskingAdapter, named: NamedAdapter | None) -> Iterator[NameRefused]:
    if this.settings.type == "ClusterIP":
        yield this.refused(
            "InvalidServiceType",
            "its Service is a ClusterIP, which has no address outside the cluster; "
            "set its type to LoadBalancer or NodePort, or its dns to null",
        )
    if not this.dns.hostname:
        yield this.refused(
            "MissingHostname",
            "its dns gives no hostname; set dns.hostname, for instance to {type}.{server}.example.com, "
            "or its dns to null",
        )
    if this.settings.type == "NodePort" and this.dns.ip is None:
        yield this.refused(
            "MissingIPAddress",
            "its Service is a NodePort, which is found at every node; set dns.ip to the address to register",
        )
    for asked in this.asked:
        if asked.fault:
            yield this.refused("InvalidHostname", f"dns.{asked.setting} {asked.fault}")
    yield from _unread(this)
    # A pin writes an address that is not known yet, and not of a load balancer that has none.
    written = dns_annotations(named.names, this.dns, ("the address of the load balancer",)) if named else {}
    for key, value in written.items():
        if this.settings.annotations.get(key, value) != value:
            yield this.refused(
                "AnnotationTaken",
                f"annotation {key} is set to {this.settings.annotations[key]!r} and by dns to {value!r}; "
                "drop one of them",
            )


def _unread(this: _AskingAdapter) -> Iterator[NameRefused]:
    """Settings that what makes the names does not read, or does not take."""
    dns, mapping = this.dns, this.dns.kind == "HostMapping"
    router_hosts = dns.backend == "router-hosts"
    reader = ("a HostMapping" if mapping else "router-hosts") if router_hosts else "external-dns"
    unread = {
        "kind: HostMapping": (mapping and not router_hosts, "Service"),
        "ttl": (dns.ttl is not None and router_hosts, "null"),
        "annotationPrefix": (dns.annotation_prefix is not None and router_hosts, "null"),
        # An entry of router-hosts stays while a load balancer has no address.
        "pin": (dns.pin and router_hosts, "false"),
        "tags": (bool(dns.tags) and not (router_hosts and mapping), "[]"),
    }
    for setting, (said, without) in unread.items():
        if said:
            yield this.refused(
                "UnsupportedSetting",
                f"{reader} does not support dns.{setting}; drop it, or set it to {without} for this adapter",
            )
    if router_hosts and len(dns.aliases) > MOST_ALIASES:
        yield this.refused(
            "InvalidConfiguration",
            f"dns.aliases has {len(dns.aliases)} names, and router-hosts takes at most {MOST_ALIASES}: "
            "with more it neither makes nor changes the entry; drop some",
        )


def _taken(asking: Sequence[_AskingAdapter], owners: dict[str, str]) -> Iterator[NameRefused]:
    for this in asking:
        for name in (asked.name for asked in this.asked if asked.name is not None):
            if name not in owners:
                owners[name] = this.resource
                continue
            by = "this adapter itself" if owners[name] == this.resource else owners[name]
            yield this.refused(
                "HostnameTaken",
                f"{name} is claimed by {by} already; give every adapter names of its own, "
                "for instance with {server} and {type} in them",
            )


def unlocated_namespaces(names: NameDecision) -> tuple[str, ...]:
    """Namespaces whose Services must be read to know more of named adapters than the settings say."""
    asking = (this.names for this in names.adapters.values())
    return tuple(sorted({n.namespace for n in asking if n.ip is None or n.backend == "router-hosts"}))


def locate(
    names: NameDecision, live: LiveServices, memory: NameMemory, counted: Container[str] = ()
) -> NameDecision:
    """Add to the names what is known of them: from the live Services, or else from the state.

    `counted` are servers of which an earlier run of the same command has counted what it found.
    """

    def located(resource: str, this: NamedAdapter) -> NamedAdapter:
        told = memory.told.get(resource)
        service = _located(resource, this.names, live, memory)
        if this.names.kind == "HostMapping":
            # An entry that is noted on the Service is not one of the HostMapping.
            service = replace(service, registered=())
        seen = as_read(this.names, service)
        before = told.located.addresses if told is not None else ()
        if this.names.namespace not in live or (this.names.server in counted and vanished(seen, before)):
            known = remembered(this.names, seen, told)
        else:
            known = believed(this.names, seen, told, this.limit)
        written = dns_annotations(this.names, this.dns, known.addresses)
        return replace(this, annotations=written, located=known)

    return replace(names, adapters={name: located(name, this) for name, this in names.adapters.items()})


def host_mappings(names: NameDecision) -> Iterator[CustomObject]:
    """The objects that ask for names; one that has no address yet cannot be declared."""
    for this in names.adapters.values():
        if this.names.kind == "HostMapping" and this.located.addresses:
            yield host_mapping(this.names.server, this.names.type)


def with_evidence(
    names: NameDecision, kinds: KindDecision, objects: LiveObjects, memory: NameMemory
) -> NameDecision:
    """Add to the names what their HostMappings say, and leave out those that the cluster has no kind for."""

    def seen(resource: str, this: NamedAdapter) -> NamedAdapter:
        if this.names.kind != "HostMapping":
            return this
        told = memory.told.get(resource)
        place = mapping_place(this.names)
        live = objects.get(place)
        if live is not None:
            made = synced_names(live.content)
        else:
            made = () if place in objects or told is None else told.located.registered
        registered = tuple(name for name in this.names.all if name in made)
        return replace(this, located=replace(this.located, registered=registered))

    return replace(
        names,
        adapters={
            name: seen(name, this)
            for name, this in names.adapters.items()
            if kinds.declares(host_mapping(this.names.server, this.names.type))
        },
    )


def mapping_place(names: HostNames) -> ObjectPlace:
    """Where the HostMapping of an adapter's names is."""
    kind = HOST_MAPPING
    return ObjectPlace(kind.api_version, kind.kind, names.namespace, names.service)


_REPEATED_STATES = HostState.PENDING, HostState.PINNED
"""What each run says again, because it should end."""


def name_notes(names: NameDecision, memory: NameMemory) -> Iterator[Note]:
    """What changed about the names since the last run; nothing for names of which the same is known."""
    for resource, this in names.adapters.items():
        before = _previous_states(this, memory.told.get(resource))
        news: dict[HostState, list[str]] = {}
        for name, state in host_states(this.names, this.located).items():
            if state in _REPEATED_STATES or before.get(name) is not state:
                news.setdefault(state, []).append(name)
        for state, some in news.items():
            yield _note(state, some, this.names, _known(state, this, memory.told.get(resource)))
    kept = {name for this in names.adapters.values() for name in this.names.all}
    for told in memory.told.values():
        gone = [name for name in told.names.all if name not in kept]
        if gone and told.requested:
            text = f"no longer asked for; its removal is up to {told.names.backend}"
            yield _note("HostDeleted", gone, told.names, text)


def _known(state: HostState, this: NamedAdapter, told: RememberedNames | None) -> str:
    names, addresses = this.names, ", ".join(this.located.addresses)
    if state is HostState.PENDING:
        what = "IP address" if names.backend == "router-hosts" else "address"
        describe = f"kubectl -n {names.namespace} describe service {names.service}"
        kept = told.located.addresses if told is not None and names.keeps_address else ()
        given_up = f", so that {', '.join(kept)} is no longer asked for" if kept else ""
        return f"its load balancer has no {what} that is known{given_up}; see `{describe}`, or set dns.ip"
    if state is HostState.PINNED:
        lost = this.located.blanks
        runs = f"run {max(lost.values())}" + ("" if this.limit == inf else f" of {this.limit}")
        what = "no address" if len(lost) == len(this.located.addresses) else f"lost {', '.join(lost)}"
        return f"its load balancer has {what}, {runs}; {names.backend} stays asked to lead it to {addresses}"
    if state is HostState.REGISTERED:
        return f"{names.backend} has an entry for it, and is asked to lead it to {addresses}"
    return f"{names.backend} is asked to lead it to {addresses}"


def _located(resource: str, names: HostNames, live: LiveServices, memory: NameMemory) -> Located:
    if names.namespace in live:
        return live[names.namespace].get(names.service, Located())
    return located_before(resource, memory)


def located_before(resource: str, memory: NameMemory) -> Located:
    """What the state knows of an adapter's Service."""
    noted = memory.services.get(resource, Located())
    told = memory.told[resource].located if resource in memory.told else Located()
    # The state learns of a Service at updates and refreshes only; what was told earlier was correct then.
    return Located(noted.addresses or told.addresses, noted.registered or told.registered)


def _previous_states(this: NamedAdapter, told: RememberedNames | None) -> Mapping[str, HostState]:
    """The states of the names as last reported, if their addresses are still the same."""
    if told is None or told.names.backend != this.names.backend:
        return {}
    return host_states(told.names, told.located) if told.located.addresses == this.located.addresses else {}


def _note(reason: str, some: Sequence[str], names: HostNames, text: str) -> Note:
    return Note(names.server, f"{reason}: {', '.join(some)} ({names.type}): {text}")
