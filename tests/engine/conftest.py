"""Fixtures for tests of whole stacks: a stack, a namespace and a server per test."""

from collections.abc import Iterator
from pathlib import Path

import pytest
from pulumi.automation import PulumiCommand

from lab.bed.kubernetes import KubernetesApi
from lab.simulator import SimulatedDittoFS
from tests.engine.namespace import Namespace
from tests.engine.world import World, world_on
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
def namespace(kubernetes_api: KubernetesApi) -> Iterator[Namespace]:
    """A new namespace in that API."""
    with kubernetes_api.client() as client:
        yield Namespace(kubernetes_api.namespace(), client)


@pytest.fixture
def dittofs(world: World) -> Iterator[SimulatedDittoFS]:
    """A simulated server with nfs on 12049 and smb on 12445, both running."""
    with SimulatedDittoFS(admin_password=world.password) as simulated:
        simulated.set_adapter("nfs", port=12049)
        simulated.set_adapter("smb", port=12445)
        yield simulated
