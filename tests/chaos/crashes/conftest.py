"""One project per test, in a namespace of its own."""

from collections.abc import Iterator
from pathlib import Path

import pytest
from pulumi.automation import PulumiCommand

from lab.bed.kubernetes import KubernetesApi
from tests.chaos.crashes.site import Site
from tests.chaos.crashes.site import site as new_site


@pytest.fixture
def site(pulumi_cli: PulumiCommand, kubernetes_api: KubernetesApi, tmp_path: Path) -> Iterator[Site]:
    """A project without a stack yet."""
    with new_site(pulumi_cli, kubernetes_api, tmp_path) as fresh:
        yield fresh
