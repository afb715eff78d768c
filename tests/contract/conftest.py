"""Every contract test runs twice: against the simulated server, and against the real one."""

from collections.abc import Iterator
from pathlib import Path

import httpx
import pytest

from dittoinfra.simulator import SimulatedDittoFS
from tests.bed.credentials import credential
from tests.bed.dfs import RealDittoFS
from tests.bed.dittofs import DittoFSServer
from tests.bed.simulated import SimulatedServer
from tests.contract.subject import Credentials, Subject

_PATIENCE_SECONDS = 60.0


@pytest.fixture(params=["simulated", "real"])
def server(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[DittoFSServer]:
    """A server of the test's own, for what would be in the way of others."""
    kind: DittoFSServer = (
        SimulatedServer()
        if request.param == "simulated"
        else RealDittoFS(request.getfixturevalue("dfs_binary"), tmp_path)
    )
    with kind as running:
        yield running


@pytest.fixture(scope="session")
def real_subject(dfs_binary: Path, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Subject]:
    with RealDittoFS(dfs_binary, tmp_path_factory.mktemp("dfs")) as server, _client(server.url) as client:

        def restart() -> None:
            server.stop()
            server.start()

        admin = Credentials("admin", server.admin_password)
        ports = {adapter_type: adapter["port"] for adapter_type, adapter in server.adapters().items()}
        yield Subject(client, server.secret, admin, restart, ports)


@pytest.fixture
def simulated_subject() -> Iterator[Subject]:
    secret = credential("signing-key")
    with SimulatedDittoFS(secret=secret) as server, _client(server.url) as client:
        admin = Credentials("admin", server.admin_password)
        ports = {adapter_type: adapter.port for adapter_type, adapter in server.adapters.items()}
        yield Subject(client, secret, admin, server.restart, ports)


@pytest.fixture(params=["simulated", "real"])
def api(request: pytest.FixtureRequest) -> Iterator[Subject]:
    """A server with nfs and smb enabled and running on ports of their own."""
    subject: Subject = request.getfixturevalue(f"{request.param}_subject")
    yield subject
    subject.restore_adapters()


def _client(url: str) -> httpx.Client:
    # Plain HTTP has nothing to verify, and loading the system's CAs costs more than a whole test.
    return httpx.Client(base_url=url, timeout=_PATIENCE_SECONDS, trust_env=False, verify=False)
