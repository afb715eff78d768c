"""What has to be checked of a stack's adapters, and what the cluster's objects say of them. Pure."""

from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass
from ipaddress import ip_address
from typing import Any

from dittoinfra.decide.host_names import is_ip_address
from dittoinfra.decide.host_records import Unresolved, known_addresses
from dittoinfra.model import Addresses, HostNames
from dittoinfra.naming import adapter_resource, labels_text, port_name, selector, udp_resource
from dittoinfra.nested_values import block, text
from dittoinfra.object_model import HeldObject, ObjectPlace
from dittoinfra.reports.verify_document import At, Hop, HopName
from dittoinfra.state import Memory, ingress_addresses
from dittoinfra.verify.probe_outcomes import ExpectedProtocol, ProbedPort

_SPEAKS = {
    "adapter-nfs": ExpectedProtocol.NFS,
    "adapter-nfs-udp": ExpectedProtocol.MOUNT,
    "adapter-smb": ExpectedProtocol.SMB,
    "portmap": ExpectedProtocol.PORTMAPPER,
    "portmap-udp": ExpectedProtocol.PORTMAPPER,
}
"""What is expected at a port of a Service, by its name."""


@dataclass(frozen=True, slots=True)
class Target:
    """An adapter that a stack holds."""

    stack: str
    server: str
    type: str
    port: int | None
    """Where it listens, as far as the stack remembers."""
    service: ObjectPlace | None
    """None where the stack holds no Service of it."""
    udp_service: ObjectPlace | None = None
    """Where UDP ports are split off."""
    names: HostNames | None = None
    policy: str | None = None
    """The network policy in front of it, where the stack declares one."""

    @property
    def listens(self) -> str:
        """How to find out where the server listens."""
        return f"compare with the port that the server says: `dittoinfra adapters {self.stack}`"


@dataclass(frozen=True, slots=True)
class Backend:
    """A ready Pod behind a Service."""

    pod: str
    node: str | None
    ports: Mapping[str, int]
    """Where each port of the Service leads, by name."""


def targets(stack: str, memory: Memory) -> tuple[Target, ...]:
    """Every adapter that the state of a stack holds."""
    return tuple(
        _target(stack, server, adapter_type, memory)
        for server, adapters in sorted(memory.adapters.items())
        for adapter_type in sorted(adapters)
    )


def _target(stack: str, server: str, adapter_type: str, memory: Memory) -> Target:
    name = adapter_resource(server, adapter_type)
    policy = memory.objects.get(HeldObject("networking.k8s.io/v1", "NetworkPolicy", name))
    told = memory.names.told.get(name)
    return Target(
        stack=stack,
        server=server,
        type=adapter_type,
        port=memory.adapters[server][adapter_type].port,
        service=memory.objects.get(HeldObject("v1", "Service", name)),
        udp_service=memory.objects.get(HeldObject("v1", "Service", udp_resource(name))),
        names=told.names if told is not None else None,
        policy=policy.name if policy is not None else None,
    )


def service_hop(target: Target, place: ObjectPlace, live: Mapping[str, Any] | None) -> Hop:
    """Whether a Service is as the stack declared it, as far as clients depend on that."""
    at = At("inside", HopName.SERVICE, str(place))
    again = f"`dittoinfra up {target.stack}`"
    if live is None:
        return at.failed("is not in the cluster", f"{again} makes it again")
    if "deletionTimestamp" in block(live, "metadata"):
        finalizers = ", ".join(block(live, "metadata").get("finalizers") or ()) or "its finalizers"
        return at.failed("is being deleted", f"see what holds it: {finalizers}")
    selects, wanted = labels_text(block(live, "spec", "selector")), labels_text(selector(target.server))
    if selects != wanted:
        return at.failed(f"selects {selects}, and the server's Pods have {wanted}", f"{again} corrects it")
    data = _data_ports(target.type)
    ports = [port for port in _ports(live) if port.get("name") in data]
    if not ports:
        return at.failed(f"has no port {data[0]}", f"{again} adds it")
    for port in ports:
        name, leads = port.get("name"), port.get("targetPort")
        if target.port is not None and leads != target.port:
            text = f"its port {name} leads to {leads}, and the stack declared {target.port}"
            return at.failed(text, f"{again} corrects it")
    led = ", ".join(
        f"{port.get('port')}/{port.get('protocol')} to {port.get('targetPort')}" for port in ports
    )
    return at.passed(f"{service_type(live)}, selects the server's Pods, leads {led}")


def _data_ports(adapter_type: str) -> tuple[str, str]:
    """Names of an adapter's data port, in TCP and in UDP."""
    return port_name(f"adapter-{adapter_type}"), port_name(f"adapter-{adapter_type}-udp")


def service_type(live: Mapping[str, Any]) -> str:
    """The type of a Service."""
    return text(block(live, "spec"), "type") or "ClusterIP"


