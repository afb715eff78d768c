"""Ready means that a client can connect, and the reason names the first hop that is missing."""

from typing import Any

import pytest

from dittoinfra.decide.explanation import Condition
from dittoinfra.decide.readiness import adapter_ready, server_ready

NAME = "media-adapter-nfs"


def service(kind: str = "LoadBalancer", address: str | None = "192.0.2.7", **port: object) -> dict[str, Any]:
    data = {"name": "adapter-nfs", "port": 2049, "targetPort": 12049.0, **port}
    return {
        "metadata": {"name": NAME, "namespace": "files"},
        "spec": {"type": kind, "ports": [data]},
        "status": {"loadBalancer": {"ingress": [{"ip": address}] if address else []}},
    }


def part(name: str = NAME, port: str = "adapter-nfs", **endpoint: object) -> dict[str, Any]:
    one = {"addresses": ["10.0.0.7"], "conditions": {"ready": True}, **endpoint}
    return {
        "metadata": {"labels": {"kubernetes.io/service-name": name}},
        "ports": [{"name": port}],
        "endpoints": [one],
    }


@pytest.mark.parametrize(
    ("kind", "address"), [("LoadBalancer", "192.0.2.7"), ("NodePort", None), ("ClusterIP", None)]
)
def test_a_client_can_connect(kind: str, address: str | None) -> None:
    slices = [part("other"), part(conditions={"ready": False}), part()]

    assert adapter_ready("nfs", 12049, service(kind, address), slices).status == "True"


@pytest.mark.parametrize("endpoint", [{"conditions": {}}, {"conditions": {"ready": None}}])
def test_an_endpoint_of_which_nothing_is_known_counts_as_ready(endpoint: dict[str, Any]) -> None:
    assert adapter_ready("nfs", 12049, service(), [part(**endpoint)]).status == "True"


TERMINATING = {**service(), "metadata": {"name": NAME, "deletionTimestamp": "2026-01-02T03:04:05Z"}}


@pytest.mark.parametrize(
    ("live", "slices", "reason"),
    [
        (None, [part()], "ServiceMissing"),
        (TERMINATING, [part()], "ServiceTerminating"),
        (service(name="other"), [part()], "PortMissing"),
        (service(targetPort=13049), [part()], "PortMoved"),
        (service(address=None), [part()], "PendingLoadBalancer"),
        (service(), [], "NoReadyEndpoint"),
        (service(), [part("other")], "NoReadyEndpoint"),
        (service(), [part(port="other")], "NoReadyEndpoint"),
        (service(), [part(conditions={"ready": False})], "NoReadyEndpoint"),
        (service(), [part(addresses=[])], "NoReadyEndpoint"),
        (service(), [{**part(), "endpoints": None}], "NoReadyEndpoint"),
    ],
)
def test_every_hop_that_can_be_missing(
    live: dict[str, Any] | None, slices: list[dict[str, Any]], reason: str
) -> None:
    found = adapter_ready("nfs", 12049, live, slices)

    assert (found.status, found.reason) == ("False", reason)


def test_where_the_service_leads_is_told_with_both_ports() -> None:
    assert adapter_ready("nfs", 12049, service(targetPort=13049.0), []).message == (
        "Service media-adapter-nfs leads to port 13049, and the server listens on 12049"
    )
    assert adapter_ready("nfs", 12049, service(targetPort="adapter-nfs"), [part()]).status == "True"


def test_endpoints_that_cannot_be_listed_are_not_known() -> None:
    found = adapter_ready("nfs", 12049, service(), "forbidden")

    assert found == Condition("Ready", "Unknown", "EndpointsUnknown", "forbidden")


YES = Condition("Ready", "True", "Ready", "a client can connect")
NO = Condition("Ready", "False", "NoReadyEndpoint", "no Pod")
UNKNOWN = Condition("Ready", "Unknown", "EndpointsUnknown", "forbidden")


@pytest.mark.parametrize(
    ("adapters", "expected"),
    [
        ({}, Condition("Ready", "True", "Ready", "no adapters are enabled")),
        ({"smb": YES, "nfs": YES}, Condition("Ready", "True", "Ready", "nfs, smb")),
        ({"smb": YES, "nfs": NO}, Condition("Ready", "False", "NoReadyEndpoint", "nfs: no Pod")),
        ({"smb": UNKNOWN, "nfs": YES}, Condition("Ready", "Unknown", "EndpointsUnknown", "smb: forbidden")),
        (
            {"nfs": UNKNOWN, "smb": NO},
            Condition("Ready", "False", "NoReadyEndpoint", "nfs: forbidden; smb: no Pod"),
        ),
    ],
)
def test_a_server_is_as_ready_as_its_adapters(adapters: dict[str, Condition], expected: Condition) -> None:
    assert server_ready(adapters) == expected


def test_a_run_that_would_stop_makes_none_ready() -> None:
    assert server_ready({"nfs": YES}, ["brake: 1 of 1"]) == Condition(
        "Ready", "False", "Stopped", "the next run would stop: brake: 1 of 1"
    )
    assert server_ready({"nfs": YES}, ["brake: 1 of 1"], holds=True) == Condition(
        "Ready", "False", "Held", "the next run would change nothing (onRefusal: hold): brake: 1 of 1"
    )
