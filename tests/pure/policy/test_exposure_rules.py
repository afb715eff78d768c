"""Which adapters count as open to the world."""

from typing import Any

import pytest
from adapter_policy.exposure_rules import exposure_message, open_to_the_world
from adapter_policy.service_object import SERVICE, AdapterService, adapter_service

UNKNOWN = object()


def _service(kind: str = "LoadBalancer", **spec: object) -> dict[str, Any]:
    labels = {"dittofs.io/adapter-type": "nfs", "instance": "media"}
    return {
        "metadata": {"name": "media-nfs", "namespace": "files", "labels": labels},
        "spec": {"type": kind, **spec},
    }


def _read(properties: dict[str, Any]) -> AdapterService:
    service = adapter_service("urn", SERVICE, properties)
    assert service is not None
    return service


@pytest.mark.parametrize(
    ("ranges", "why"),
    [
        (None, "has no spec.loadBalancerSourceRanges"),
        ([], "has no spec.loadBalancerSourceRanges"),
        (["10.0.0.0/8", "0.0.0.0/0"], "lets 0.0.0.0/0 in"),
        (["::/0"], "lets ::/0 in"),
        (["10.0.0.0/8", "nonsense"], None),
        ([UNKNOWN], None),
        (UNKNOWN, None),
    ],
)
def test_a_load_balancer_is_open_unless_its_sources_are_given(ranges: object, why: str | None) -> None:
    properties = _service(loadBalancerSourceRanges=ranges)

    assert open_to_the_world(_read(properties), properties) == why


def test_a_cluster_ip_is_not_open() -> None:
    properties = _service("ClusterIP")

    assert open_to_the_world(_read(properties), properties) is None


def test_a_node_port_is_open_on_every_node_unless_node_ports_are_allowed() -> None:
    # Source ranges are for load balancers: they close no node port.
    properties = _service("NodePort", loadBalancerSourceRanges=["10.0.0.0/8"])
    service = _read(properties)

    assert open_to_the_world(service, properties) == "opens a port on every node"
    assert open_to_the_world(service, properties, node_ports_allowed=True) is None


@pytest.mark.parametrize(
    ("annotation", "value", "is_open"),
    [
        ("service.beta.kubernetes.io/aws-load-balancer-scheme", "internal", False),
        ("service.beta.kubernetes.io/aws-load-balancer-scheme", "internet-facing", True),
        ("networking.gke.io/load-balancer-type", "Internal", False),
        ("service.beta.kubernetes.io/azure-load-balancer-internal", "true", False),
        ("example.com/internal", "true", True),
    ],
)
def test_a_load_balancer_of_the_own_network_is_not_open(annotation: str, value: str, is_open: bool) -> None:
    properties = _service()
    properties["metadata"]["annotations"] = {annotation: value}

    assert (open_to_the_world(_read(properties), properties) is not None) is is_open


def test_the_message_names_the_adapter_and_both_ways_out() -> None:
    message = exposure_message(_read(_service()), "has no ranges")

    assert message.startswith("media/nfs: its LoadBalancer Service files/media-nfs has no ranges")
    assert "give the networks of its clients, or name media/nfs under" in message


def test_the_message_on_a_node_port_names_three_ways_out() -> None:
    message = exposure_message(_read(_service("NodePort")), "opens a port on every node")

    assert message == (
        "media/nfs: its NodePort Service files/media-nfs opens a port on every node, so it is open to "
        "everybody who reaches one; make it a ClusterIP, name media/nfs under `adapter-exposure: {open: […]}`"
        " in the policy pack's configuration, or set `allowNodePorts: true` there if no node can be reached "
        "from outside"
    )
