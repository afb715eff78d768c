"""Whom the NetworkPolicies of a namespace let in to a port of a Pod."""

from dataclasses import replace
from typing import Any

import pytest

from dittoinfra.decide.policy_access import PortAccess, Source, port_access

POD = {
    "metadata": {"labels": {"app": "dittofs-server", "instance": "media", "tier": "files"}},
    "spec": {
        "containers": [
            {"ports": [{"name": "adapter-nfs", "containerPort": 12049}]},
            {"ports": [{"name": "udp", "containerPort": 12049, "protocol": "UDP"}, {"containerPort": 1}]},
            {},
        ]
    },
}
EVERYBODY = Source("everybody", everybody=True)
HERE = {"matchLabels": {"app": "backup"}}


def policy(*ingress: dict[str, Any], name: str = "gate", **spec: Any) -> dict[str, Any]:  # noqa: ANN401 - fields of several types
    """A policy with these rules, which selects every Pod unless told otherwise."""
    return {"metadata": {"name": name}, "spec": {"podSelector": {}, "ingress": list(ingress), **spec}}


def access(*policies: dict[str, Any], protocol: str = "TCP") -> PortAccess:
    return port_access(policies, POD, 12049, protocol)


@pytest.mark.parametrize(
    "other",
    [
        policy(podSelector={"matchLabels": {"app": "web"}}),
        policy(podSelector={"matchExpressions": [{"key": "tier", "operator": "NotIn", "values": ["files"]}]}),
        policy(policyTypes=["Egress"]),
    ],
)
def test_without_a_policy_that_selects_the_pod_everybody_is_let_in(other: dict[str, Any]) -> None:
    found = access(other)

    assert found == PortAccess((), {})
    assert found.open


@pytest.mark.parametrize(
    "closed",
    [
        policy(),
        {"metadata": {"name": "gate"}, "spec": {"podSelector": {}}},
        policy(podSelector={"matchLabels": {"instance": "media"}}, policyTypes=["Ingress", "Egress"]),
        policy({"ports": [{"port": 8080}]}),
        policy({"ports": [{"port": 12049, "protocol": "UDP"}]}),
        policy({"ports": [{"port": 12000, "endPort": 12048}]}),
        policy({"ports": [{"port": "udp"}]}),
        policy({"ports": [{"port": "adapter-smb"}]}),
    ],
)
def test_a_policy_that_opens_no_such_port_closes_it(closed: dict[str, Any]) -> None:
    found = access(closed)

    assert found == PortAccess(("gate",), {})
    assert not found.open


@pytest.mark.parametrize(
    "rule",
    [
        {},
        {"from": [], "ports": []},
        {"ports": [{"port": 1}, {"port": 12049, "protocol": "TCP"}]},
        {"ports": [{"protocol": "TCP"}]},
        {"ports": [{"port": 12000, "endPort": 12049}]},
        {"ports": [{"port": "adapter-nfs"}]},
    ],
)
def test_a_rule_without_sources_lets_everybody_in_to_its_ports(rule: dict[str, Any]) -> None:
    found = access(policy(rule))

    assert found == PortAccess(("gate",), {"gate": (EVERYBODY,)})
    assert found.open


def test_names_of_ports_are_of_their_protocol() -> None:
    rule = {"ports": [{"port": "udp", "protocol": "UDP"}]}

    assert access(policy(rule), protocol="UDP").open
    assert not access(policy(rule)).open


@pytest.mark.parametrize(
    ("peer", "source"),
    [
        ({"ipBlock": {"cidr": "192.0.2.0/24"}}, Source("192.0.2.0/24")),
        (
            {"ipBlock": {"cidr": "0.0.0.0/0", "except": ["10.0.0.0/8", "192.0.2.0/24"]}},
            Source("0.0.0.0/0 except 10.0.0.0/8, 192.0.2.0/24"),
        ),
        ({"ipBlock": {"cidr": "0.0.0.0/0"}}, Source("0.0.0.0/0", everybody=True)),
        ({"ipBlock": {"cidr": "::/0"}}, Source("::/0", everybody=True)),
        ({"podSelector": HERE}, Source("Pods with app=backup of this namespace", pods=True)),
        ({"podSelector": {}}, Source("all Pods of this namespace", pods=True)),
        ({"namespaceSelector": {}}, Source("all Pods of every namespace", pods=True)),
        (
            {"namespaceSelector": {"matchLabels": {"team": "a"}}, "podSelector": HERE},
            Source("Pods with app=backup of namespaces with team=a", pods=True),
        ),
    ],
)
def test_sources_are_told_as_a_person_would_look_for_them(peer: dict[str, Any], source: Source) -> None:
    found = access(policy({"from": [peer]}))

    assert [replace(each, network=None, without=()) for each in found.sources] == [source]
    assert (found.open, found.only_pods) == (source.everybody, source.pods)


@pytest.mark.parametrize(
    ("peer", "address", "admitted"),
    [
        ({"ipBlock": {"cidr": "192.0.2.0/24"}}, "192.0.2.5", True),
        ({"ipBlock": {"cidr": "192.0.2.0/24"}}, "10.0.0.5", False),
        ({"ipBlock": {"cidr": "192.0.2.0/24"}}, "2001:db8::5", False),
        ({"ipBlock": {"cidr": "2001:db8::/32"}}, "2001:db8::5", True),
        ({"ipBlock": {"cidr": "10.0.0.0/8", "except": ["10.0.0.0/24"]}}, "10.0.0.5", False),
        ({"ipBlock": {"cidr": "10.0.0.0/8", "except": ["10.0.0.0/24"]}}, "10.0.1.5", True),
        ({"podSelector": {}}, "10.0.0.5", False),
    ],
)
def test_an_address_is_admitted_by_the_networks_that_it_is_in(
    peer: dict[str, Any], address: str, admitted: bool
) -> None:
    [source] = access(policy({"from": [peer]})).sources

    assert source.admits(address) is admitted


def test_policies_add_up() -> None:
    pods: dict[str, Any] = {"from": [{"podSelector": {}}]}
    office = {"from": [{"ipBlock": {"cidr": "192.0.2.0/24"}}], "ports": [{"port": 12049}]}

    found = access(policy(name="deny"), policy(pods, office, name="office"), policy(pods, name="inner"))

    assert found.policies == ("deny", "inner", "office")
    assert list(found.opened) == ["inner", "office"]
    assert [source.name for source in found.sources] == ["all Pods of this namespace", "192.0.2.0/24"]
    assert not found.only_pods
    assert not found.open
