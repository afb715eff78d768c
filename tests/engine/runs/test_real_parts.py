"""What shows only with every part real: the engine, the Kubernetes API and the DittoFS server."""

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from lab.bed.dfs import RealDittoFS
from tests.engine.namespace import Namespace
from tests.engine.world import PASSWORD_ENV, World

READER = "dittoinfra"


@pytest.fixture
def world(provider_world: World) -> World:
    return provider_world


@pytest.fixture
def dfs(dfs_binary: Path, world: World, tmp_path: Path) -> Iterator[RealDittoFS]:
    """The real server, and a least-privileged user to ask it."""
    directory = tmp_path / "dfs"
    directory.mkdir()
    with RealDittoFS(dfs_binary, directory) as running:
        running.create_user(READER, world.password, "user")
        yield running


def configured(dfs: RealDittoFS, namespace: Namespace, **settings: object) -> dict[str, object]:
    api = {"url": dfs.url, "username": READER, "passwordEnv": PASSWORD_ENV, "deadline": "5s"}
    return {"name": "media", "namespace": namespace.name, "api": api, **settings}


def test_ports_are_patched_onto_a_foreign_statefulset(
    world: World, dfs: RealDittoFS, namespace: Namespace
) -> None:
    theirs = "apis/apps/v1:statefulsets"
    namespace.create(theirs, foreign_statefulset())

    def container() -> dict[str, Any]:
        spec = namespace.get(f"{theirs}/media")["spec"]["template"]["spec"]
        return dict(spec["containers"][0])

    world.configure(configured(dfs, namespace, patchPorts=True))
    world.up()
    assert [port["name"] for port in container()["ports"]] == ["api", "adapter-nfs", "adapter-smb"]
    assert container()["image"] == "theirs:1"
    world.assert_settled()

    dfs.disable("smb")
    world.up()
    assert [port["name"] for port in container()["ports"]] == ["api", "adapter-nfs"]

    assert world.stack.destroy().ok
    assert [port["name"] for port in container()["ports"]] == ["api"]


def test_the_same_port_in_tcp_and_udp_survives_updates(
    world: World, dfs: RealDittoFS, namespace: Namespace
) -> None:
    world.configure(configured(dfs, namespace), adapters={"service": {"preset": "operator"}})
    world.up()
    world.configure(
        configured(dfs, namespace),
        adapters={"service": {"preset": "operator", "annotations": {"example.com/a": "b"}}},
    )

    world.up()

    ports = namespace.services()["media-adapter-nfs"]["spec"]["ports"]
    assert [(p["name"], p["protocol"]) for p in ports] == [
        ("adapter-nfs", "TCP"),
        ("portmap", "TCP"),
        ("portmap-udp", "UDP"),
        ("adapter-nfs-udp", "UDP"),
        ("mdns", "UDP"),
    ]
    world.assert_settled()


def test_edits_in_the_cluster_do_not_make_a_service_forgotten(
    world: World, dfs: RealDittoFS, namespace: Namespace
) -> None:
    world.configure(configured(dfs, namespace))
    world.up()
    path = "api/v1:services/media-adapter-smb"
    labels = dict.fromkeys(("dittofs.io/adapter-service", "dittofs.io/adapter-type", "instance"))
    namespace.merge(path, {"metadata": {"labels": labels}})
    assert world.stack.refresh().ok

    dfs.stop()
    world.up()

    restored = namespace.get(path)
    assert restored["metadata"]["labels"]["dittofs.io/adapter-type"] == "smb"


def foreign_statefulset() -> dict[str, Any]:
    labels = {"app": "dittofs-server", "instance": "media"}
    container = {
        "name": "dittofs",
        "image": "theirs:1",
        "ports": [{"name": "api", "containerPort": 8080, "protocol": "TCP"}],
    }
    return {
        "metadata": {"name": "media"},
        "spec": {
            "serviceName": "media-headless",
            "selector": {"matchLabels": labels},
            "template": {"metadata": {"labels": labels}, "spec": {"containers": [container]}},
        },
    }
