"""A stack whose names land in manifests, and one whose names land in a real Kubernetes API."""

from collections.abc import Iterator
from pathlib import Path

import pytest
from pulumi.automation import PulumiCommand

from dittoinfra.cluster import connect
from dittoinfra.simulator import SimulatedDittoFS
from dittoinfra.standin import ApiStore
from tests.bed.kubernetes import KubernetesApi
from tests.deploy.namespace import Namespace
from tests.e2e.world import World
from tests.e2e.world import world as new_world


@pytest.fixture
def world(pulumi_cli: PulumiCommand, tmp_path: Path) -> Iterator[World]:
    """A fresh stack whose manifests land in a folder."""
    with new_world(pulumi_cli, tmp_path) as fresh:
        yield fresh


@pytest.fixture
def dittofs(world: World) -> Iterator[SimulatedDittoFS]:
    """A simulated server with nfs on 12049 and smb on 12445, both running."""
    with SimulatedDittoFS(admin_password=world.password) as simulated:
        simulated.set_adapter("nfs", port=12049)
        simulated.set_adapter("smb", port=12445)
        yield simulated


@pytest.fixture
def cluster_world(
    pulumi_cli: PulumiCommand, kubernetes_api: KubernetesApi, tmp_path: Path
) -> Iterator[World]:
    """A fresh stack whose objects land in a real Kubernetes API, which the program asks as well."""
    kubeconfig = kubernetes_api.kubeconfig
    with (
        connect(str(kubeconfig), None) as cluster,
        new_world(pulumi_cli, tmp_path, store=ApiStore(cluster), kubeconfig=kubeconfig) as fresh,
    ):
        yield fresh


@pytest.fixture
def namespace(kubernetes_api: KubernetesApi) -> Iterator[Namespace]:
    """A namespace of its own in that API."""
    with kubernetes_api.client() as client:
        yield Namespace(kubernetes_api.namespace(), client)
