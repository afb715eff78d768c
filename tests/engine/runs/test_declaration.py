"""What is declared for an adapter and for its server, as it lands in the manifests."""

import json
from typing import Any

import pytest
import yaml

from dittoinfra.changes import Changes
from lab.simulator import SimulatedDittoFS
from tests.engine.world import CREDENTIALS, STACK, World, server


def ports(service: dict[str, Any]) -> list[tuple[str, int, int | str, str]]:
    return [(p["name"], p["port"], p["targetPort"], p["protocol"]) for p in service["spec"]["ports"]]


def container_ports(world: World) -> list[tuple[str, int, str]]:
    document = yaml.safe_load((world.manifests / "files" / "statefulset-media.yaml").read_text())
    (container,) = document["spec"]["template"]["spec"]["containers"]
    return [(p["name"], p["containerPort"], p["protocol"]) for p in container["ports"]]


def test_an_adapter_service_field_by_field(world: World, dittofs: SimulatedDittoFS) -> None:
    world.configure(server(dittofs, labels={"team": "storage"}))
    world.up()

    assert world.services()["media-adapter-nfs"] == {
        "apiVersion": "v1",
        "kind": "Service",
        "metadata": {
            "name": "media-adapter-nfs",
            "namespace": "files",
            "labels": {
                "app": "dittofs-server",
                "instance": "media",
                "dittofs.io/adapter-service": "true",
                "dittofs.io/adapter-type": "nfs",
                "app.kubernetes.io/name": "dittofs",
                "app.kubernetes.io/instance": "media",
                "app.kubernetes.io/part-of": "dittofs",
                "app.kubernetes.io/component": "adapter",
                "app.kubernetes.io/managed-by": "pulumi",
                "team": "storage",
            },
            "annotations": {"pulumi.com/skipAwait": "true"},
        },
        "spec": {
            "type": "LoadBalancer",
            "selector": {"app": "dittofs-server", "instance": "media"},
            "ports": [{"name": "adapter-nfs", "port": 12049, "targetPort": 12049, "protocol": "TCP"}],
        },
    }


def test_settings_of_stack_server_and_adapter_come_together_in_the_service(
    world: World, dittofs: SimulatedDittoFS
) -> None:
    everyone: dict[str, Any] = {
        "service": {"annotations": {"a": "stack", "b": "stack"}, "sourceRanges": ["10.0.0.0/8"]}
    }
    ours = {
        "service": {"annotations": {"b": "server"}, "externalTrafficPolicy": "Local", "wait": True},
        "types": {
            "nfs": {
                "servicePort": 2049,
                "annotations": {"c": "adapter"},
                "loadBalancerClass": "example.com/lb",
                "sessionAffinity": "ClientIP",
                "ipFamilyPolicy": "PreferDualStack",
            },
            "smb": {"type": "ClusterIP", "servicePort": 445, "sourceRanges": []},
        },
    }
    world.configure(server(dittofs, adapters=ours), adapters=everyone)
    world.up()

    nfs, smb = (world.services()[f"media-adapter-{t}"] for t in ("nfs", "smb"))
    assert nfs["metadata"]["annotations"] == {"a": "stack", "b": "server", "c": "adapter"}
    assert ports(nfs) == [("adapter-nfs", 2049, 12049, "TCP")]
    spec = {key: value for key, value in nfs["spec"].items() if key not in ("ports", "selector")}
    assert spec == {
        "type": "LoadBalancer",
        "externalTrafficPolicy": "Local",
        "loadBalancerClass": "example.com/lb",
        "loadBalancerSourceRanges": ["10.0.0.0/8"],
        "sessionAffinity": "ClientIP",
        "ipFamilyPolicy": "PreferDualStack",
    }
    assert set(smb["spec"]) == {"type", "selector", "ports"}, "a ClusterIP has no use for the others"

    del everyone["service"]["annotations"]["a"]
    world.configure(server(dittofs, adapters=ours), adapters=everyone)
    assert world.run_changes() == Changes(update=2, same=2)
    assert "a" not in world.services()["media-adapter-nfs"]["metadata"]["annotations"]


def test_the_operator_preset_gives_exactly_the_operators_ports(
    world: World, dittofs: SimulatedDittoFS
) -> None:
    world.configure(
        server(dittofs, deploy={"credentials": CREDENTIALS}), adapters={"service": {"preset": "operator"}}
    )
    world.up()

    assert ports(world.services()["media-adapter-nfs"]) == [
        ("adapter-nfs", 12049, 12049, "TCP"),
        ("portmap", 111, 10111, "TCP"),
        ("portmap-udp", 111, 10111, "UDP"),
        ("adapter-nfs-udp", 12049, 12049, "UDP"),
        ("mdns", 5353, 5353, "UDP"),
    ]
    assert ports(world.services()["media-adapter-smb"]) == [
        ("adapter-smb", 12445, 12445, "TCP"),
        ("mdns", 5353, 5353, "UDP"),
        ("wsd", 3702, 3702, "UDP"),
        ("wsd-meta", 5357, 5357, "TCP"),
    ]
    assert container_ports(world) == [
        ("api", 8080, "TCP"),
        ("adapter-nfs", 12049, "TCP"),
        ("adapter-smb", 12445, "TCP"),
        ("adapter-nfs-pm", 10111, "TCP"),
        ("adapter-pm-udp", 10111, "UDP"),
        ("adapter-nfs-udp", 12049, "UDP"),
        ("adapter-mdns", 5353, "UDP"),
        ("adapter-wsd", 3702, "UDP"),
        ("adapter-wsdmeta", 5357, "TCP"),
    ]
    world.assert_settled()


