"""Fixture: one project per test, in its own namespace."""

from collections.abc import Iterator
from pathlib import Path
from zlib import crc32

import pytest
from pulumi.automation import PulumiCommand

from lab.bed.kubernetes import KubernetesApi
from lab.simulator.versions import in_turn
from tests.chaos.crashes.site import Site
from tests.chaos.crashes.site import site as new_site


@pytest.fixture
def site(
    request: pytest.FixtureRequest, pulumi_cli: PulumiCommand, kubernetes_api: KubernetesApi, tmp_path: Path
) -> Iterator[Site]:
    """A project without a stack yet; the test's name says which version its first server runs."""
    number = crc32(request.node.name.encode())
    with new_site(pulumi_cli, kubernetes_api, tmp_path) as fresh:
        fresh.fleet.versions = in_turn(number)
        print(f"the first server runs DittoFS {next(in_turn(number))}")  # noqa: T201 - shown where it fails
        yield fresh
