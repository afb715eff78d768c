"""What the state's Services tell of adapters, whatever people did to them in the cluster."""

from typing import Any

import pytest

from dittoinfra.memory.services import remembered, remembered_manifests
from dittoinfra.model import RememberedAdapter
from dittoinfra.naming import ABSENCE_ANNOTATION, ADAPTER_TYPE_LABEL

SERVICE = "dittoinfra:index:Server$dittoinfra:index:AdapterService$kubernetes:core/v1:Service"


def urn(name: str, qualified_type: str = SERVICE) -> str:
    return f"urn:pulumi:prod::dittoinfra::{qualified_type}::{name}"


def service(
    adapter_type: str = "nfs", target: object = 12049.0, annotations: dict[str, object] | None = None
) -> dict[str, Any]:
    ports = [{"name": f"adapter-{adapter_type}", "port": 2049.0, "targetPort": target}]
    outputs = {"metadata": {"annotations": annotations or {}}, "spec": {"ports": ports}}
    return {"type": "kubernetes:core/v1:Service", "outputs": outputs}


def test_an_adapter_is_remembered_with_the_port_behind_its_service() -> None:
    counted = service("smb", 12445.0, {"dittofs.io/absence-count": "2"})

    memory = remembered({urn("media/nfs"): service(), urn("media/smb"): counted})

    assert memory == {
        "media": {"nfs": RememberedAdapter("nfs", 12049), "smb": RememberedAdapter("smb", 12445, 2)}
    }


@pytest.mark.parametrize(
    "other",
    [
        urn("media", "dittoinfra:index:Server$kubernetes:apps/v1:StatefulSet"),
        urn(
            "media-headless",
            "dittoinfra:index:Server$dittoinfra:index:HeadlessService$kubernetes:core/v1:Service",
        ),
        urn("media/nfs", "dittoinfra:index:Server$dittoinfra:index:AdapterService"),
        urn("media/nfs", "kubernetes:core/v1:Service"),
        urn("udp:media/nfs"),
        urn("media"),
    ],
)
def test_nothing_else_is_taken_for_an_adapter(other: str) -> None:
    assert remembered({other: service()}) == {}


@pytest.mark.parametrize("text", ["", "-1", "two", "1.5", "99999", 3, None])
def test_a_count_that_somebody_wrote_over_starts_anew(text: object) -> None:
    memory = remembered({urn("media/nfs"): service(annotations={"dittofs.io/absence-count": text})})

    assert memory["media"]["nfs"].absences == 0


@pytest.mark.parametrize("target", ["adapter-nfs", None, 0.0, 70000.0])
def test_an_adapter_whose_port_is_lost_is_not_forgotten(target: object) -> None:
    assert remembered({urn("media/nfs"): service(target=target)})["media"] == {
        "nfs": RememberedAdapter("nfs", None)
    }


@pytest.mark.parametrize("outputs", [None, {}, {"spec": None, "metadata": None}, {"spec": {"ports": None}}])
def test_a_service_that_tells_nothing_is_not_forgotten_either(outputs: object) -> None:
    assert remembered({urn("media/nfs"): {"outputs": outputs}})["media"]["nfs"].port is None


def test_rendered_manifests_are_a_memory_too() -> None:
    labels = {"instance": "media", ADAPTER_TYPE_LABEL: "nfs"}
    counted = {ABSENCE_ANNOTATION: "2"}
    data = {"ports": [{"name": "adapter-nfs", "port": 2049, "targetPort": 12049}]}
    udp = {"ports": [{"name": "adapter-nfs-udp", "port": 2049, "targetPort": 12049}]}

    memory = remembered_manifests(
        [
            {"kind": "Service", "metadata": {"labels": labels, "annotations": counted}, "spec": data},
            {"kind": "Service", "metadata": {"labels": labels}, "spec": udp},
            {"kind": "NetworkPolicy", "metadata": {"labels": labels}},
            {"kind": "Service", "metadata": {"labels": {"instance": "media"}}, "spec": data},
            {"kind": "Service", "spec": data},
        ]
    )

    assert memory == {"media": {"nfs": RememberedAdapter("nfs", 12049, 2)}}
