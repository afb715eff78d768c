"""Simulated servers to watch."""

from collections.abc import Iterator

import pytest

from lab.simulator import SimulatedDittoFS
from tests.engine.world import simulated_server
from tests.unit.dittofs.bench import simulated_with_user
from tests.unit.watch.stage import PASSWORD


@pytest.fixture
def dittofs() -> Iterator[SimulatedDittoFS]:
    """A simulated server with nfs on 12049 and smb on 12445, both running."""
    with simulated_server(PASSWORD) as simulated:
        yield simulated


@pytest.fixture
def server() -> Iterator[SimulatedDittoFS]:
    """A simulated server with our user on it."""
    with simulated_with_user() as simulated:
        yield simulated
