"""What the cluster's objects say of the way to an adapter."""

from collections.abc import Mapping
from typing import Any

import pytest

from dittoinfra.decide.host_records import Unresolved
from dittoinfra.model import HostNames, RememberedAdapter
from dittoinfra.object_model import HeldObject, ObjectPlace
from dittoinfra.state import Memory
from dittoinfra.verify.probe_outcomes import (
    Dropped,
    ExpectedProtocol,
    NotProbed,
    Open,
    Probe,
    ProbedPort,
    Silent,
    probe_hops,
)
from dittoinfra.verify.targets import (
    Backend,
    Target,
    address_hops,
    gates,
    name_hops,
    node_addresses,
    pods_hop,
    probed_ports,
    service_hop,
    targets,
)

PLACE = ObjectPlace("v1", "Service", "files", "media-adapter-nfs")
TARGET = Target("prod", "media", "nfs", 12049, PLACE)
SELECTOR = {"app": "dittofs-server", "instance": "media"}
DATA = {"name": "adapter-nfs", "port": 2049, "targetPort": 12049, "protocol": "TCP", "nodePort": 30123}


def service(*ports: Mapping[str, Any], **spec: Any) -> dict[str, Any]:  # noqa: ANN401 - fields of several types
    """A live Service with these ports, or the data port."""
    return {
        "metadata": {"name": PLACE.name},
        "spec": {"type": "LoadBalancer", "selector": SELECTOR, "ports": list(ports or (DATA,)), **spec},
    }


def endpoint(pod: str, ready: bool | None) -> dict[str, Any]:
    """An endpoint of a Pod; nothing is said of its readiness where that is None."""
    conditions = {} if ready is None else {"ready": ready}
    return {"targetRef": {"kind": "Pod", "name": pod}, "nodeName": f"node-of-{pod}", "conditions": conditions}


def test_targets_are_what_the_state_holds() -> None:
    udp = ObjectPlace("v1", "Service", "files", "media-adapter-nfs-udp")
    policy = ObjectPlace("networking.k8s.io/v1", "NetworkPolicy", "files", "media-adapter-nfs")
    memory = Memory(
        adapters={"media": {"smb": RememberedAdapter("smb", 12445), "nfs": RememberedAdapter("nfs", 12049)}},
        objects={
            HeldObject("v1", "Service", "media/nfs"): PLACE,
            HeldObject("v1", "Service", "udp:media/nfs"): udp,
            HeldObject("networking.k8s.io/v1", "NetworkPolicy", "media/nfs"): policy,
        },
    )

    assert targets("prod", memory) == (
        Target("prod", "media", "nfs", 12049, PLACE, udp, policy="media-adapter-nfs"),
        Target("prod", "media", "smb", 12445, None),
    )


@pytest.mark.parametrize(
    ("live", "text", "next_step"),
    [
        (None, "is not in the cluster", "`dittoinfra up prod` makes it again"),
        (
            {**service(), "metadata": {"deletionTimestamp": "now", "finalizers": ["a/b", "c"]}},
            "is being deleted",
            "see what holds it: a/b, c",
        ),
        (
            service(selector={"app": "other"}),
            "selects app=other, and the server's Pods have app=dittofs-server,instance=media",
            "`dittoinfra up prod` corrects it",
        ),
        (
            service(selector=None),
            "selects nothing, and the server's Pods have app=dittofs-server,instance=media",
            "`dittoinfra up prod` corrects it",
        ),
        (service({**DATA, "name": "other"}), "has no port adapter-nfs", "`dittoinfra up prod` adds it"),
        (
            service({**DATA, "targetPort": 2049}),
            "its port adapter-nfs leads to 2049, and the stack declared 12049",
            "`dittoinfra up prod` corrects it",
        ),
    ],
)
def test_a_service_that_clients_cannot_use(live: dict[str, Any] | None, text: str, next_step: str) -> None:
    found = service_hop(TARGET, PLACE, live)

    assert (found.state, found.hop, found.text, found.next) == ("failed", "service", text, next_step)


def test_a_ready_pod_is_chosen_with_the_ports_that_it_really_has() -> None:
    ports = [{"name": "adapter-nfs", "port": 12049}, {"name": "other"}]
    slices: list[dict[str, Any]] = [
        {"endpoints": [endpoint("media-2", None), endpoint("media-0", False)], "ports": ports},
        {"endpoints": None},
        {
            "endpoints": [endpoint("media-1", True), {"targetRef": {"kind": "Node", "name": "a"}}],
            "ports": ports,
        },
    ]

    found, backend = pods_hop(TARGET, PLACE, slices)

    assert (found.state, found.text) == ("ok", "ready behind it: media-1, media-2")
    assert backend == Backend("media-1", "node-of-media-1", {"adapter-nfs": 12049})


