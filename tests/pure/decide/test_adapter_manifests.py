"""What is declared for a server's adapters, to the last field."""

from typing import Any

import pytest

from dittoinfra.decide.adapter_manifests import adapter_objects, needs_only_these
from dittoinfra.decide.names import NamedAdapter
from dittoinfra.model import DeclaredAdapter, HostNames, Located, State
from dittoinfra.object_model import HeldObject
from dittoinfra.settings import ServerSettings
from tests.pure.decide.make import server

NFS = DeclaredAdapter("nfs", 12049, State.SERVING)
OFFICE = {"ipBlock": {"cidr": "10.0.0.0/8"}}
CREDENTIALS = {"jwt": {"secret": "s", "key": "k"}, "adminPassword": {"secret": "s", "key": "k"}}


def manifests(
    settings: ServerSettings, adapter: DeclaredAdapter = NFS, named: NamedAdapter | None = None
) -> dict[str, Any]:
    names = {adapter.type: named} if named else {}
    found = adapter_objects(settings, (adapter,), names, frozenset())
    assert {this.server for this in found} == {settings.name}
    return {f"{this.held.api_version} {this.held.kind} {this.held.name}": this.manifest for this in found}


def named(kind: str = "Service", *addresses: str) -> NamedAdapter:
    names = HostNames("media", "nfs", "files", "media-adapter-nfs", "external-dns", "nfs.example.com")
    object.__setattr__(names, "kind", kind)
    return NamedAdapter(names, {"external-dns/hostname": "nfs.example.com"}, Located(addresses))


def test_a_service_is_declared_to_the_last_field() -> None:
    found = manifests(server(namespace="files", adapters={"service": {"sourceRanges": ["10.0.0.0/8"]}}))

    assert found == {
        "v1 Service media/nfs": {
            "apiVersion": "v1",
            "kind": "Service",
            "metadata": {
                "name": "media-adapter-nfs",
                "namespace": "files",
                "labels": found["v1 Service media/nfs"]["metadata"]["labels"],
                "annotations": {"pulumi.com/skipAwait": "true"},
            },
            "spec": {
                "type": "LoadBalancer",
                "selector": {"app": "dittofs-server", "instance": "media"},
                "ports": [
                    {"name": "adapter-nfs", "port": 12049, "targetPort": 12049, "protocol": "TCP"},
                ],
                "loadBalancerSourceRanges": ["10.0.0.0/8"],
            },
        }
    }


def test_fields_that_a_type_has_no_use_for_are_left_out() -> None:
    inside = {"type": "ClusterIP", "wait": True}
    outside = {"type": "NodePort", "externalTrafficPolicy": "Local", "sessionAffinity": "ClientIP"}

    (within,) = manifests(server(adapters={"service": inside})).values()
    (beyond,) = manifests(server(adapters={"service": outside})).values()

    assert within["spec"].keys() == {"type", "selector", "ports"}
    assert "annotations" not in within["metadata"]
    assert beyond["spec"]["externalTrafficPolicy"] == "Local"
    assert beyond["spec"]["sessionAffinity"] == "ClientIP"


def test_only_the_first_of_two_services_has_the_host_name() -> None:
    settings = server(adapters={"types": {"nfs": {"extras": {"udp": True}, "splitUdp": True}}})
    absent = DeclaredAdapter("nfs", 12049, State.ABSENT, absences=2)

    found = manifests(settings, absent, named())

    annotations = {name: this["metadata"]["annotations"] for name, this in found.items()}
    assert {"external-dns/hostname" in each for each in annotations.values()} == {True, False}
    assert len(annotations) == 2
    assert all("2" in each.values() for each in annotations.values())
    protocols = [[port["protocol"] for port in this["spec"]["ports"]] for this in found.values()]
    assert sorted(protocols) == [["TCP"], ["UDP"]]


def test_policies_let_in_what_the_settings_say() -> None:
    policy = {"mode": "defaultDeny", "from": [OFFICE], "ports": [8080]}
    found = manifests(server(networkPolicy=policy))

    names = {name.rpartition(" ")[2]: this for name, this in found.items() if "NetworkPolicy" in name}
    assert set(names) == {"media/nfs", "media-baseline", "media-default-deny"}
    assert names["media/nfs"]["spec"]["ingress"][0]["from"] == [OFFICE]
    assert "ingress" not in names["media-default-deny"]["spec"]
    assert names["media/nfs"]["spec"]["podSelector"] == {
        "matchLabels": {"app": "dittofs-server", "instance": "media"}
    }


def test_a_service_that_is_still_being_deleted_is_left_out() -> None:
    waiting = frozenset({HeldObject("v1", "Service", "media/nfs")})

    assert adapter_objects(server(), (NFS,), {}, waiting) == ()


@pytest.mark.parametrize(
    ("settings", "names", "enough"),
    [
        (server(), {}, True),
        (server(), {"nfs": named()}, True),
        (server(), {"nfs": named("HostMapping")}, True),
        (server(), {"nfs": named("HostMapping", "192.0.2.1")}, False),
        (server(patchPorts=True), {}, False),
        (server(deploy={"credentials": CREDENTIALS}), {}, False),
    ],
)
def test_a_server_with_more_than_adapters_is_declared_by_the_provider(
    settings: ServerSettings, names: dict[str, NamedAdapter], enough: bool
) -> None:
    assert needs_only_these(settings, names) is enough
