"""What the tests of the stand-in provider share."""

from collections.abc import Iterator
from pathlib import Path

import pytest
from pulumi import automation as auto

from dittoinfra.cluster import Cluster, connect
from dittoinfra.standin import ApiStore, StandInProvider
from tests.bed.kubernetes import KubernetesApi
from tests.standin.bench import Bench
from tests.standin.objects import Objects


@pytest.fixture
def cluster(kubernetes_api: KubernetesApi) -> Iterator[Cluster]:
    with connect(str(kubernetes_api.kubeconfig)) as cluster:
        yield cluster


@pytest.fixture
def namespace(kubernetes_api: KubernetesApi) -> str:
    return kubernetes_api.namespace()


@pytest.fixture
def services(cluster: Cluster, namespace: str) -> Objects:
    """The Services of the test's own namespace."""
    return Objects(cluster, f"/api/v1/namespaces/{namespace}/services")


@pytest.fixture
def api_bench(pulumi_cli: auto.PulumiCommand, tmp_path: Path, cluster: Cluster) -> Iterator[Bench]:
    """An engine whose objects end up in a real API."""
    with StandInProvider(ApiStore(cluster)) as provider:
        yield Bench(pulumi_cli, tmp_path, provider.environment())
