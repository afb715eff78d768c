"""Which ports an adapter's Service, a server's container and its headless Service carry. Pure."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import chain
from typing import Literal, Self

from dittoinfra.model import DeclaredAdapter, State
from dittoinfra.naming import port_name
from dittoinfra.settings import Deploy, TypeSettings
from dittoinfra.settings.adapters import PORTMAPPER_PORT
from dittoinfra.settings.base import Port, ServicePortName, TargetPort

Protocol = Literal["TCP", "UDP"]

_SPOKEN: Mapping[str, frozenset[str]] = {
    "nfs": frozenset({"portmapper", "udp", "mdns"}),
    "smb": frozenset({"mdns", "ws_discovery"}),
}
"""Extras that a type can speak, which are also those that the operator exposes for it."""

_SPOKEN_BY_OTHERS = frozenset({"udp", "mdns"})

_OWN_PORTS = frozenset({"api", "metrics"})
"""Names of the server's own ports; no adapter's can be one of them."""


@dataclass(frozen=True, slots=True)
class ServicePort:
    """A port of a Service and where it leads: to a number, or to the port of that name in each Pod."""

    name: ServicePortName
    port: Port
    target: TargetPort
    protocol: Protocol

    @classmethod
    def named(cls, name: str, port: int, protocol: Protocol = "TCP") -> Self:
        """A port that leads to the container port of its own name, whatever number that one has."""
        return cls(name, port, name, protocol)


@dataclass(frozen=True, slots=True)
class ContainerPort:
    """A port of the server's container."""

    name: str
    port: int
    protocol: Protocol


@dataclass(frozen=True, slots=True)
class _Exposed:
    """One port on its way from the client to the container."""

    service_name: str
    service_port: int
    container_name: str
    container_port: int
    protocol: Protocol


def service_ports(adapter: DeclaredAdapter, settings: TypeSettings) -> tuple[ServicePort, ...]:
    """Ports of an adapter's Service, the data port first; a name or number is taken once."""
    numbers: set[tuple[int, Protocol]] = set()
    ports: dict[str, ServicePort] = {}
    for exposed in chain([_data(adapter, settings)], _extras(adapter, settings)):
        name, number, protocol = exposed.service_name, exposed.service_port, exposed.protocol
        if name not in ports and (number, protocol) not in numbers:
            ports[name] = ServicePort(name, number, exposed.container_port, protocol)
            numbers.add((number, protocol))
    return tuple(ports.values())


def container_ports(
    adapters: Sequence[DeclaredAdapter],
    settings: Mapping[str, TypeSettings],
    deploy: Deploy | None,
) -> tuple[ContainerPort, ...]:
    """Ports of the server's container: its own, then every adapter's data port, then the extras.

    A port number belongs to one name, even while two adapters have it: one that is kept and one that took its
    port over. Whose name it is depends on nothing that is counted, or counting would restart Pods.
    """
    claims: dict[tuple[int, Protocol], ContainerPort] = {}
    names: set[str] = set()

    def claim(name: str, number: int, protocol: Protocol) -> None:
        if name not in names and (number, protocol) not in claims:
            claims[number, protocol] = ContainerPort(name, number, protocol)
            names.add(name)

    if deploy is not None:
        claim("api", deploy.api.port, "TCP")
        if deploy.metrics.enabled:
            claim("metrics", deploy.metrics.port, "TCP")
    own = len(claims)
    for adapter in sorted(adapters, key=_claim_order):
        data = _data(adapter, settings[adapter.type])
        claim(data.container_name, data.container_port, data.protocol)
    data_ports = sorted(list(claims.values())[own:], key=lambda port: port.name)
    for adapter in adapters:
        for extra in _extras(adapter, settings[adapter.type]):
            claim(extra.container_name, extra.container_port, extra.protocol)
    ports = list(claims.values())
    return (*ports[:own], *data_ports, *ports[own + len(data_ports) :])


def template_ports(ports: Sequence[ContainerPort], deploy: Deploy) -> tuple[ContainerPort, ...]:
    """Ports that the Pod's template carries; frozen, only those that no change of adapters can touch."""
    return tuple(port for port in ports if port.name in _OWN_PORTS or not deploy.freeze_ports)


def headless_ports(
    ports: Sequence[ContainerPort], adapters: Sequence[DeclaredAdapter], deploy: Deploy
) -> tuple[ServicePort, ...]:
    """Ports of the headless Service: the API and every adapter's data port.

    They lead to names, which move with the Pod; a port that the Pod's template does not name, to its number.
    """
    wanted = {"api", *(_data_name(adapter) for adapter in adapters)}
    named = template_ports(ports, deploy)
    return tuple(
        ServicePort(port.name, port.port, port.name if port in named else port.port, port.protocol)
        for port in ports
        if port.name in wanted
    )


def _claim_order(adapter: DeclaredAdapter) -> tuple[bool, str]:
    return adapter.state is not State.PINNED, adapter.type


def _data_name(adapter: DeclaredAdapter) -> str:
    return port_name(f"adapter-{adapter.type}")


def _data(adapter: DeclaredAdapter, settings: TypeSettings) -> _Exposed:
    name = _data_name(adapter)
    return _Exposed(name, settings.service_port or adapter.port, name, adapter.port, "TCP")


def _extras(adapter: DeclaredAdapter, settings: TypeSettings) -> Iterator[_Exposed]:
    extras = _wanted_extras(adapter.type, settings)
    if "portmapper" in extras:
        yield _Exposed("portmap", PORTMAPPER_PORT, "adapter-nfs-pm", 10111, "TCP")
        yield _Exposed("portmap-udp", PORTMAPPER_PORT, "adapter-pm-udp", 10111, "UDP")
    if "udp" in extras:
        name = port_name(f"adapter-{adapter.type}-udp")
        yield replace(_data(adapter, settings), service_name=name, container_name=name, protocol="UDP")
    if "mdns" in extras:
        yield _Exposed("mdns", 5353, "adapter-mdns", 5353, "UDP")
    if "ws_discovery" in extras:
        yield _Exposed("wsd", 3702, "adapter-wsd", 3702, "UDP")
        yield _Exposed("wsd-meta", 5357, "adapter-wsdmeta", 5357, "TCP")


def _wanted_extras(adapter_type: str, settings: TypeSettings) -> set[str]:
    preset = _SPOKEN.get(adapter_type, frozenset()) if settings.preset == "operator" else frozenset()
    asked = {name: name in preset if choice is None else choice for name, choice in settings.extras}
    spoken = _SPOKEN.get(adapter_type, _SPOKEN_BY_OTHERS)
    return {name for name, wanted in asked.items() if wanted} & spoken
