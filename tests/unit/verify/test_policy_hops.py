"""What is said of network policies, next to what this machine reaches."""

from typing import Any

import pytest

from dittoinfra.object_model import ObjectPlace
from dittoinfra.verify.policy_hops import Attempt, Policies, policy_hops
from dittoinfra.verify.probe_outcomes import (
    ApiError,
    Dropped,
    ExpectedProtocol,
    NotProbed,
    Open,
    ProbedPort,
    ProbeOutcome,
    Refused,
    Silent,
    WrongProtocol,
    reached,
)
from dittoinfra.verify.targets import Backend, Target

PLACE = ObjectPlace("v1", "Service", "files", "media-adapter-nfs")
OWN = Target("prod", "media", "nfs", 12049, PLACE, policy="media-adapter-nfs")
OTHERS = Target("prod", "media", "nfs", 12049, PLACE)
NFS = ProbedPort("adapter-nfs", 2049, "TCP", ExpectedProtocol.NFS)
UDP = ProbedPort("adapter-nfs-udp", 2049, "UDP", ExpectedProtocol.MOUNT)
BACKEND = Backend("media-0", None, {"adapter-nfs": 12049})

NO_CLIENTS: dict[str, Any] = {}
PODS: dict[str, Any] = {"ingress": [{"from": [{"podSelector": {}}]}]}
OFFICE_PEERS = [{"ipBlock": {"cidr": "192.0.2.0/24"}}]
ALL_PODS: dict[str, Any] = {"podSelector": {}}
OFFICE = {"ingress": [{"from": OFFICE_PEERS}]}
EVERYBODY: dict[str, Any] = {"ingress": [{}]}


def told(
    target: Target, spec: dict[str, Any], tried: bool | None, *dropped_from: str, inside: bool = True
) -> tuple[str, str, str | None]:
    """What is said of the port behind one policy; `tried` is whether this machine has reached it."""
    policy = {"metadata": {"name": "media-adapter-nfs"}, "spec": spec}
    attempts = [] if tried is None else [Attempt(tried)]
    attempts += (Attempt(False, own) for own in dropped_from)
    seen = {NFS.name: attempts}
    open_inside = [NFS.name] if inside else []
    # The UDP port leads nowhere yet, so nothing can be said of it.
    [hop] = policy_hops(target, BACKEND, [NFS, UDP], Policies([policy], {}), seen, open_inside)
    assert (hop.side, hop.hop, hop.where) == ("inside", "policy", "port 12049/TCP of Pod media-0")
    return hop.state, hop.text, hop.next


def test_without_policies_there_is_one_line_for_all_ports() -> None:
    backend = Backend("media-0", None, {NFS.name: 12049, UDP.name: 12049})

    [hop] = policy_hops(OWN, backend, [NFS, UDP], Policies([], {}), {}, ())

    assert (hop.state, hop.where, hop.text) == ("ok", "Pod media-0", "no NetworkPolicy selects it")


@pytest.mark.parametrize("tried", [None, False])
def test_a_closed_port_is_where_a_client_fails(tried: bool | None) -> None:
    closed = "is closed to everybody by NetworkPolicy media-adapter-nfs"

    assert told(OWN, NO_CLIENTS, tried) == (
        "failed",
        closed,
        "`dittoinfra up prod` puts NetworkPolicy media-adapter-nfs right",
    )
    assert told(OTHERS, NO_CLIENTS, tried) == (
        "failed",
        closed,
        "let clients in with a policy of your own, or set networkPolicy.mode to enabled",
    )


def test_a_closed_port_that_is_reached_all_the_same_is_no_failure() -> None:
    assert told(OWN, NO_CLIENTS, True) == (
        "skipped",
        "is closed to everybody by NetworkPolicy media-adapter-nfs, and yet this machine reaches it: the "
        "cluster's network does not enforce policies, or takes what comes from here for traffic of the node",
        None,
    )


def test_a_port_that_only_pods_may_reach_is_closed_to_a_machine_that_does_not_reach_it() -> None:
    opened = "is open to all Pods of this namespace by NetworkPolicy media-adapter-nfs"

    assert told(OWN, PODS, False) == (
        "failed",
        f"{opened}, and to no address outside the cluster",
        "add the addresses of clients to networkPolicyFrom of the adapter, or to networkPolicy.from",
    )
    assert told(OTHERS, PODS, False)[2] == "add the addresses of clients to NetworkPolicy media-adapter-nfs"
    assert told(OWN, PODS, True) == ("ok", f"{opened}, and this machine reaches it", None)


@pytest.mark.parametrize(("spec", "tried"), [(PODS, None), (OFFICE, None), (OFFICE, False)])
def test_whether_clients_are_among_some_sources_is_not_claimed(
    spec: dict[str, Any], tried: bool | None
) -> None:
    state, text, _ = told(OWN, spec, tried)

    assert state == "skipped"
    assert text.endswith("; whether clients are among them is not known here")


def test_a_machine_that_no_address_of_a_policy_is_about_is_kept_out_by_it() -> None:
    assert told(OWN, OFFICE, None, "10.0.0.5") == (
        "failed",
        "is open to 192.0.2.0/24 by NetworkPolicy media-adapter-nfs; this machine is 10.0.0.5 (unless that "
        "is translated on the way), and gets no answer",
        "add the addresses of clients to networkPolicyFrom of the adapter, or to networkPolicy.from",
    )
    assert "this machine is 10.0.0.5, fd00::5 (" in told(OWN, OFFICE, None, "10.0.0.5", "fd00::5")[1]
    assert told(OWN, {"ingress": [{"from": [*OFFICE_PEERS, ALL_PODS]}]}, None, "10.0.0.5")[0] == "failed"
    but = {"ipBlock": {"cidr": "10.0.0.0/8", "except": ["10.0.0.0/24"]}}
    assert told(OWN, {"ingress": [{"from": [but]}]}, None, "10.0.0.5")[0] == "failed"
    assert told(OWN, {"ingress": [{"from": [but]}]}, None, "10.1.0.5")[0] == "skipped"


@pytest.mark.parametrize(
    ("tried", "dropped_from", "inside"),
    [
        (None, ["192.0.2.5"], True),  # It is named.
        (False, ["10.0.0.5"], True),  # At another address the port was refused, which no policy does.
        (None, ["10.0.0.5"], False),  # The server does not listen.
    ],
)
def test_a_policy_is_not_blamed_for_what_may_have_another_cause(
    tried: bool | None, dropped_from: list[str], inside: bool
) -> None:
    assert told(OWN, OFFICE, tried, *dropped_from, inside=inside)[0] == "skipped"


def test_what_everybody_may_reach_is_right_whatever_was_reached() -> None:
    for tried in (None, False, True):
        assert told(OWN, EVERYBODY, tried) == (
            "ok",
            "is open to everybody by NetworkPolicy media-adapter-nfs",
            None,
        )


@pytest.mark.parametrize(
    ("port", "outcome", "found"),
    [
        (NFS, NotProbed("no node port"), None),
        (NFS, ApiError("why", "then", forbidden=False), None),
        (NFS, Refused("connection refused"), False),
        (NFS, Dropped(), False),
        (NFS, Silent(), True),
        (UDP, Silent(), False),
        (NFS, Open(), True),
        (UDP, WrongProtocol("hello"), True),
    ],
)
def test_what_counts_as_reached(port: ProbedPort, outcome: ProbeOutcome, found: bool | None) -> None:
    assert reached(port, outcome) is found
