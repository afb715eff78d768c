"""One world and one simulated server per test."""

from collections.abc import Iterator
from pathlib import Path

import pytest
from pulumi.automation import PulumiCommand

from dittoinfra.simulator import SimulatedDittoFS
from tests.e2e.world import World
from tests.e2e.world import world as new_world


@pytest.fixture
def world(pulumi_cli: PulumiCommand, tmp_path: Path) -> Iterator[World]:
    """A fresh stack whose manifests land in a folder."""
    with new_world(pulumi_cli, tmp_path) as fresh:
        yield fresh


@pytest.fixture
def dittofs(world: World) -> Iterator[SimulatedDittoFS]:
    """A simulated server with nfs on 12049 and smb on 12445, both running."""
    with SimulatedDittoFS(admin_password=world.password) as simulated:
        simulated.set_adapter("nfs", port=12049)
        simulated.set_adapter("smb", port=12445)
        yield simulated
