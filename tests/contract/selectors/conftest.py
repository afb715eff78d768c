"""A real Kubernetes API to compare with."""

from collections.abc import Iterator

import pytest

from lab.bed.kubernetes import KubernetesApi
from tests.contract.selectors.cluster import Cluster


@pytest.fixture(scope="package")
def cluster(kubernetes_api: KubernetesApi) -> Iterator[Cluster]:
    """A namespace of its own in that API."""
    with kubernetes_api.client() as client:
        yield Cluster(kubernetes_api.namespace(), client)
