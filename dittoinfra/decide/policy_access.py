"""Which peers the NetworkPolicies of a namespace admit to a port of a Pod. Pure.

A Pod that no policy selects accepts connections from anywhere. Of any other, a port is open only to the peers
that one of these policies admits. The Pod's own node is always admitted, so no policy applies to a
port-forward.
"""

from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass
from ipaddress import ip_address, ip_network
from typing import Any

from dittoinfra.nested_values import block, text
from dittoinfra.settings.selectors import LabelSelector


@dataclass(frozen=True, slots=True)
class Source:
    """Who is let in: addresses, or Pods."""

    name: str
    pods: bool = False
    everybody: bool = False
    """Whether it is every peer, or every address of IPv4 or of IPv6."""
    network: str | None = None
    """The network of addresses, where it is one."""
    without: tuple[str, ...] = ()
    """Networks in it that are not let in."""

    def admits(self, address: str) -> bool:
        """Whether an address is let in as one; it may be that of a Pod that is."""
        named = (self.network,) if self.network else ()
        return self.everybody or (_within(address, named) and not _within(address, self.without))


@dataclass(frozen=True, slots=True)
class PortAccess:
    """Who is let in to one port."""

    policies: tuple[str, ...]
    """Every policy that selects the Pod; without any, every peer is admitted."""
    opened: Mapping[str, tuple[Source, ...]]
    """The peers that each policy admits; a policy that admits none is left out."""

    @property
    def sources(self) -> tuple[Source, ...]:
        """Every peer that a policy admits."""
        return tuple(dict.fromkeys(source for sources in self.opened.values() for source in sources))

    @property
    def open(self) -> bool:
        """Whether clients are let in wherever they are."""
        return not self.policies or any(source.everybody for source in self.sources)

    @property
    def only_pods(self) -> bool:
        """Whether no client is allowed by its address."""
        return all(source.pods for source in self.sources)


def port_access(
    policies: Sequence[Mapping[str, Any]], pod: Mapping[str, Any], number: int, protocol: str
) -> PortAccess:
    """Who is let in to a port of a Pod by the policies of its namespace, all as the cluster has them."""
    labels = block(pod, "metadata", "labels")
    selecting = [policy for policy in policies if _selects(block(policy, "spec"), labels)]
    names = _port_names(pod, number, protocol)
    opened = {
        _name(policy): tuple(
            source
            for rule in block(policy, "spec").get("ingress") or ()
            if _opens(rule, number, protocol, names)
            for source in _sources(rule)
        )
        for policy in selecting
    }
    return PortAccess(
        tuple(sorted(map(_name, selecting))), {name: opened[name] for name in sorted(opened) if opened[name]}
    )


def _name(policy: Mapping[str, Any]) -> str:
    return str(policy["metadata"]["name"])


def _selects(spec: Mapping[str, Any], labels: Mapping[str, str]) -> bool:
    return "Ingress" in (spec.get("policyTypes") or ("Ingress",)) and _selector(
        block(spec, "podSelector")
    ).matches(labels)


def _selector(selector: Mapping[str, Any]) -> LabelSelector:
    return LabelSelector.model_validate(selector)


def _port_names(pod: Mapping[str, Any], number: int, protocol: str) -> Collection[str | None]:
    """How the Pod's containers call a port."""
    return {
        text(port, "name")
        for container in block(pod, "spec").get("containers") or ()
        for port in container.get("ports") or ()
        if (port.get("containerPort"), port.get("protocol") or "TCP") == (number, protocol)
    }


def _opens(rule: Mapping[str, Any], number: int, protocol: str, names: Collection[str | None]) -> bool:
    """Whether a rule is about a port; one that names no ports is about all."""
    ports = rule.get("ports")
    return not ports or any(
        (port.get("protocol") or "TCP") == protocol and _covers(port, number, names) for port in ports
    )


def _covers(port: Mapping[str, Any], number: int, names: Collection[str | None]) -> bool:
    match port.get("port"):
        case None:
            return True
        case int(first):
            return first <= number <= int(port.get("endPort") or first)
        case name:
            return name in names


def _sources(rule: Mapping[str, Any]) -> Iterator[Source]:
    """The peers that a rule allows; an empty `from` allows all."""
    peers = rule.get("from")
    if not peers:
        yield Source("everybody", everybody=True)
        return
    for peer in peers:
        if network := block(peer, "ipBlock"):
            yield _addresses(str(network["cidr"]), tuple(map(str, network.get("except") or ())))
        else:
            yield Source(_pods(peer), pods=True)


def _addresses(cidr: str, but: Sequence[str]) -> Source:
    without = f" except {', '.join(but)}" if but else ""
    everybody = not but and ip_network(cidr, strict=False).prefixlen == 0
    return Source(f"{cidr}{without}", everybody=everybody, network=cidr, without=tuple(but))


def _within(address: str, networks: Sequence[str]) -> bool:
    return any(ip_address(address) in ip_network(each, strict=False) for each in networks)


def _pods(peer: Mapping[str, Any]) -> str:
    pods = _selector(block(peer, "podSelector")).query()
    of = " of this namespace"
    if (chosen := peer.get("namespaceSelector")) is not None:
        namespaces = _selector(chosen).query()
        of = f" of namespaces with {namespaces}" if namespaces else " of every namespace"
    return f"Pods with {pods}{of}" if pods else f"all Pods{of}"
