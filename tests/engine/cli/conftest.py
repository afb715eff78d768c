"""One project per test."""

from collections.abc import Iterator
from pathlib import Path

import pytest
from pulumi.automation import PulumiCommand

from lab.bed.kubernetes import KubernetesApi
from tests.engine.cli.cluster_bed import ClusterFleet, cluster_fleet


@pytest.fixture
def cluster(
    pulumi_cli: PulumiCommand, kubernetes_api: KubernetesApi, tmp_path: Path
) -> Iterator[ClusterFleet]:
    """A project whose stacks are in a real cluster."""
    with cluster_fleet(pulumi_cli, kubernetes_api, tmp_path) as fresh:
        yield fresh