def pods_hop(
    target: Target, place: ObjectPlace, slices: Sequence[Mapping[str, Any]]
) -> tuple[Hop, Backend | None]:
    """Whether a ready Pod is behind a Service, and which one is used of several: always the same."""
    at = At("inside", HopName.PODS, str(place))
    endpoints = [
        (str(pod["name"]), endpoint, part)
        for part in slices
        for endpoint in part.get("endpoints") or ()
        if (pod := endpoint.get("targetRef") or {}).get("kind") == "Pod"
    ]
    kubectl = f"kubectl --namespace {place.namespace}"
    if not endpoints:
        labels = labels_text(selector(target.server))
        listed = f"`{kubectl} get statefulsets,pods --selector {labels}`"
        return at.failed(f"there is no Pod with {labels}", f"see that the server runs: {listed}"), None
    # Unknown counts as ready, says the API.
    ready = [each for each in endpoints if (each[1].get("conditions") or {}).get("ready") is not False]
    names = sorted({name for name, *_ in ready or endpoints})
    if not ready:
        why = f"see why: `{kubectl} describe pod {names[0]}`"
        return at.failed(f"no Pod behind it is ready: {', '.join(names)}", why), None
    pod, endpoint, part = min(ready, key=lambda each: each[0])
    ports = {
        str(port.get("name") or ""): port["port"] for port in part.get("ports") or () if port.get("port")
    }
    return at.passed(f"ready behind it: {', '.join(names)}"), Backend(pod, text(endpoint, "nodeName"), ports)


def probed_ports(live: Mapping[str, Any]) -> tuple[ProbedPort, ...]:
    """Every port of a Service, and what is expected behind it."""
    return tuple(
        ProbedPort(
            name=(name := text(port, "name") or ""),
            number=int(port["port"]),
            protocol="UDP" if port.get("protocol") == "UDP" else "TCP",
            speaks=_SPEAKS.get(name, ExpectedProtocol.ANYTHING),
            node_port=port.get("nodePort"),
        )
        for port in _ports(live)
    )


def gates(policies: Collection[str], live: Mapping[str, Any]) -> tuple[str, ...]:
    """What may keep a machine out of a Service, each as the end of `see that …`."""
    ranges = block(live, "spec").get("loadBalancerSourceRanges") or ()
    found = []
    if ranges:
        found.append(f"sourceRanges ({', '.join(map(str, ranges))}) include this machine")
    found += (f"NetworkPolicy {policy} lets it in" for policy in policies)
    return tuple(found)


def node_addresses(node: Mapping[str, Any]) -> Addresses:
    """Where a node is reached: from outside where it says so, or else from its own network."""
    given = block(node, "status").get("addresses") or ()
    for kind in ("ExternalIP", "InternalIP"):
        if found := tuple(str(each["address"]) for each in given if each.get("type") == kind):
            return found
    return ()


def address_hops(
    place: ObjectPlace, live: Mapping[str, Any], expected: Mapping[str, Addresses | Unresolved]
) -> Iterator[Hop]:
    """Whether a Service has addresses; `expected` are those, and what each resolves to."""
    at = At("outside", HopName.ADDRESS, str(place))
    if service_type(live) == "LoadBalancer" and not ingress_addresses(live):
        described = f"`kubectl --namespace {place.namespace} describe service {place.name}`"
        yield at.failed("the load balancer has given no address yet", f"see what it waits for: {described}")
    for address, led in expected.items():
        if isinstance(led, Unresolved):
            why = f"{address} does not resolve on this machine: {led.why}"
            yield at.failed(why, "see that this machine's resolver knows it")
        else:
            yield at.passed(f"is found at {address}")


def name_hops(
    names: HostNames,
    stack: str,
    expected: Mapping[str, Addresses | Unresolved],
    found: Mapping[str, Addresses | Unresolved],
) -> Iterator[Hop]:
    """Whether each name leads to its Service.

    `expected` are the Service's addresses and what each resolves to; `found` has the same of the names.
    """
    right = {_canonical(each) for led in expected.values() for each in known_addresses(led)}
    # Those of a load balancer that is known by its name only may differ from one lookup to the next.
    fixed = all(map(is_ip_address, expected))
    known = f"see that {names.backend} runs, and what is known of the name: `dittoinfra hosts {stack}`"
    for name in names.all:
        at, led = At("outside", HopName.NAME, name), found[name]
        if isinstance(led, Unresolved):
            yield at.failed(f"does not resolve on this machine: {led.why}", known)
            continue
        here = set(map(_canonical, led))
        text = f"leads to {', '.join(sorted(here))}"
        if not right:
            yield at.skipped(f"{text}, and the Service has no address to compare with")
        elif (fixed and here - right) or not here & right:
            yield at.failed(f"{text}, and the Service is at {', '.join(sorted(right))}", known)
        else:
            yield at.passed(text)


def _canonical(address: str) -> str:
    return str(ip_address(address)) if is_ip_address(address) else address


def _ports(live: Mapping[str, Any]) -> Sequence[Mapping[str, Any]]:
    ports = block(live, "spec").get("ports")
    return ports if isinstance(ports, list) else ()
