"""A server that only the cluster reaches: deployed, started, asked through the Kubernetes API, followed."""

from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

import pytest
from pulumi.automation import PulumiCommand

from dittoinfra.exitcodes import ExitCode
from lab.bed.cluster import KubernetesCluster
from lab.bed.credential_files import holds_credentials
from lab.bed.dfs import RealDittoFS
from tests.engine.world import CREDENTIALS, PASSWORD_ENV, World
from tests.engine.world import world as new_world

READER = "dittoinfra"


@pytest.fixture
def cluster_world(pods_world: World) -> World:
    return pods_world


@pytest.fixture
def dfs(cluster_world: World, dfs_binary: Path, tmp_path: Path) -> Iterator[RealDittoFS]:
    with RealDittoFS(dfs_binary, tmp_path / "dfs") as real:
        real.create_user(READER, cluster_world.password)
        yield real


def deployed(namespace: str, **settings: object) -> dict[str, Any]:
    """A server that has a password and no address."""
    api = {"username": READER, "passwordEnv": PASSWORD_ENV}
    return {
        "name": "media",
        "namespace": namespace,
        "api": api,
        "deploy": {"credentials": CREDENTIALS},
        **settings,
    }


def adapter_ports(cluster: KubernetesCluster, namespace: str) -> Mapping[str, int]:
    query = {"labelSelector": "dittofs.io/adapter-service=true"}
    with cluster.client() as client:
        listed = client.get(f"/api/v1/namespaces/{namespace}/services", params=query).raise_for_status()
    return {s["metadata"]["name"]: s["spec"]["ports"][0]["targetPort"] for s in listed.json()["items"]}


def test_a_deployed_server_is_followed_without_an_address(
    cluster_world: World, kubernetes_cluster: KubernetesCluster, dfs: RealDittoFS
) -> None:
    world, cluster = cluster_world, kubernetes_cluster
    namespace = cluster.namespace()
    world.configure(deployed(namespace))

    # Nothing runs yet: everything but the adapters is declared, and the run says why.
    first = world.up()
    assert f"there is no Pod media-0 in namespace {namespace}" in "\n".join(first.lines("warning"))
    assert adapter_ports(cluster, namespace) == {}

    # The cluster has made its Pod: the next run finds the server in it.
    cluster.wait_for_pod(namespace, "media-0")
    cluster.forward(namespace, "media-0", 8080, dfs.port)
    world.up()
    ports = {f"media-adapter-{name}": each["port"] for name, each in dfs.adapters().items()}
    assert adapter_ports(cluster, namespace) == ports
    world.assert_settled()

    # A user who may not go that way keeps everything, and learns what to ask for.
    restricted = cluster.kubeconfig_with(namespace)
    world.provider_settings = {"kubeconfig": restricted}
    holds_credentials(world.root / "stacks", "a kubeconfig that is not encrypted")
    world.configure(deployed(namespace))
    refused = world.preview()
    assert not refused.changes.any
    assert f"may not get pods in namespace {namespace}; allow it with the Role dittoinfra" in "\n".join(
        refused.lines("warning")
    )
    assert "kind: Role" in refused.lines("info")

    # The same with a run that must not go on like this.
    world.configure(deployed(namespace, onUnreachable="fail"))
    stopped = world.stack.preview()
    assert stopped.exit_code == ExitCode.AUTHENTICATION
    assert "kind: Role" in stopped.lines("info")


def test_where_manifests_are_rendered_no_cluster_is_asked(pulumi_cli: PulumiCommand, tmp_path: Path) -> None:
    with new_world(pulumi_cli, tmp_path) as world:
        world.configure(deployed("files"))

        said = "\n".join(world.preview().lines("warning"))

    assert "media: " in said
    assert "there is no cluster to reach it through: the server is not asked" in said
