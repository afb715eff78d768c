"""A stack's life with every part real: the engine, the Kubernetes API and the DittoFS server."""

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import httpx
import pytest
from pulumi.automation import PulumiCommand

from dittoinfra.automation import Changes
from dittoinfra.cluster import connect
from dittoinfra.standin import ApiStore
from tests.bed.dfs import RealDittoFS
from tests.bed.kubernetes import KubernetesApi
from tests.bed.process import free_ports
from tests.e2e.world import CREDENTIALS, PASSWORD_ENV, World
from tests.e2e.world import world as new_world

READER = "dittoinfra"


class Namespace:
    """One namespace of the real Kubernetes API, seen with an administrator's eyes."""

    def __init__(self, api: KubernetesApi, client: httpx.Client) -> None:
        self.name = api.namespace()
        self._client = client

    def get(self, path: str) -> dict[str, Any]:
        response = self._client.get(self._url(path))
        response.raise_for_status()
        return dict(response.json())

    def services(self) -> dict[str, dict[str, Any]]:
        return {item["metadata"]["name"]: item for item in self.get("/api/v1:services")["items"]}

    def create(self, path: str, body: dict[str, Any]) -> None:
        self._client.post(self._url(path), json=body).raise_for_status()

    def merge(self, path: str, body: dict[str, Any]) -> None:
        headers = {"Content-Type": "application/merge-patch+json"}
        self._client.patch(self._url(path), json=body, headers=headers).raise_for_status()

    def delete(self, path: str) -> None:
        self._client.delete(self._url(path)).raise_for_status()

    def _url(self, path: str) -> str:
        group, _, rest = path.partition(":")
        return f"{group}/namespaces/{self.name}/{rest}"


@pytest.fixture
def namespace(kubernetes_api: KubernetesApi) -> Iterator[Namespace]:
    with kubernetes_api.client() as client:
        yield Namespace(kubernetes_api, client)


@pytest.fixture
def world(pulumi_cli: PulumiCommand, kubernetes_api: KubernetesApi, tmp_path: Path) -> Iterator[World]:
    with (
        connect(str(kubernetes_api.kubeconfig), None) as cluster,
        new_world(pulumi_cli, tmp_path, store=ApiStore(cluster)) as fresh,
    ):
        yield fresh


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


def identity(service: dict[str, Any]) -> tuple[str, str, list[int]]:
    """What clients and clouds know a Service by."""
    ports = [port.get("nodePort") for port in service["spec"]["ports"]]
    return service["metadata"]["uid"], service["spec"]["clusterIP"], ports


def test_the_life_of_a_stack(world: World, dfs: RealDittoFS, namespace: Namespace) -> None:
    world.configure(configured(dfs, namespace, deploy={"credentials": CREDENTIALS}))
    assert world.up().changes.creates == 11
    world.assert_settled()
    before = namespace.services()
    assert set(before) == {"media-headless", "media-api", "media-adapter-nfs", "media-adapter-smb"}

    # A cloud gives the Service an address and writes on it what it needs to remember.
    nfs = "/api/v1:services/media-adapter-nfs"
    namespace.merge(f"{nfs}/status", {"status": {"loadBalancer": {"ingress": [{"ip": "192.0.2.10"}]}}})
    namespace.merge(
        nfs, {"metadata": {"annotations": {"cloud.example/id": "lb-1"}, "finalizers": ["x.example/lb"]}}
    )
    world.assert_settled()

    port = dfs.adapters()["nfs"]["port"]
    dfs.set_port("nfs", *free_ports(1))
    report = world.up()
    assert report.changes == Changes(updates=3, sames=8), "the Service, the headless one and the StatefulSet"
    moved = namespace.get(nfs)
    assert moved["spec"]["ports"][0]["targetPort"] != port
    assert identity(moved) == identity(before["media-adapter-nfs"])
    assert moved["metadata"]["annotations"]["cloud.example/id"] == "lb-1"
    assert moved["status"]["loadBalancer"]["ingress"][0]["ip"] == "192.0.2.10"
    external = report.outputs["servers"]["media"]["adapters"]["nfs"]["endpoints"]["external"]
    assert external == [f"192.0.2.10:{moved['spec']['ports'][0]['port']}"]
    namespace.merge(nfs, {"metadata": {"finalizers": None}})

    dfs.kill()
    assert world.up().changes == Changes(sames=11)
    dfs.start()
    world.assert_settled()

    dfs.delete("smb")
    for _ in range(2):
        assert world.up().changes == Changes(updates=1, sames=10)
        assert "media-adapter-smb" in namespace.services()
    assert world.up().changes == Changes(deletes=2, updates=2, sames=7)
    assert set(namespace.services()) == {"media-headless", "media-api", "media-adapter-nfs"}

    dfs.disable("nfs")
    assert world.up().changes.deletes == 2
    assert set(namespace.services()) == {"media-headless", "media-api"}
    world.assert_settled()

    assert world.stack.destroy().ok
    assert namespace.services() == {}
    assert world.password not in str(world.stack.export())


def test_ports_are_patched_onto_a_statefulset_of_somebody_else(
    world: World, dfs: RealDittoFS, namespace: Namespace
) -> None:
    theirs = "/apis/apps/v1:statefulsets"
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


def test_edits_in_the_cluster_make_nobody_forget_a_service(
    world: World, dfs: RealDittoFS, namespace: Namespace
) -> None:
    world.configure(configured(dfs, namespace))
    world.up()
    path = "/api/v1:services/media-adapter-smb"
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
