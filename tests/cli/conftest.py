"""One project per test."""

from collections.abc import Iterator
from pathlib import Path

import pytest
from pulumi.automation import PulumiCommand

from tests.cli import fleet_bed


@pytest.fixture
def fleet(pulumi_cli: PulumiCommand, tmp_path: Path) -> Iterator[fleet_bed.Fleet]:
    """A project without stacks yet; the CLI is there before the command looks for it."""
    with fleet_bed.fleet(tmp_path, pulumi_cli) as fresh:
        yield fresh
