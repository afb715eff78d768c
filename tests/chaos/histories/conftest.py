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
import yaml
from pulumi.automation import PulumiCommand

from dittoinfra.kubernetes import connect
from dittoinfra.stacks.cli_process import CommandLine
from lab.bed.credentials import credential
from lab.bed.keys import key_service
from lab.bed.kubernetes import KubernetesApi
from lab.standin import ApiStore, StandInProvider
from tests.chaos.histories.hands import Hands
from tests.chaos.histories.life import Life
from tests.chaos.histories.servers import servers
from tests.engine.world import STACK, World, write_new_stack

SECRET = "nobody-reads-this-annotation"
"""What a configuration has encrypted in a place where it cannot be kept secret."""

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
    encrypted: dict[str, str]
    """`SECRET` as it stands in a stack's file, for all stacks that are copied."""
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
    write_new_stack(pulumi_cli, fresh)
    breakdown = Breakdown()
    with (
        connect(str(kubernetes_api.kubeconfig)) as cluster,
        StandInProvider(ApiStore(cluster), fail_on=breakdown) as provider,
        kubernetes_api.client() as client,
        key_service() as keys,
    ):
        environment = {
            **provider.environment(),
            **keys,
            "PULUMI_HOME": str(tmp_path_factory.mktemp("home")),
        }
        encrypted = _encrypt(pulumi_cli, fresh, environment)
        client.timeout = httpx.Timeout(PATIENCE)
        yield Bed(pulumi_cli, kubernetes_api.kubeconfig, client, breakdown, environment, encrypted, fresh)


def _encrypt(command: PulumiCommand, root: Path, environment: dict[str, str]) -> dict[str, str]:
    environment = {**environment, "PULUMI_BACKEND_URL": f"file://{root}"}
    cli = CommandLine(command, root, environment)
    cli.ask("config", "set", "dittoinfra:note", "--secret", "--stack", STACK, given=SECRET)
    file = root / "stacks" / f"Pulumi.{STACK}.yaml"
    document = yaml.safe_load(file.read_text())
    encrypted: dict[str, str] = document.pop("config")["dittoinfra:note"]
    file.write_text(yaml.safe_dump(document))
    return encrypted