def test_each_port_is_asked_in_what_its_name_stands_for() -> None:
    names = ("adapter-nfs", "adapter-nfs-udp", "portmap", "portmap-udp", "mdns", "adapter-ftp")
    live = service(*({"name": name, "port": 1, "protocol": "UDP"} for name in names))

    assert [port.speaks for port in probed_ports(live)] == [
        ExpectedProtocol.NFS,
        ExpectedProtocol.MOUNT,
        ExpectedProtocol.PORTMAPPER,
        ExpectedProtocol.PORTMAPPER,
        ExpectedProtocol.ANYTHING,
        ExpectedProtocol.ANYTHING,
    ]
    assert probed_ports(service()) == (ProbedPort("adapter-nfs", 2049, "TCP", ExpectedProtocol.NFS, 30123),)


def hops(port: ProbedPort, outcome: Any, *keeping_out: str) -> list[tuple[str, str, str, str | None]]:  # noqa: ANN401 - any outcome
    probe = Probe("outside", "192.0.2.7:1", port, 5, "look there", "read the log", keeping_out)
    return [(hop.hop, hop.state, hop.text, hop.next) for hop in probe_hops(probe, outcome)]


def test_of_an_unknown_type_it_is_said_that_only_the_port_was_checked() -> None:
    assert hops(ProbedPort("adapter-ftp", 21, "TCP", ExpectedProtocol.ANYTHING), Open()) == [
        ("port", "ok", "takes connections", None),
        (
            "protocol",
            "skipped",
            "what port adapter-ftp speaks is not known here: only the port was checked",
            None,
        ),
    ]
    assert hops(ProbedPort("mdns", 5353, "UDP", ExpectedProtocol.ANYTHING), NotProbed("why")) == [
        ("port", "skipped", "why", None)
    ]


def test_what_may_keep_a_machine_out_is_named() -> None:
    ranges = service(loadBalancerSourceRanges=["192.0.2.0/24", "198.51.100.0/24"])
    keeping_out = gates(["media-adapter-nfs"], ranges)
    then = (
        "see that no firewall drops it and that sourceRanges (192.0.2.0/24, 198.51.100.0/24) include this "
        "machine and that NetworkPolicy media-adapter-nfs lets it in"
    )

    assert hops(ProbedPort("adapter-nfs", 1, "TCP", ExpectedProtocol.NFS), Dropped(), *keeping_out) == [
        ("port", "failed", "no answer to a connection attempt within 5 s", then)
    ]
    assert hops(ProbedPort("adapter-nfs-udp", 1, "UDP", ExpectedProtocol.MOUNT), Silent(), *keeping_out) == [
        (
            "protocol",
            "failed",
            "no answer over UDP within 5 s",
            f"{then} and that the server's nfs settings have udp_enabled",
        )
    ]
    assert gates((), service()) == ()


def test_a_node_is_reached_from_outside_where_it_can_be() -> None:
    inner, outer = (
        {"type": "InternalIP", "address": "10.0.0.1"},
        {"type": "ExternalIP", "address": "192.0.2.1"},
    )

    assert node_addresses({"status": {"addresses": [inner, outer]}}) == ("192.0.2.1",)
    assert node_addresses({"status": {"addresses": [inner]}}) == ("10.0.0.1",)
    assert node_addresses({}) == ()


def test_a_load_balancer_whose_name_does_not_resolve() -> None:
    live = {**service(), "status": {"loadBalancer": {"ingress": [{"hostname": "lb.example.com"}]}}}

    [found] = address_hops(PLACE, live, {"lb.example.com": Unresolved("unknown name")})

    assert (found.state, found.text) == (
        "failed",
        "lb.example.com does not resolve on this machine: unknown name",
    )


@pytest.mark.parametrize(
    ("expected", "led", "state"),
    [
        ({"192.0.2.7": ("192.0.2.7",)}, ("192.0.2.7",), "ok"),
        ({"192.0.2.7": ("192.0.2.7",), "192.0.2.8": ("192.0.2.8",)}, ("192.0.2.8",), "ok"),
        ({"2001:db8::7": ("2001:db8::7",)}, ("2001:0db8:0::7",), "ok"),
        ({"192.0.2.7": ("192.0.2.7",)}, ("192.0.2.7", "192.0.2.9"), "failed"),
        ({"lb.example.com": ("192.0.2.7", "192.0.2.8")}, ("192.0.2.8", "192.0.2.9"), "ok"),
        ({"lb.example.com": ("192.0.2.7",)}, ("192.0.2.9",), "failed"),
        ({"lb.example.com": Unresolved("unknown")}, ("192.0.2.9",), "skipped"),
        ({}, ("192.0.2.9",), "skipped"),
    ],
)
def test_a_name_leads_to_its_service_and_nowhere_else(
    expected: Mapping[str, Any], led: tuple[str, ...], state: str
) -> None:
    names = HostNames("media", "nfs", "files", PLACE.name, "external-dns", "nfs.example.com")

    [found] = name_hops(names, "prod", expected, {"nfs.example.com": led})

    assert found.state == state
