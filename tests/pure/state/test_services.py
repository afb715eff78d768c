"""What the state's Services tell of adapters, whatever people did to them in the cluster."""

from typing import Any

import pytest

from dittoinfra.model import RememberedAdapter
from dittoinfra.state.remembered import adapters_with_service, remembered_adapters

SERVICE = "dittoinfra:index:Server$kubernetes:core/v1:Service"


def urn(name: str, qualified_type: str = SERVICE) -> str:
    return f"urn:pulumi:prod::dittoinfra::{qualified_type}::{name}"


def service(
    adapter_type: str = "nfs", target: object = 12049.0, annotations: dict[str, object] | None = None
) -> dict[str, Any]:
    ports = [{"name": f"adapter-{adapter_type}", "port": 2049.0, "targetPort": target}]
    outputs = {"metadata": {"namespace": "files", "annotations": annotations or {}}, "spec": {"ports": ports}}
    return {"type": "kubernetes:core/v1:Service", "outputs": outputs}


def test_an_adapter_is_remembered_with_the_port_behind_its_service() -> None:
    counted = service("smb", 12445.0, {"dittofs.io/absence-count": "2"})

    memory = adapters_with_service({urn("media/nfs"): service(), urn("media/smb"): counted})

    assert memory == {
        "media": {
            "nfs": RememberedAdapter("nfs", 12049, namespace="files"),
            "smb": RememberedAdapter("smb", 12445, 2, "files"),
        }
    }


@pytest.mark.parametrize(
    "other",
    [
        urn("media", "dittoinfra:index:Server$kubernetes:apps/v1:StatefulSet"),
        urn("media-headless"),
        urn("media/nfs", "dittoinfra:index:Server$kubernetes:networking.k8s.io/v1:NetworkPolicy"),
        urn("media/nfs", "kubernetes:core/v1:Service"),
        urn("udp:media/nfs"),
        urn("media"),
    ],
)
def test_nothing_else_is_taken_for_an_adapter(other: str) -> None:
    assert adapters_with_service({other: service()}) == {}


def test_a_second_service_for_udp_ports_is_remembered_with_its_adapter() -> None:
    state = {urn(name): service() for name in ("media/nfs", "udp:media/nfs", "home/nfs")}

    split = {
        server: nfs.split for server, each in adapters_with_service(state).items() for nfs in each.values()
    }
    assert split == {"media": True, "home": False}
    assert remembered_adapters(state)["media"]["nfs"].split


def test_a_second_service_is_remembered_where_the_first_one_is_gone() -> None:
    noted = {"outputs": {"adapters": {"nfs": {"port": 12049.0}}}}
    state = {urn("media", "dittoinfra:index:Server"): noted, urn("udp:media/nfs"): service()}

    assert remembered_adapters(state) == {
        "media": {"nfs": RememberedAdapter("nfs", 12049, namespace="files", split=True)}
    }


@pytest.mark.parametrize("text", ["", "-1", "two", "1.5", "99999", 3, None])
def test_an_overwritten_count_starts_anew(text: object) -> None:
    memory = adapters_with_service(
        {urn("media/nfs"): service(annotations={"dittofs.io/absence-count": text})}
    )

    assert memory["media"]["nfs"].absences == 0


@pytest.mark.parametrize("target", ["adapter-nfs", None, 0.0, 70000.0])
def test_an_adapter_whose_port_is_lost_is_not_forgotten(target: object) -> None:
    assert adapters_with_service({urn("media/nfs"): service(target=target)})["media"] == {
        "nfs": RememberedAdapter("nfs", None, namespace="files")
    }


@pytest.mark.parametrize("outputs", [None, {}, {"spec": None, "metadata": None}, {"spec": {"ports": None}}])
def test_a_service_that_tells_nothing_is_not_forgotten_either(outputs: object) -> None:
    assert adapters_with_service({urn("media/nfs"): {"outputs": outputs}})["media"]["nfs"].port is None
