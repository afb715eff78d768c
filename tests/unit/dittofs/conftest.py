"""A simulated server with our user on it."""

from collections.abc import Iterator

import pytest

from lab.simulator import SimulatedDittoFS
from lab.simulator.versions import V0_27
from tests.unit.dittofs.bench import PASSWORD, USERNAME


@pytest.fixture
def server() -> Iterator[SimulatedDittoFS]:
    with SimulatedDittoFS() as simulated:
        simulated.add_user(USERNAME, PASSWORD)
        yield simulated


@pytest.fixture
def old_server() -> Iterator[SimulatedDittoFS]:
    with SimulatedDittoFS(version=V0_27) as simulated:
        yield simulated
