"""One project per test."""

from collections.abc import Iterator
from pathlib import Path

import pytest
from pulumi.automation import PulumiCommand

from lab.bed.kubernetes import KubernetesApi
from tests.engine.cli import fleet_bed
from tests.engine.cli.cluster_bed import ClusterFleet, cluster_fleet


@pytest.fixture
def fleet(pulumi_cli: PulumiCommand, tmp_path: Path) -> Iterator[fleet_bed.Fleet]:
    """A project without stacks yet; the CLI is there before the command looks for it."""
    with fleet_bed.fleet(tmp_path, pulumi_cli) as fresh:
        yield fresh


@pytest.fixture
def cluster(
    pulumi_cli: PulumiCommand, kubernetes_api: KubernetesApi, tmp_path: Path
) -> Iterator[ClusterFleet]:
    """The same in a real cluster."""
    with cluster_fleet(pulumi_cli, kubernetes_api, tmp_path) as fresh:
        yield fresh
