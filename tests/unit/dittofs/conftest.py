"""A simulated server with our user on it."""

from collections.abc import Iterator

import pytest

from lab.simulator import SimulatedDittoFS
from lab.simulator.versions import V0_27
from tests.unit.dittofs.bench import simulated_with_user


@pytest.fixture
def server() -> Iterator[SimulatedDittoFS]:
    with simulated_with_user() as simulated:
        yield simulated


@pytest.fixture
def old_server() -> Iterator[SimulatedDittoFS]:
    with SimulatedDittoFS(version=V0_27) as simulated:
        yield simulated
