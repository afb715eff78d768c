"""What all histories of a worker share, and what each has for itself."""

import secrets
import shutil
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from pathlib import Path
from tempfile import TemporaryDirectory

import httpx
import pytest
from pulumi.automation import PulumiCommand

from dittoinfra.automation import CommandLine
from dittoinfra.cluster import connect
from dittoinfra.standin import ApiStore, StandInProvider
from tests.bed.credentials import credential
from tests.bed.kubernetes import KubernetesApi
from tests.e2e.world import ROOT, STACK, World
from tests.histories.hands import Hands
from tests.histories.keys import PROVIDER, key_service
from tests.histories.life import Life
from tests.histories.servers import servers

THRIFT = {
    # A process that lives for half a second need not collect its garbage so often.
    "GOGC": "400",
}
"""Variables that make a run cheaper and nothing about it less real."""


PATIENCE = 60.0
"""Seconds for an answer of the Kubernetes API, which shares a busy machine."""


class Breakdown:
    """Makes operations of the provider fail, while it is told to."""

    def __init__(self) -> None:
        self.failing: frozenset[tuple[str, str]] = frozenset()

    def __call__(self, operation: str, urn: str) -> str | None:
        name = urn.rpartition("::")[2]
        failing = {(operation, name), (operation, "*")} & self.failing
        return "the cluster went away" if failing else None

    def tell(self, failing: frozenset[tuple[str, str]]) -> None:
        """From now on these fail, and no others."""
        self.failing = failing


@dataclass(frozen=True)
class Bed:
    """The real parts, one of each for all histories of a worker."""

    command: PulumiCommand
    kubeconfig: Path
    client: httpx.Client
    breakdown: Breakdown
    environment: dict[str, str]
    """Of the CLI."""
    fresh: Path
    """A project with a stack that was just made: to copy it is faster than to make another one."""

    @contextmanager
    def life(self) -> Iterator[Life]:
        """A stack, a namespace and servers of its own, and nothing left of them afterwards."""
        with ExitStack() as ending:
            # Not pytest's own folder, which keeps those of the last three runs: this may be thousands.
            root = Path(ending.enter_context(TemporaryDirectory(prefix="history-"))) / "project"
            shutil.copytree(self.fresh, root)
            namespace = f"history-{secrets.token_hex(4)}"
            hands = Hands(self.client, namespace)
            ending.callback(hands.clear)
            password = credential("history")
            running = ending.enter_context(servers(password))
            world = World(
                self.command, root, self.environment, password, {"kubeconfig": str(self.kubeconfig)}
            )
            yield Life(world, running, hands, namespace, self.breakdown.tell)


@pytest.fixture(scope="session")
def bed(
    pulumi_cli: PulumiCommand, kubernetes_api: KubernetesApi, tmp_path_factory: pytest.TempPathFactory
) -> Iterator[Bed]:
    fresh = tmp_path_factory.mktemp("fresh")
    (fresh / "stacks").mkdir()
    shutil.copy(ROOT / "Pulumi.yaml", fresh)
    breakdown = Breakdown()
    with (
        connect(str(kubernetes_api.kubeconfig)) as cluster,
        StandInProvider(ApiStore(cluster), fail_on=breakdown) as provider,
        kubernetes_api.client() as client,
        key_service() as keys,
    ):
        environment = {
            **provider.environment(),
            **THRIFT,
            **keys,
            "PULUMI_HOME": str(tmp_path_factory.mktemp("home")),
        }
        _make_stack(pulumi_cli, fresh, environment)
        client.timeout = httpx.Timeout(PATIENCE)
        yield Bed(pulumi_cli, kubernetes_api.kubeconfig, client, breakdown, environment, fresh)


def _make_stack(command: PulumiCommand, root: Path, environment: dict[str, str]) -> None:
    environment = {**environment, "PULUMI_BACKEND_URL": f"file://{root}"}
    CommandLine(command, root, environment).ask("stack", "init", STACK, "--secrets-provider", PROVIDER)
