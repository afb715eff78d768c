"""What the tests of the stand-in provider share."""

from collections.abc import Iterator
from pathlib import Path

import pytest
from pulumi import automation as auto

from dittoinfra.kubernetes import Cluster, connect
from lab.bed.cluster import KubernetesCluster
from lab.standin import ApiStore, StandInProvider
from tests.contract.standin.bench import Bench
from tests.contract.standin.objects import Objects


@pytest.fixture
def cluster(kubernetes_cluster: KubernetesCluster) -> Iterator[Cluster]:
    """A whole cluster: a deletion is waited for, and only the garbage collector finishes it."""
    with connect(str(kubernetes_cluster.kubeconfig)) as cluster:
        yield cluster


@pytest.fixture
def namespace(kubernetes_cluster: KubernetesCluster) -> str:
    return kubernetes_cluster.namespace()


@pytest.fixture
def services(cluster: Cluster, namespace: str) -> Objects:
    """The Services of the test's own namespace."""
    return Objects(cluster, f"/api/v1/namespaces/{namespace}/services")


@pytest.fixture
def api_bench(pulumi_cli: auto.PulumiCommand, tmp_path: Path, cluster: Cluster) -> Iterator[Bench]:
    """An engine whose objects end up in a real API."""
    with StandInProvider(ApiStore(cluster)) as provider:
        yield Bench(pulumi_cli, tmp_path, provider.environment())
