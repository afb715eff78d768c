"""One world with one simulated server, or one project, per test."""

from collections.abc import Iterator
from pathlib import Path

import pytest
from pulumi.automation import PulumiCommand

from tests.engine.cli import fleet_bed


@pytest.fixture
def fleet(pulumi_cli: PulumiCommand, tmp_path: Path) -> Iterator[fleet_bed.Fleet]:
    """A project without stacks yet."""
    with fleet_bed.fleet(tmp_path, pulumi_cli) as fresh:
        yield fresh
