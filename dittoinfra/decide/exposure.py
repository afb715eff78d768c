"""Which ports Services and containers have, and which network policies allow access to them. Pure."""

from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Literal, TypeVar

from dittoinfra.model import DeclaredAdapter, State
from dittoinfra.naming import port_name, port_text
from dittoinfra.settings import Deploy, Peer, ServerSettings, TypeSettings
from dittoinfra.settings.adapter_settings import PORTMAPPER_PORT

Protocol = Literal["TCP", "UDP"]

_EXTRAS: Mapping[str, frozenset[str]] = {
    "nfs": frozenset({"portmapper", "udp", "mdns"}),
    "smb": frozenset({"mdns", "ws_discovery"}),
}
"""Extra protocols that a type supports, which are also the ones that the operator exposes for it."""

_EXTRAS_OF_OTHERS = frozenset({"udp", "mdns"})

PORTMAPPER_TARGET = 10111
"""Where the server's portmapper listens unless an administrator moves it."""

_OWN_PORTS = frozenset({"api", "metrics"})
"""Names of the server's own ports; no adapter's can be one of them."""


@dataclass(frozen=True, slots=True)
class ServicePort:
    """A port of a Service and its target: a number, or the port of that name in each Pod."""

    name: str
    port: int
    target: int | str
    protocol: Protocol


@dataclass(frozen=True, slots=True)
class ContainerPort:
    """A port of the server's container."""

    name: str
    port: int
    protocol: Protocol


_AnyPort = TypeVar("_AnyPort", ServicePort, ContainerPort)
_Exposed = tuple[ServicePort, ContainerPort]
"""One port on its way from the client to the container."""


def service_ports(adapter: DeclaredAdapter, settings: TypeSettings) -> tuple[ServicePort, ...]:
    """Ports of an adapter's Service, the data port first; each name and each number is used once."""
    exposed = (_data(adapter, settings), *_extras(adapter, settings))
    return tuple(_claimed((service for service, _ in exposed), set()))


def split_ports(adapter: DeclaredAdapter, settings: TypeSettings) -> tuple[ServicePort, ...]:
    """Ports of an adapter's second Service, which has the UDP ports where `splitUdp` is set."""
    ports = service_ports(adapter, settings) if settings.split_udp else ()
    return tuple(port for port in ports if port.protocol == "UDP")


def container_ports(
    adapters: Sequence[DeclaredAdapter], settings: Mapping[str, TypeSettings], deploy: Deploy | None
) -> tuple[ContainerPort, ...]:
    """Ports of the server's container: its own, then every adapter's data port, then the extras.

    A port number belongs to one name, even while two adapters have it: one that is kept and one that took its
    port over. The choice of the name does not depend on absence counts, or counting would restart Pods.
    """
    own = []
    if deploy is not None:
        own.append(ContainerPort("api", deploy.api.port, "TCP"))
        if deploy.metrics.enabled:
            own.append(ContainerPort("metrics", deploy.metrics.port, "TCP"))
    pinned_first = sorted(adapters, key=lambda a: (a.state is not State.PINNED, a.type))
    data = (_data(adapter, settings[adapter.type])[1] for adapter in pinned_first)
    extras = (port for adapter in adapters for _, port in _extras(adapter, settings[adapter.type]))
    taken: set[object] = set()
    return (
        *_claimed(own, taken),
        *sorted(_claimed(data, taken), key=lambda port: port.name),
        *_claimed(extras, taken),
    )


def template_ports(ports: Sequence[ContainerPort], deploy: Deploy) -> tuple[ContainerPort, ...]:
    """Ports in the Pod's template; where it is frozen, only ports that no change of adapters can affect."""
    return tuple(port for port in ports if port.name in _OWN_PORTS or not deploy.freeze_ports)


def unnamed_by_others(ports: Sequence[ContainerPort], live: Collection[str]) -> tuple[ContainerPort, ...]:
    """The ports that a container does not have yet under another name, which its manager keeps.

    `live` are its ports as `naming.port_text` spells them.
    """
    named = {text.rpartition("=")[2]: text for text in live}
    return tuple(
        port
        for port in ports
        if (text := port_text(port.name, port.port, port.protocol))
        == named.get(text.rpartition("=")[2], text)
    )


def headless_ports(
    ports: Sequence[ContainerPort], adapters: Sequence[DeclaredAdapter], deploy: Deploy
) -> tuple[ServicePort, ...]:
    """Ports of the headless Service: the API and every adapter's data port.

    They target names, which follow the Pod; a port that the Pod's template does not name targets its number.
    """
    wanted = {"api", *(_data_name(adapter) for adapter in adapters)}
    named = template_ports(ports, deploy)
    return tuple(
        ServicePort(port.name, port.port, port.name if port in named else port.port, port.protocol)
        for port in ports
        if port.name in wanted
    )


