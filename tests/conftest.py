"""Fixtures for the real parts, one instance of each per run; no test connects beyond loopback.

A missing part fails the tests that need it, with a line on how to get it; no test is skipped. All workers use
the same Kubernetes, and each test its own namespace.
"""

import os
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path
from typing import TYPE_CHECKING

import httpx
import hypothesis
import pytest

from dittoinfra.engine.engine_errors import EngineError
from lab.bed.chromium import Browser, find_chromium
from lab.bed.cluster import KubernetesCluster
from lab.bed.credentials import LEDGER
from lab.bed.keeper import BED, Keeper, kept_api, kept_cluster
from lab.bed.kubernetes import KubernetesApi
from lab.bed.loopback_only import loopback_only
from lab.bed.loops import loops_closed
from lab.bed.markers import mark_long, mark_never_rerun
from lab.bed.output_capture import CAPTURED, capture_output
from lab.bed.postgres import PostgresServer, find_postgres
from lab.bed.process import BedError
from lab.bed.result_counts import ResultCounts
from lab.bed.scan import SecretScan
from lab.bed.timings import Timings
from lab.bed.tools import DFS, DITTOFS_TOOLS, KUBERNETES_TOOL
from lab.bed.whole_cluster import cluster_parts
from lab.gotools import Progress, StreamProgress, build, find_cli, first_on_path
from lab.simulator.versions import V0_29, ServerVersion
from tests.dittofs_kinds import DfsBinaries, Kind

if TYPE_CHECKING:
    from pulumi.automation import PulumiCommand


# A busy machine is no failure: what a case costs is measured by the benchmark.
hypothesis.settings.register_profile("untimed", deadline=None)
if hypothesis.settings.get_current_profile_name() == "default":
    hypothesis.settings.load_profile("untimed")


def pytest_configure(config: pytest.Config) -> None:
    """Start what all workers share; they find it by environment variables."""
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
    config.pluginmanager.register(ResultCounts())
    config.pluginmanager.register(Timings())
    cleanup = ExitStack()
    config.add_cleanup(cleanup.close)
    keeper = cleanup.enter_context(Keeper())
    # A bed that is kept already, with `make bed`, serves as well.
    os.environ.setdefault(BED, str(keeper.directory))
    ledger = keeper.directory / "credentials"
    os.environ[LEDGER] = str(ledger)
    config.pluginmanager.register(SecretScan(ledger, keeper.directory, keeper.started))


@pytest.hookimpl(tryfirst=True)
def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Mark long tests before the selection, and tests that are never rerun."""
    mark_long(items)
    mark_never_rerun(items)


@pytest.fixture(scope="session", autouse=True)
def _no_network() -> Iterator[None]:
    with loopback_only():
        yield


@pytest.fixture(scope="session", autouse=True)
def _output_captured(tmp_path_factory: pytest.TempPathFactory) -> Iterator[None]:
    with capture_output(tmp_path_factory.getbasetemp() / CAPTURED):
        yield


@pytest.fixture(autouse=True)
def _loops_closed() -> Iterator[None]:
    with loops_closed():
        yield


@pytest.fixture(scope="session")
def pulumi_cli(request: pytest.FixtureRequest) -> "PulumiCommand":
    """The real engine, also put on PATH for commands that a test starts."""
    with _getting_a_part(request.config) as progress:
        cli = find_cli(progress, why_unreachable=_registries_only)
    first_on_path(cli)
    from dittoinfra.stacks.sdk_command import SdkCommand  # here, as only some tests need the SDK

    return SdkCommand(cli)


@pytest.fixture(scope="session")
def dfs_binaries(request: pytest.FixtureRequest) -> DfsBinaries:
    """The real DittoFS server in each tested version."""

    def binary(version: ServerVersion) -> Path:
        tool = DITTOFS_TOOLS[version]
        with _getting_a_part(request.config) as progress:
            return tool.binary(build(tool, progress), DFS)

    return binary


@pytest.fixture(scope="session")
def dfs_binary(dfs_binaries: DfsBinaries) -> Path:
    """The real DittoFS server, for tests that do not depend on its version."""
    return dfs_binaries(V0_29)


@pytest.fixture
def default_ports(kind: Kind) -> Iterator[None]:
    """No other real server is where every server begins; `kind` is the test's own."""
    with kind.default_ports():
        yield


@pytest.fixture(scope="session")
def kubernetes_api(request: pytest.FixtureRequest) -> KubernetesApi:
    """A real Kubernetes API; each test uses its own `namespace()`."""
    with _getting_a_part(request.config) as progress:
        build(KUBERNETES_TOOL, progress)
        return kept_api()


@pytest.fixture
def kubernetes_client(kubernetes_api: KubernetesApi) -> Iterator[httpx.Client]:
    """An administrator's client of that API."""
    with kubernetes_api.client() as client:
        yield client


@pytest.fixture(scope="session")
def kubernetes_cluster(request: pytest.FixtureRequest) -> KubernetesCluster:
    """A real Kubernetes cluster with simulated Pods: `forward` maps their ports."""
    with _getting_a_part(request.config) as progress:
        cluster_parts(progress)
        return kept_cluster()


@pytest.fixture(scope="session")
def postgres() -> Iterator[PostgresServer]:
    """A real PostgreSQL; each test uses its own `database()`."""
    try:
        programs = find_postgres()
    except BedError as error:
        pytest.fail(str(error), pytrace=False)
    with PostgresServer(programs) as server:
        yield server


@pytest.fixture(scope="session")
def browser() -> Iterator[Browser]:
    """The browser in which people look at a page: a real Chromium."""
    try:
        program = find_chromium()
    except BedError as error:
        pytest.fail(str(error), pytrace=False)
    with Browser(program) as running:
        yield running


def _registries_only(_: str) -> str:
    return "the tests take their parts from PATH, the cache and the Go module proxy only"


@contextmanager
def _getting_a_part(config: pytest.Config) -> Iterator[Progress]:
    capture = config.pluginmanager.getplugin("capturemanager")
    # The first build takes minutes: it must be seen to move.
    with capture.global_and_fixture_disabled():
        try:
            yield StreamProgress()
        except (EngineError, BedError) as error:
            pytest.fail(str(error), pytrace=False)
