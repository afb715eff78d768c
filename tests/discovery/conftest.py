"""A stack on the real engine whose servers are found in a real Kubernetes API."""

from collections.abc import Iterator
from pathlib import Path

import pytest
from pulumi.automation import PulumiCommand

from dittoinfra.cluster import connect
from dittoinfra.simulator import SimulatedDittoFS
from dittoinfra.standin import ApiStore
from tests.bed.kubernetes import KubernetesApi
from tests.discovery.between import Between, standing_between
from tests.discovery.place import Place
from tests.e2e.world import World
from tests.e2e.world import world as new_world


@pytest.fixture
def place(kubernetes_api: KubernetesApi) -> Iterator[Place]:
    """A namespace of its own."""
    with kubernetes_api.client() as client:
        yield Place(kubernetes_api, client)


@pytest.fixture
def between(kubernetes_api: KubernetesApi, tmp_path: Path) -> Iterator[Between]:
    """How the program, though not the provider, reaches the API."""
    with standing_between(kubernetes_api, tmp_path / "between.yaml") as standing:
        yield standing


@pytest.fixture
def world(
    pulumi_cli: PulumiCommand, kubernetes_api: KubernetesApi, between: Between, tmp_path: Path
) -> Iterator[World]:
    """A fresh stack whose objects land in the API."""
    root = tmp_path / "project"
    root.mkdir()
    with (
        connect(str(kubernetes_api.kubeconfig), None) as cluster,
        new_world(pulumi_cli, root, store=ApiStore(cluster), kubeconfig=between.kubeconfig) as fresh,
    ):
        yield fresh


@pytest.fixture
def dittofs(world: World) -> Iterator[SimulatedDittoFS]:
    """The API behind every server, with nfs on 12049 and smb on 12445."""
    with SimulatedDittoFS(admin_password=world.password) as simulated:
        simulated.set_adapter("nfs", port=12049)
        simulated.set_adapter("smb", port=12445)
        yield simulated
