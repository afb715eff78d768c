"""Every scenario plays twice: with the simulated server, and with the real one."""

from collections.abc import Callable, Iterator
from contextlib import ExitStack
from pathlib import Path

import pytest
from pulumi.automation import PulumiCommand

from tests.bed.dfs import RealDittoFS
from tests.bed.dittofs import DittoFSServer
from tests.bed.kubernetes import KubernetesApi
from tests.bed.simulated import SimulatedServer
from tests.e2e.namespace import Namespace
from tests.e2e.world import World, world_on
from tests.life.stage import READER, ServerOptions, Stage

NewServer = Callable[[ServerOptions], DittoFSServer]
SetStage = Callable[[ServerOptions], Stage]


@pytest.fixture(params=["simulated", "real"])
def new_server(request: pytest.FixtureRequest, tmp_path: Path) -> NewServer:
    """Makes a server, not yet started."""
    if request.param == "simulated":
        return lambda wanted: SimulatedServer(
            tls=wanted.tls,
            access_lifetime=wanted.access_lifetime,
            refresh_lifetime=wanted.refresh_lifetime,
        )
    binary: Path = request.getfixturevalue("dfs_binary")
    return lambda wanted: RealDittoFS(
        binary,
        tmp_path / "dfs",
        tls=wanted.tls,
        access_token_duration=f"{wanted.access_lifetime}s",
        refresh_token_duration=f"{wanted.refresh_lifetime}s",
    )


@pytest.fixture
def namespace(kubernetes_api: KubernetesApi) -> Iterator[Namespace]:
    with kubernetes_api.client() as client:
        yield Namespace(kubernetes_api, client)


@pytest.fixture
def world(pulumi_cli: PulumiCommand, kubernetes_api: KubernetesApi, tmp_path: Path) -> Iterator[World]:
    with world_on(kubernetes_api, pulumi_cli, tmp_path) as fresh:
        yield fresh


@pytest.fixture
def set_stage(new_server: NewServer, world: World, namespace: Namespace) -> Iterator[SetStage]:
    """Starts a server with these options, with a least-privileged user whose password the stack knows."""
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
    """A stack that has just declared the Services of nfs and smb."""
    made = set_stage(ServerOptions())
    made.configure()
    assert made.up().changes.creates == 6
    return made
