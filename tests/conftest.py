"""The real parts, one of each per run, and a wall around them.

A part that cannot be had fails the tests that need it with a line on how to get it. Nothing is skipped: a
green run has met every part. All workers use the same Kubernetes, and each test a namespace of its own.
"""

import os
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path
from typing import TYPE_CHECKING

import hypothesis
import pytest

from dittoinfra.engine.engine_errors import EngineError
from lab.bed.cluster import KubernetesCluster
from lab.bed.credentials import LEDGER
from lab.bed.keeper import BED, Keeper, kept_api, kept_cluster
from lab.bed.kubernetes import KubernetesApi
from lab.bed.loops import loops_closed
from lab.bed.network import loopback_only
from lab.bed.overhear import OVERHEARD, overhearing
from lab.bed.pace import mark_long, mark_never_rerun
from lab.bed.postgres import PostgresServer, find_postgres
from lab.bed.process import BedError
from lab.bed.scan import SecretScan
from lab.bed.tally import Tally
from lab.bed.timings import Timings
from lab.bed.tools import DFS, DITTOFS_TOOLS, KUBERNETES_TOOL
from lab.bed.whole_cluster import cluster_parts
from lab.gotools import Progress, StreamProgress, build, find_cli, first_on_path
from lab.simulator.versions import V0_29, ServerVersion
from tests.dittofs_kinds import DfsBinaries

if TYPE_CHECKING:
    from pulumi.automation import PulumiCommand


# A busy machine is no failure: what a case costs is measured by the benchmark.
hypothesis.settings.register_profile("untimed", deadline=None)
if hypothesis.settings.get_current_profile_name() == "default":
    hypothesis.settings.load_profile("untimed")


def pytest_configure(config: pytest.Config) -> None:
    """Keep, for all workers, what they share; they inherit the way to it."""
    if hasattr(config, "workerinput"):
        return
    # Most processes of a run are Go programs that live for a second: collecting their garbage costs a fifth
    # of it. The limit makes servers that live longer collect theirs.
    os.environ.setdefault("GOGC", "off")
    os.environ.setdefault("GOMEMLIMIT", "1GiB")
    # A process that is started as another user is forked, and what gRPC does in a fork can end it.
    os.environ["GRPC_ENABLE_FORK_SUPPORT"] = "false"
    # Without its cache every command that a test starts would compile the product again.
    os.environ.pop("PYTHONDONTWRITEBYTECODE", None)
    config.pluginmanager.register(Tally())
    config.pluginmanager.register(Timings())
    life = ExitStack()
    config.add_cleanup(life.close)
    keeper = life.enter_context(Keeper())
    # A bed that somebody keeps already, with `make bed`, serves as well.
    os.environ.setdefault(BED, str(keeper.directory))
    ledger = keeper.directory / "credentials"
    os.environ[LEDGER] = str(ledger)
    config.pluginmanager.register(SecretScan(ledger, keeper.directory, keeper.started))


@pytest.hookimpl(tryfirst=True)
def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Say which tests are long, before those are chosen that run, and which may not run twice."""
    mark_long(items)
    mark_never_rerun(items)


@pytest.fixture(scope="session", autouse=True)
def _no_network() -> Iterator[None]:
    with loopback_only():
        yield


@pytest.fixture(scope="session", autouse=True)
def _overheard(tmp_path_factory: pytest.TempPathFactory) -> Iterator[None]:
    with overhearing(tmp_path_factory.getbasetemp() / OVERHEARD):
        yield


@pytest.fixture(autouse=True)
def _loops_closed() -> Iterator[None]:
    with loops_closed():
        yield


@pytest.fixture(scope="session")
def pulumi_cli(request: pytest.FixtureRequest) -> "PulumiCommand":
    """The real engine, which commands that a test starts find on PATH."""
    with _getting_a_part(request.config) as progress:
        cli = find_cli(progress, why_unreachable=_registries_only)
    first_on_path(cli)
    return cli.command


@pytest.fixture(scope="session")
def dfs_binaries(request: pytest.FixtureRequest) -> DfsBinaries:
    """The real DittoFS server in each version that is tested."""

    def binary(version: ServerVersion) -> Path:
        tool = DITTOFS_TOOLS[version]
        with _getting_a_part(request.config) as progress:
            return tool.binary(build(tool, progress), DFS)

    return binary


@pytest.fixture(scope="session")
def dfs_binary(dfs_binaries: DfsBinaries) -> Path:
    """The real DittoFS server, for what does not depend on its version."""
    return dfs_binaries(V0_29)


@pytest.fixture(scope="session")
def kubernetes_api(request: pytest.FixtureRequest) -> KubernetesApi:
    """A real Kubernetes API; take a `namespace()` of it and nothing of another test is in the way."""
    with _getting_a_part(request.config) as progress:
        build(KUBERNETES_TOOL, progress)
        return kept_api()


@pytest.fixture(scope="session")
def kubernetes_cluster(request: pytest.FixtureRequest) -> KubernetesCluster:
    """A real Kubernetes whose Pods run in name only: `forward` says what is reached in one."""
    with _getting_a_part(request.config) as progress:
        cluster_parts(progress)
        return kept_cluster()


@pytest.fixture(scope="session")
def postgres() -> Iterator[PostgresServer]:
    """A real PostgreSQL; take a `database()` of it and nothing of another test is in the way."""
    try:
        programs = find_postgres()
    except BedError as error:
        pytest.fail(str(error), pytrace=False)
    with PostgresServer(programs) as server:
        yield server


def _registries_only(_: str) -> str:
    return "the tests take their parts from PATH, the cache and the Go module proxy only"


@contextmanager
def _getting_a_part(config: pytest.Config) -> Iterator[Progress]:
    capture = config.pluginmanager.getplugin("capturemanager")
    # The first build takes minutes: whoever waits must see it move.
    with capture.global_and_fixture_disabled():
        try:
            yield StreamProgress()
        except (EngineError, BedError) as error:
            pytest.fail(str(error), pytrace=False)
