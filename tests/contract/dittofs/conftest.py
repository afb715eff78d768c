"""Every contract test runs against the simulated server and against the real one, in each version."""

from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from functools import cache, partial
from pathlib import Path

import httpx
import pytest

from lab.bed.credentials import credential
from lab.bed.dfs import RealDittoFS
from lab.bed.dittofs import DittoFSServer
from lab.bed.simulated import SimulatedServer
from lab.simulator import SimulatedDittoFS
from lab.simulator.versions import ServerVersion
from tests.contract.dittofs.subject import Credentials, Subject
from tests.dittofs_kinds import EVERY_KIND, DfsBinaries, Kind

NewServer = Callable[..., DittoFSServer]

_PATIENCE_SECONDS = 60.0


@pytest.fixture(params=EVERY_KIND, ids=str)
def kind(request: pytest.FixtureRequest) -> Kind:
    wanted: Kind = request.param
    return wanted


@pytest.fixture
def new_server(kind: Kind, dfs_binaries: DfsBinaries, tmp_path: Path) -> NewServer:
    """Makes a server of the test's own, not yet started, for what would be in the way of others."""
    if not kind.real:
        return partial(SimulatedServer, version=kind.version)
    return partial(RealDittoFS, dfs_binaries(kind.version), tmp_path / "dfs", version=kind.version)


@pytest.fixture
def server(new_server: NewServer) -> Iterator[DittoFSServer]:
    with new_server() as running:
        yield running


@pytest.fixture(scope="session")
def real_subjects(
    dfs_binaries: DfsBinaries, tmp_path_factory: pytest.TempPathFactory
) -> Iterator[Callable[[ServerVersion], Subject]]:
    """One real server of each version for all tests: it takes most of a second to start."""
    with ExitStack() as running:

        @cache
        def subject(version: ServerVersion) -> Subject:
            folder = tmp_path_factory.mktemp("dfs")
            server = running.enter_context(RealDittoFS(dfs_binaries(version), folder, version=version))
            client = running.enter_context(_client(server.url))

            def restart() -> None:
                server.stop()
                server.start()

            admin = Credentials("admin", server.admin_password)
            ports = {adapter_type: adapter["port"] for adapter_type, adapter in server.adapters().items()}
            return Subject(client, version, server.secret, admin, restart, ports)

        yield subject


@contextmanager
def _simulated_subject(version: ServerVersion) -> Iterator[Subject]:
    secret = credential("signing-key")
    with SimulatedDittoFS(secret=secret, version=version) as server, _client(server.url) as client:
        admin = Credentials("admin", server.admin_password)
        ports = {adapter_type: adapter.port for adapter_type, adapter in server.adapters.items()}
        yield Subject(client, version, secret, admin, server.restart, ports)


@pytest.fixture
def api(kind: Kind, request: pytest.FixtureRequest) -> Iterator[Subject]:
    """A server with nfs and smb enabled and running on ports of their own."""
    with ExitStack() as running:
        if kind.real:
            subject: Subject = request.getfixturevalue("real_subjects")(kind.version)
        else:
            subject = running.enter_context(_simulated_subject(kind.version))
        yield subject
        subject.restore_adapters()


def _client(url: str) -> httpx.Client:
    # Plain HTTP has nothing to verify, and loading the system's CAs costs more than a whole test.
    return httpx.Client(base_url=url, timeout=_PATIENCE_SECONDS, trust_env=False, verify=False)
