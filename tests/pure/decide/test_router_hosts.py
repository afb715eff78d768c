"""What is said of names, against what router-hosts' Service controller does in the same case.

Its rules, read from internal/operator/service_controller.go (chart 0.13.0): `enabled` must be exactly "true";
`hostname`, `aliases` (at most 50) and `ip-address` are read, and nothing else; a LoadBalancer without
`ip-address` gets the first ingress that has an IP; an entry is noted in `host-ids`, by host name.
"""

import json
from dataclasses import dataclass, field
from typing import Any

import pytest

from dittoinfra.decide.host_names import as_read, host_states
from dittoinfra.decide.names import decide_names, locate
from dittoinfra.decide.router_hosts import ROUTER_HOSTS
from dittoinfra.decide.stack_rules import decide_stack
from dittoinfra.model import HostNames, NameMemory
from dittoinfra.state import located
from tests.pure.decide.make import answer, server, serving

NAME = "nfs.example.com"
ALIASES = [f"a{number}.example.com" for number in range(51)]
ENTRY = {NAME: "01J8"}


@dataclass(frozen=True)
class Case:
    """One Service, what router-hosts does with it, and what is said of its host name."""

    router_hosts: str
    """Its event, or the address of its entry; empty where it does nothing."""
    said: str
    """The refusal at the preview, or the state of the name."""
    dns: dict[str, Any] = field(default_factory=lambda: {"hostname": NAME})
    type: str = "LoadBalancer"
    ingress: tuple[dict[str, str], ...] = ()
    host_ids: dict[str, str] = field(default_factory=dict)


CASES = {
    "cluster IP": Case("InvalidServiceType", "InvalidServiceType", type="ClusterIP"),
    "no host name": Case("MissingHostname", "MissingHostname", {}),
    "aliases alone": Case("MissingHostname", "MissingHostname", {"aliases": ALIASES[:1]}),
    "node port": Case("MissingIPAddress", "MissingIPAddress", type="NodePort"),
    "node port, given": Case("192.0.2.7", "HostRequested", {"hostname": NAME, "ip": "192.0.2.7"}, "NodePort"),
    "no address": Case("PendingLoadBalancer", "PendingLoadBalancer"),
    "host name alone": Case("PendingLoadBalancer", "PendingLoadBalancer", ingress=({"hostname": "lb"},)),
    "name, then address": Case(
        "192.0.2.1", "HostRequested", ingress=({"hostname": "lb"}, {"ip": "192.0.2.1"})
    ),
    "first of two": Case("192.0.2.9", "HostRequested", ingress=({"ip": "192.0.2.9"}, {"ip": "192.0.2.1"})),
    "IPv6 first": Case("2001:db8::1", "HostRequested", ingress=({"ip": "2001:db8::1"}, {"ip": "192.0.2.1"})),
    "address and name": Case("192.0.2.1", "HostRequested", ingress=({"ip": "192.0.2.1", "hostname": "lb"},)),
    "given before its own": Case(
        "192.0.2.7", "HostRequested", {"hostname": NAME, "ip": "192.0.2.7"}, ingress=({"ip": "192.0.2.1"},)
    ),
    "50 aliases": Case(
        "192.0.2.1",
        "HostRequested",
        {"hostname": NAME, "aliases": ALIASES[:50]},
        ingress=({"ip": "192.0.2.1"},),
    ),
    "51 aliases": Case(
        "InvalidConfiguration",
        "InvalidConfiguration",
        {"hostname": NAME, "aliases": ALIASES},
        ingress=({"ip": "192.0.2.1"},),
    ),
    "entry noted": Case("192.0.2.1", "HostRegistered", ingress=({"ip": "192.0.2.1"},), host_ids=ENTRY),
    "entry of the former name": Case(
        "192.0.2.1", "HostRequested", ingress=({"ip": "192.0.2.1"},), host_ids={"old.example.com": "01J8"}
    ),
    "entry, and the address is gone": Case("PendingLoadBalancer", "PendingLoadBalancer", host_ids=ENTRY),
}


def live(case: Case, annotations: dict[str, str]) -> dict[str, Any]:
    noted = {f"{ROUTER_HOSTS}/host-ids": json.dumps(case.host_ids)} if case.host_ids else {}
    return {
        "metadata": {"annotations": {**annotations, **noted}},
        "spec": {"type": case.type},
        "status": {"loadBalancer": {"ingress": list(case.ingress)}},
    }


def router_hosts(service: dict[str, Any]) -> str:
    """The event or the address that the controller comes to, by its rules."""
    read = {
        key.removeprefix(f"{ROUTER_HOSTS}/"): value.strip()
        for key, value in service["metadata"]["annotations"].items()
    }
    if read.get("enabled") != "true":
        return ""
    if service["spec"]["type"] not in ("LoadBalancer", "NodePort"):
        return "InvalidServiceType"
    if not read.get("hostname"):
        return "MissingHostname"
    ingress = service["status"]["loadBalancer"]["ingress"]
    balanced = ingress if service["spec"]["type"] == "LoadBalancer" else []
    address = read.get("ip-address") or next((each["ip"] for each in balanced if each.get("ip")), None)
    if address is None:
        return "MissingIPAddress" if service["spec"]["type"] == "NodePort" else "PendingLoadBalancer"
    return "InvalidConfiguration" if len(read.get("aliases", "").split(",")) > 50 else str(address)


@pytest.mark.parametrize("case", CASES.values(), ids=CASES.keys())
def test_what_is_said_of_a_name_is_what_router_hosts_does(case: Case) -> None:
    media = server(adapters={"types": {"nfs": {"type": case.type, "dns": case.dns}}})
    decided = decide_names(decide_stack([media], {}, {"media": [answer(serving("nfs", 1))]}), [media])
    named = decided.adapters.get("media/nfs")
    annotations = dict(named.annotations) if named else {f"{ROUTER_HOSTS}/enabled": "true"}
    service = live(case, annotations)
    does = router_hosts(service)
    assert does == case.router_hosts

    if decided.refusals:
        assert [refusal.fault for refusal in decided.refusals] == [case.said] == [does]
        return
    services = {media.namespace: {"media-adapter-nfs": located(service)}}
    [found] = locate(decided, services, NameMemory()).adapters.values()
    states = host_states(found.names, found.located)

    assert states[NAME] == case.said
    assert (found.located.addresses or (case.said,)) == (does,)
    assert not any(states[alias] == "HostRegistered" for alias in found.names.aliases), "never noted"
    assert {key.removeprefix(f"{ROUTER_HOSTS}/") for key in found.annotations} <= {
        "enabled",
        "hostname",
        "aliases",
        "ip-address",
    }, "nothing that it does not read"


def test_external_dns_notes_nothing() -> None:
    names = HostNames("media", "nfs", "files", "media-adapter-nfs", "external-dns", NAME, ("a.example",))
    service = live(Case("", "", ingress=({"ip": "192.0.2.2"}, {"hostname": "lb"}), host_ids=ENTRY), {})

    assert host_states(names, as_read(names, located(service))) == {
        NAME: "HostRequested",
        "a.example": "HostRequested",
    }
