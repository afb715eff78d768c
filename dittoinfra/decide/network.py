"""Which network policies a server has, and what each lets in. Pure."""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass

from dittoinfra.decide.exposure import Protocol, service_ports
from dittoinfra.model import DeclaredAdapter
from dittoinfra.settings import Peer, ServerSettings, TypeSettings


@dataclass(frozen=True, slots=True)
class PolicyPort:
    """A port of the Pod: policies are applied behind the Service, whose own number is gone by then."""

    port: int | str
    protocol: Protocol


@dataclass(frozen=True, slots=True)
class IngressRule:
    """Who may connect to which ports."""

    ports: tuple[PolicyPort, ...]
    peers: tuple[Peer, ...]
    """Empty lets everyone in."""


Ingress = tuple[IngressRule, ...]
"""What a policy lets in; without any rule, nothing."""


def adapter_ingress(
    server: ServerSettings, adapter: DeclaredAdapter, settings: TypeSettings
) -> Ingress | None:
    """What an adapter's policy lets in, which is what its Services expose; None where there is no policy."""
    if server.network_policy.mode == "disabled":
        return None
    ports = (PolicyPort(port.target, port.protocol) for port in service_ports(adapter, settings))
    return (_rule(server, ports, settings.network_policy_from),)


def baseline_ingress(server: ServerSettings) -> Ingress | None:
    """What is let in whatever the adapters are; None where there is no such policy."""
    if server.network_policy.mode == "disabled":
        return None
    return tuple(_baseline_rules(server)) or None


def default_deny(server: ServerSettings) -> bool:
    """Whether a policy of its own closes what no other one opens."""
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
    # Two ports of a Service may lead to one of the Pod, and the API takes no port twice.
    return IngressRule(tuple(dict.fromkeys(ports)), tuple(nearest))
