"""Fixtures: each scenario runs with the simulated server, and with the real one in each version."""

from collections.abc import Callable, Iterator
from contextlib import ExitStack
from pathlib import Path

import pytest

from lab.bed.dfs import RealDittoFS
from lab.bed.dittofs import DittoFSServer
from lab.bed.simulated import SimulatedServer
from tests.dittofs_kinds import ENOUGH_KINDS, DfsBinaries, Kind
from tests.engine.lifecycle.stage import READER, ServerOptions, Stage
from tests.engine.namespace import Namespace
from tests.engine.world import World

NewServer = Callable[[ServerOptions], DittoFSServer]
SetStage = Callable[[ServerOptions], Stage]


@pytest.fixture(params=ENOUGH_KINDS, ids=str)
def kind(request: pytest.FixtureRequest) -> Kind:
    wanted: Kind = request.param
    return wanted


@pytest.fixture
def new_server(kind: Kind, dfs_binaries: DfsBinaries, tmp_path: Path) -> NewServer:
    """Makes a server, not yet started."""
    if not kind.real:
        return lambda wanted: SimulatedServer(
            tls=wanted.tls,
            access_lifetime=wanted.access_lifetime,
            refresh_lifetime=wanted.refresh_lifetime,
            shutdown_timeout=wanted.shutdown_timeout,
            version=kind.version,
        )
    binary = dfs_binaries(kind.version)
    return lambda wanted: RealDittoFS(
        binary,
        tmp_path / "dfs",
        tls=wanted.tls,
        access_token_duration=f"{wanted.access_lifetime}s",
        refresh_token_duration=f"{wanted.refresh_lifetime}s",
        shutdown_timeout=wanted.shutdown_timeout,
        version=kind.version,
    )


@pytest.fixture
def world(provider_world: World) -> World:
    return provider_world


@pytest.fixture
def set_stage(new_server: NewServer, world: World, namespace: Namespace) -> Iterator[SetStage]:
    """Starts a server with these options and a least-privileged user for the stack."""
    with ExitStack() as running:

        def stage(wanted: ServerOptions) -> Stage:
            dittofs = running.enter_context(new_server(wanted))
            dittofs.create_user(READER, world.password, "user")
            made = Stage(world, namespace, dittofs)
            running.callback(made.assert_no_secrets)
            return made

        yield stage


@pytest.fixture
def stage(set_stage: SetStage) -> Stage:
    """A stack that has just created the Services of nfs and smb."""
    made = set_stage(ServerOptions())
    made.configure()
    assert made.up().changes.create == 4
    return made
