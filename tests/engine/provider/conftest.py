"""A stack whose objects land in a real Kubernetes, where controllers make Pods of StatefulSets."""

from collections.abc import Iterator

import pytest

from lab.bed.cluster import KubernetesCluster
from tests.engine.namespace import Namespace
from tests.engine.world import World


@pytest.fixture
def namespace(kubernetes_cluster: KubernetesCluster) -> Iterator[Namespace]:
    """A namespace of its own."""
    with kubernetes_cluster.client() as client:
        yield Namespace(kubernetes_cluster.namespace(), client)


@pytest.fixture
def world(pods_world: World) -> World:
    """A fresh stack on the strict stand-in for the official provider."""
    return pods_world
