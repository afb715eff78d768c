"""A simulated server with our user on it."""

from collections.abc import Iterator

import pytest

from dittoinfra.simulator import SimulatedDittoFS
from tests.dittofs.bench import PASSWORD, USERNAME


@pytest.fixture
def server() -> Iterator[SimulatedDittoFS]:
    with SimulatedDittoFS() as simulated:
        simulated.add_user(USERNAME, PASSWORD)
        yield simulated


@pytest.fixture
def old_server() -> Iterator[SimulatedDittoFS]:
    with SimulatedDittoFS(version="0.27") as simulated:
        yield simulated