def exposes_portmapper(adapter: DeclaredAdapter, settings: TypeSettings) -> bool:
    """Whether clients can ask the server's portmapper on an adapter's Service."""
    return "portmapper" in _wanted_extras(adapter.type, settings)


def _data_name(adapter: DeclaredAdapter) -> str:
    return port_name(f"adapter-{adapter.type}")


def _data(adapter: DeclaredAdapter, settings: TypeSettings) -> _Exposed:
    number = settings.service_port or adapter.port
    return _exposed(_data_name(adapter), number, _data_name(adapter), adapter.port, "TCP")


def _extras(adapter: DeclaredAdapter, settings: TypeSettings) -> Iterator[_Exposed]:
    extras = _wanted_extras(adapter.type, settings)
    if "portmapper" in extras:
        yield _exposed("portmap", PORTMAPPER_PORT, "adapter-nfs-pm", PORTMAPPER_TARGET, "TCP")
        yield _exposed("portmap-udp", PORTMAPPER_PORT, "adapter-pm-udp", PORTMAPPER_TARGET, "UDP")
    if "udp" in extras:
        name = port_name(f"adapter-{adapter.type}-udp")
        yield _exposed(name, settings.service_port or adapter.port, name, adapter.port, "UDP")
    if "mdns" in extras:
        yield _exposed("mdns", 5353, "adapter-mdns", 5353, "UDP")
    if "ws_discovery" in extras:
        yield _exposed("wsd", 3702, "adapter-wsd", 3702, "UDP")
        yield _exposed("wsd-meta", 5357, "adapter-wsdmeta", 5357, "TCP")


def _exposed(
    service_name: str, service_port: int, container_name: str, container_port: int, protocol: Protocol
) -> _Exposed:
    return (
        ServicePort(service_name, service_port, container_port, protocol),
        ContainerPort(container_name, container_port, protocol),
    )


def _claimed(ports: Iterable[_AnyPort], taken: set[object]) -> list[_AnyPort]:
    """The ports whose name and number are not taken yet."""
    claimed = []
    for port in ports:
        keys = {port.name, (port.port, port.protocol)}
        if taken.isdisjoint(keys):
            taken |= keys
            claimed.append(port)
    return claimed


def _wanted_extras(adapter_type: str, settings: TypeSettings) -> set[str]:
    preset = _EXTRAS.get(adapter_type, frozenset()) if settings.preset == "operator" else frozenset()
    asked = {name: name in preset if choice is None else choice for name, choice in settings.extras}
    supported = _EXTRAS.get(adapter_type, _EXTRAS_OF_OTHERS)
    return {name for name, wanted in asked.items() if wanted} & supported


@dataclass(frozen=True, slots=True)
class PolicyPort:
    """A port of the Pod: policies apply behind the Service, after its own port is translated."""

    port: int | str
    protocol: Protocol


@dataclass(frozen=True, slots=True)
class IngressRule:
    """Who may connect to which ports."""

    ports: tuple[PolicyPort, ...]
    peers: tuple[Peer, ...]
    """Empty allows every source."""


Ingress = tuple[IngressRule, ...]
"""The rules of a policy; without any rule it allows nothing."""


def adapter_ingress(
    server: ServerSettings, adapter: DeclaredAdapter, settings: TypeSettings
) -> Ingress | None:
    """What an adapter's policy allows: the ports that its Services expose; None where there is no policy."""
    if server.network_policy.mode == "disabled":
        return None
    ports = (PolicyPort(port.target, port.protocol) for port in service_ports(adapter, settings))
    return (_rule(server, ports, settings.network_policy_from),)


def baseline_ingress(server: ServerSettings) -> Ingress | None:
    """What is allowed whatever the adapters are; None where there is no such policy."""
    if server.network_policy.mode == "disabled":
        return None
    return tuple(_baseline_rules(server)) or None


def default_deny(server: ServerSettings) -> bool:
    """Whether a separate policy denies what no other one allows."""
    return server.network_policy.mode == "defaultDeny"


def _baseline_rules(server: ServerSettings) -> Iterator[IngressRule]:
    deploy = server.deploy
    if deploy is not None:
        yield _rule(server, [PolicyPort(deploy.api.port, "TCP")], deploy.api.network_policy_from)
        if deploy.metrics.enabled:
            yield _rule(server, [PolicyPort(deploy.metrics.port, "TCP")], deploy.metrics.network_policy_from)
    if server.network_policy.ports:
        yield _rule(server, (PolicyPort(port, "TCP") for port in server.network_policy.ports), None)


def _rule(server: ServerSettings, ports: Iterable[PolicyPort], peers: Sequence[Peer] | None) -> IngressRule:
    nearest = server.network_policy.from_ if peers is None else peers
    # Two ports of a Service may target one port of the Pod, and the API rejects duplicate ports.
    return IngressRule(tuple(dict.fromkeys(ports)), tuple(nearest))
