"""A foreign project, on the stand-in provider, and simulated servers."""

from collections.abc import Callable, Iterator
from contextlib import ExitStack
from pathlib import Path

import pytest
from pulumi.automation import PulumiCommand

from lab.bed.credentials import credential
from lab.bed.keys import key_service
from lab.bed.tools import PULUMI_YAML, PULUMI_YAML_TOOL
from lab.gotools import StreamProgress, build
from lab.simulator import SimulatedDittoFS
from lab.standin import FolderStore, StandInProvider
from tests.engine.component.stranger import Stranger
from tests.engine.component.yaml_program import YamlProgram, yaml_program
from tests.engine.world import simulated_server

NewServer = Callable[[], SimulatedDittoFS]


class Hidden(str):
    """A credential that the report of a failed test does not show."""

    __slots__ = ()

    def __repr__(self) -> str:
        return "<password>"


@pytest.fixture(scope="session")
def yaml_host() -> Path:
    """The folder with the host of programs in Pulumi YAML."""
    return PULUMI_YAML_TOOL.binary(build(PULUMI_YAML_TOOL, StreamProgress()), PULUMI_YAML).parent


@pytest.fixture
def password() -> str:
    return Hidden(credential("component"))


@pytest.fixture
def stranger(pulumi_cli: PulumiCommand, tmp_path: Path) -> Iterator[Stranger]:
    """Their stack, whose manifests land in a folder."""
    with StandInProvider(FolderStore(tmp_path / "manifests")) as provider, key_service() as keys:
        environment = {**provider.environment(), **keys}
        config = {"kubernetes:renderYamlToDirectory": "rendered"}
        yield Stranger.made(pulumi_cli, tmp_path, environment, config)


@pytest.fixture
def new_server(password: str) -> Iterator[NewServer]:
    """Starts a simulated server with nfs on 12049 and smb on 12445, both running."""
    with ExitStack() as running:
        yield lambda: running.enter_context(simulated_server(password))


@pytest.fixture
def program(
    pulumi_cli: PulumiCommand, yaml_host: Path, password: str, tmp_path_factory: pytest.TempPathFactory
) -> Iterator[YamlProgram]:
    with yaml_program(pulumi_cli, yaml_host, tmp_path_factory.mktemp("yaml"), password) as made:
        yield made