def test_split_udp_gives_each_protocol_its_service_and_memory_is_not_confused(
    world: World, dittofs: SimulatedDittoFS
) -> None:
    split = {"service": {"preset": "operator", "splitUdp": True}}
    world.configure(server(dittofs), adapters=split)
    world.up()

    services = world.services()
    assert {p[3] for p in ports(services["media-adapter-nfs"])} == {"TCP"}
    assert ports(services["media-adapter-nfs-udp"]) == [
        ("portmap-udp", 111, 10111, "UDP"),
        ("adapter-nfs-udp", 12049, 12049, "UDP"),
        ("mdns", 5353, 5353, "UDP"),
    ]
    dittofs.outage()
    assert not world.up().changes.any
    dittofs.normal()

    world.configure(server(dittofs), approveRemovals=["media/nfs", "media/smb"])
    world.up()
    assert set(world.services()) == {"media-adapter-nfs", "media-adapter-smb"}


def test_a_deployed_server_has_its_ports_in_one_stable_order(world: World, dittofs: SimulatedDittoFS) -> None:
    world.configure(server(dittofs, deploy={"credentials": CREDENTIALS, "metrics": {"enabled": True}}))
    world.up()

    headless = world.services()["media-headless"]
    assert headless["spec"]["clusterIP"] == "None"
    assert headless["spec"]["publishNotReadyAddresses"] is True, (
        "a Pod is found by its name before it is ready"
    )
    assert headless["spec"]["selector"] == {"app": "dittofs-server", "instance": "media"}
    assert headless["metadata"] == {
        "name": "media-headless",
        "namespace": "files",
        "labels": {
            "app": "dittofs-server",
            "instance": "media",
            "app.kubernetes.io/name": "dittofs",
            "app.kubernetes.io/instance": "media",
            "app.kubernetes.io/part-of": "dittofs",
            "app.kubernetes.io/managed-by": "pulumi",
        },
        "annotations": {"pulumi.com/skipAwait": "true"},
    }
    assert ports(headless) == [
        ("api", 8080, "api", "TCP"),
        ("adapter-nfs", 12049, "adapter-nfs", "TCP"),
        ("adapter-smb", 12445, "adapter-smb", "TCP"),
    ]
    before = container_ports(world)
    assert before == [
        ("api", 8080, "TCP"),
        ("metrics", 9090, "TCP"),
        ("adapter-nfs", 12049, "TCP"),
        ("adapter-smb", 12445, "TCP"),
    ]

    dittofs.remove_adapter("nfs")
    report = world.up()
    assert [step.name for step in report.steps] == ["media/nfs"], "an absence restarts nothing"
    assert container_ports(world) == before


def test_outputs_tell_where_each_adapter_is_found(world: World, dittofs: SimulatedDittoFS) -> None:
    world.configure(server(dittofs, adapters={"types": {"smb": {"servicePort": 445}}}))

    outputs = world.up().outputs["servers"]["media"]

    assert outputs["namespace"] == "files"
    assert outputs["adapters"]["smb"] == {
        "state": "serving",
        "port": 12445,
        "endpoints": {
            "type": "LoadBalancer",
            "internal": "media-adapter-smb.files.svc:445",
            "external": [],
        },
    }
    assert [(c["type"], c["status"]) for c in outputs["conditions"]] == [
        ("APIReachable", "True"),
        ("AdaptersReady", "True"),
        ("Ready", "Unknown"),
    ]


def test_the_page_of_the_stack_stays_the_same_while_what_is_declared_does(
    world: World, dittofs: SimulatedDittoFS
) -> None:
    world.configure(server(dittofs))
    page = world.up().outputs["readme"]
    assert "media-adapter-nfs.files.svc:12049" in page

    # States, conditions and the count of absences are in other outputs.
    dittofs.remove_adapter("nfs")
    assert world.up().outputs["readme"] == page
    dittofs.outage()
    assert world.up().outputs["readme"] == page
    dittofs.normal()
    dittofs.disable("smb")
    assert "adapter-smb" not in world.up().outputs["readme"]


@pytest.mark.parametrize("count", [100])
def test_a_hundred_servers_are_one_run(world: World, dittofs: SimulatedDittoFS, count: int) -> None:
    world.configure(*[server(dittofs, f"s{index:03}", api={"deadline": "60s"}) for index in range(count)])

    report = world.preview()

    assert report.changes == Changes(create=1 + count * 3)
    assert not report.lines("warning")


def test_the_state_has_no_call_stacks_and_no_paths_of_this_machine(
    world: World, dittofs: SimulatedDittoFS
) -> None:
    world.configure(server(dittofs, deploy={"credentials": CREDENTIALS}))
    world.up()

    (path,) = (world.root / ".pulumi" / "stacks").rglob(f"{STACK}.json")
    resources = json.loads(path.read_text())["checkpoint"]["latest"]["resources"]
    ours = [each for each in resources if each["type"].startswith(("kubernetes:", "dittoinfra:"))]

    assert {each["type"].rpartition(":")[2] for each in ours} >= {"Server", "Service", "StatefulSet"}
    assert not [each["urn"] for each in ours if {"stackTrace", "sourcePosition"} & each.keys()]
