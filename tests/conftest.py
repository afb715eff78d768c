"""The real parts, one of each per run, and a wall around them.

A part that cannot be had fails the tests that need it with a line on how to get it. Nothing is skipped: a
green run has met every part. All workers use the same Kubernetes, and each test a namespace of its own.
"""

import os
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from dittoinfra.engine import EngineError, Means, Progress, StreamProgress, build, find_cli
from dittoinfra.engine.reach import Reach, Unreachable
from tests.bed.cluster import KubernetesCluster
from tests.bed.credentials import LEDGER
from tests.bed.keeper import BED, Keeper, kept_api, kept_cluster
from tests.bed.kubernetes import KubernetesApi
from tests.bed.loops import loops_closed
from tests.bed.network import loopback_only
from tests.bed.overhear import OVERHEARD, overhearing
from tests.bed.pace import mark_long
from tests.bed.postgres import PostgresServer, find_postgres
from tests.bed.process import BedError
from tests.bed.scan import SecretScan
from tests.bed.tally import Tally
from tests.bed.tools import DFS, DITTOFS_TOOL, KUBERNETES_TOOL
from tests.bed.whole_cluster import cluster_parts

if TYPE_CHECKING:
    from pulumi.automation import PulumiCommand


def pytest_configure(config: pytest.Config) -> None:
    """Keep, for all workers, what they share; they inherit the way to it."""
    if hasattr(config, "workerinput"):
        return
    config.pluginmanager.register(Tally())
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
    """Say which tests are long, before those are chosen that run."""
    mark_long(items)


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
    """The real engine."""
    with _getting_a_part(request.config) as progress:
        return find_cli(progress, Means(reach=_registries_only)).command


@pytest.fixture(scope="session")
def dfs_binary(request: pytest.FixtureRequest) -> Path:
    """The real DittoFS server."""
    with _getting_a_part(request.config) as progress:
        return DITTOFS_TOOL.binary(build(DITTOFS_TOOL, progress), DFS)


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


def _registries_only(_: str) -> Reach:
    return Unreachable("the tests take their parts from PATH, the cache and the Go module proxy only")


@contextmanager
def _getting_a_part(config: pytest.Config) -> Iterator[Progress]:
    capture = config.pluginmanager.getplugin("capturemanager")
    # The first build takes minutes: whoever waits must see it move.
    with capture.global_and_fixture_disabled():
        try:
            yield StreamProgress()
        except (EngineError, BedError) as error:
            pytest.fail(str(error), pytrace=False)
