"""What is rendered has to suit the real server in each version that is tested."""

from pathlib import Path

import pytest

from lab.simulator.versions import TESTED, ServerVersion
from tests.dittofs_kinds import DfsBinaries


@pytest.fixture(scope="session", params=TESTED)
def dfs_binary(request: pytest.FixtureRequest, dfs_binaries: DfsBinaries) -> Path:
    """The real DittoFS server."""
    version: ServerVersion = request.param
    return dfs_binaries(version)
