"""Fixtures for tests of whole stacks: a stack, a namespace and a server per test."""

from collections.abc import Iterator
from pathlib import Path

import httpx
import pytest
from pulumi.automation import PulumiCommand

from dittoinfra.kubernetes import Cluster, connect
from lab.bed.cluster import KubernetesCluster
from lab.bed.kubernetes import KubernetesApi
from lab.simulator import SimulatedDittoFS
from tests.engine.cli import fleet_bed
from tests.engine.deploy.operator_made import OperatorMade
from tests.engine.discovery.server_namespace import ServerNamespace
from tests.engine.namespace import Namespace
from tests.engine.world import World, simulated_server, world_on
from tests.engine.world import world as new_world


@pytest.fixture
def world(pulumi_cli: PulumiCommand, tmp_path: Path) -> Iterator[World]:
    """A new stack whose manifests are written to a folder."""
    with new_world(pulumi_cli, tmp_path) as fresh:
        yield fresh


@pytest.fixture
def cluster_world(
    pulumi_cli: PulumiCommand, kubernetes_api: KubernetesApi, tmp_path: Path
) -> Iterator[World]:
    """A new stack whose objects are created in a real Kubernetes API, which the program also uses."""
    with world_on(kubernetes_api, pulumi_cli, tmp_path, kubernetes_api.kubeconfig) as fresh:
        yield fresh


@pytest.fixture
def provider_world(
    pulumi_cli: PulumiCommand, kubernetes_api: KubernetesApi, tmp_path: Path
) -> Iterator[World]:
    """The same for a program that has no kubeconfig: only the provider uses the API."""
    with world_on(kubernetes_api, pulumi_cli, tmp_path) as fresh:
        yield fresh


@pytest.fixture
def pods_world(
    pulumi_cli: PulumiCommand, kubernetes_cluster: KubernetesCluster, tmp_path: Path
) -> Iterator[World]:
    """A new stack in a real cluster, where controllers make Pods of StatefulSets."""
    with world_on(kubernetes_cluster, pulumi_cli, tmp_path, kubernetes_cluster.kubeconfig) as fresh:
        yield fresh


@pytest.fixture
def fleet(pulumi_cli: PulumiCommand, tmp_path: Path) -> Iterator[fleet_bed.Fleet]:
    """A project without stacks yet; the CLI is there before the command looks for it."""
    with fleet_bed.fleet(tmp_path, pulumi_cli) as fresh:
        yield fresh


@pytest.fixture
def namespace(kubernetes_api: KubernetesApi, kubernetes_client: httpx.Client) -> Namespace:
    """A new namespace in the Kubernetes API."""
    return Namespace(kubernetes_api.namespace(), kubernetes_client)


@pytest.fixture
def server_namespace(kubernetes_api: KubernetesApi, kubernetes_client: httpx.Client) -> ServerNamespace:
    """A new namespace in that API, for servers that a stack finds."""
    return ServerNamespace(kubernetes_api, kubernetes_client)


@pytest.fixture
def cluster(kubernetes_api: KubernetesApi) -> Iterator[Cluster]:
    """That API, as the command would reach it."""
    with connect(str(kubernetes_api.kubeconfig), None) as connected:
        yield connected


@pytest.fixture
def operator(kubernetes_api: KubernetesApi, kubernetes_client: httpx.Client) -> OperatorMade:
    """A server that the operator made in that API."""
    made = OperatorMade(Namespace(kubernetes_api.namespace(), kubernetes_client))
    made.make()
    return made


@pytest.fixture
def dittofs(world: World) -> Iterator[SimulatedDittoFS]:
    """The simulated server of the stack `world`."""
    with simulated_server(world.password) as simulated:
        yield simulated


@pytest.fixture
def served(cluster_world: World) -> Iterator[SimulatedDittoFS]:
    """The simulated server of the stack in the cluster."""
    with simulated_server(cluster_world.password) as simulated:
        yield simulated
