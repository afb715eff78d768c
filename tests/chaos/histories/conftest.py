"""Fixtures: the parts that all histories of a worker share, and what each history gets for itself."""

import gc
import secrets
import shutil
from collections.abc import Iterator, Mapping
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from functools import partial
from importlib import import_module
from pathlib import Path
from tempfile import TemporaryDirectory
from unittest.mock import patch

import httpx
import pytest
import yaml
from pulumi.automation import PulumiCommand

from dittoinfra.gc_tuning import NEW_OBJECTS
from dittoinfra.kubernetes import connect
from dittoinfra.stacks.cli_process import CommandLine
from lab.bed.credentials import credential
from lab.bed.keys import key_service
from lab.bed.kubernetes import KubernetesApi
from lab.simulator.versions import ServerVersion
from lab.standin import ApiStore, StandInProvider
from tests.chaos.histories.cluster_edits import NamespaceServices
from tests.chaos.histories.history_run import HistoryRun
from tests.chaos.histories.servers import servers
from tests.engine.world import STACK, World, write_new_stack

SECRET = "value-of-a-private-annotation"
"""An encrypted value in a setting that cannot be kept secret."""

PATIENCE = 60.0
"""Seconds for an answer of the Kubernetes API, which shares a busy machine."""


class InjectedFailures:
    """Makes chosen operations of the provider fail."""

    def __init__(self) -> None:
        self.failing: frozenset[tuple[str, str]] = frozenset()

    def __call__(self, operation: str, urn: str) -> str | None:
        name = urn.rpartition("::")[2]
        failing = {(operation, name), (operation, "*")} & self.failing
        return "the cluster went away" if failing else None

    def set(self, failing: frozenset[tuple[str, str]]) -> None:
        """Let these operations fail from now on, and no others."""
        self.failing = failing


@dataclass(frozen=True)
class Bed:
    """The real parts that all histories of a worker share."""

    command: PulumiCommand
    kubeconfig: Path
    client: httpx.Client
    failures: InjectedFailures
    environment: dict[str, str]
    """Of the CLI."""
    encrypted: dict[str, str]
    """`SECRET` as encrypted in the file of all copied stacks."""
    fresh: Path
    """A project with a new stack: copying it is faster than creating another one."""

    @contextmanager
    def history_run(self, versions: Mapping[str, ServerVersion]) -> Iterator[HistoryRun]:
        """A stack, a namespace and servers for one history, removed afterwards."""
        with ExitStack() as ending:
            # Not pytest's own folder, which keeps those of the last three runs: this may be thousands.
            root = Path(ending.enter_context(TemporaryDirectory(prefix="history-"))) / "project"
            shutil.copytree(self.fresh, root)
            namespace = f"history-{secrets.token_hex(4)}"
            cluster = NamespaceServices(self.client, namespace)
            ending.callback(cluster.clear)
            password = credential("history")
            running = ending.enter_context(servers(password, versions))
            world = World(
                self.command, root, self.environment, password, {"kubeconfig": str(self.kubeconfig)}
            )
            yield HistoryRun(world, running, cluster, namespace, self.failures.set)


@contextmanager
def little_overhead() -> Iterator[None]:
    """Spare this process work that no history is about: a quarter of what it does itself.

    Kubeconfigs and configuration files are read and written by libyaml, as PyYAML's own code does it. The
    garbage collector runs as rarely as in the product's processes, and leaves out the SDK's modules.
    """
    # Every run needs it; here, because collecting tests must not wait for it.
    import_module("dittoinfra.program.engine_run")
    import_module("dittoinfra.components")
    before = gc.get_threshold()
    gc.freeze()
    gc.set_threshold(NEW_OBJECTS, *before[1:])
    with (
        patch.object(yaml, "safe_load", partial(yaml.load, Loader=yaml.CSafeLoader)),
        patch.object(yaml, "safe_dump", partial(yaml.dump, Dumper=yaml.CSafeDumper)),
    ):
        yield
    gc.set_threshold(*before)
    gc.unfreeze()


@pytest.fixture(scope="session")
def bed(
    pulumi_cli: PulumiCommand, kubernetes_api: KubernetesApi, tmp_path_factory: pytest.TempPathFactory
) -> Iterator[Bed]:
    fresh = tmp_path_factory.mktemp("fresh")
    write_new_stack(pulumi_cli, fresh)
    failures = InjectedFailures()
    with (
        connect(str(kubernetes_api.kubeconfig)) as cluster,
        StandInProvider(ApiStore(cluster), fail_on=failures) as provider,
        kubernetes_api.client() as client,
        key_service() as keys,
        little_overhead(),
    ):
        environment = {
            **provider.environment(),
            **keys,
            "PULUMI_HOME": str(tmp_path_factory.mktemp("home")),
        }
        encrypted = _encrypt(pulumi_cli, fresh, environment)
        client.timeout = httpx.Timeout(PATIENCE)
        yield Bed(pulumi_cli, kubernetes_api.kubeconfig, client, failures, environment, encrypted, fresh)


def _encrypt(command: PulumiCommand, root: Path, environment: dict[str, str]) -> dict[str, str]:
    environment = {**environment, "PULUMI_BACKEND_URL": f"file://{root}"}
    cli = CommandLine(command, root, environment)
    cli.ask("config", "set", "dittoinfra:note", "--secret", "--stack", STACK, given=SECRET)
    file = root / "stacks" / f"Pulumi.{STACK}.yaml"
    document = yaml.safe_load(file.read_text())
    encrypted: dict[str, str] = document.pop("config")["dittoinfra:note"]
    file.write_text(yaml.safe_dump(document))
    return encrypted
