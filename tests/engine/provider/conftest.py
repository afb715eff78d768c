"""A stack whose objects land in a real Kubernetes, where controllers make Pods of StatefulSets."""

from collections.abc import Iterator
from pathlib import Path

import pytest
from pulumi.automation import PulumiCommand

from lab.bed.cluster import KubernetesCluster
from tests.engine.namespace import Namespace
from tests.engine.world import World, world_on


@pytest.fixture
def namespace(kubernetes_cluster: KubernetesCluster) -> Iterator[Namespace]:
    """A namespace of its own."""
    with kubernetes_cluster.client() as client:
        yield Namespace(kubernetes_cluster.namespace(), client)


@pytest.fixture
def world(
    pulumi_cli: PulumiCommand, kubernetes_cluster: KubernetesCluster, tmp_path: Path
) -> Iterator[World]:
    """A fresh stack on the strict stand-in for the official provider."""
    with world_on(kubernetes_cluster, pulumi_cli, tmp_path, kubernetes_cluster.kubeconfig) as fresh:
        yield fresh
