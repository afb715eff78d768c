"""The parts of one history, on the real parts that all histories share."""

import secrets
import shutil
from collections.abc import Iterator, Mapping
from contextlib import ExitStack, contextmanager
from pathlib import Path
from tempfile import TemporaryDirectory

from dittoinfra.stacks.project import Project
from lab.bed.credentials import credential
from lab.simulator.versions import ServerVersion
from tests.chaos.histories.conftest import SECRET, Bed
from tests.chaos.histories.ours.apis import apis
from tests.chaos.histories.ours.cluster import Cluster
from tests.chaos.histories.ours.commands import Commands
from tests.chaos.histories.ours.history_run import HistoryRun
from tests.engine.world import STACK, World


@contextmanager
def history_run(bed: Bed, versions: Mapping[str, ServerVersion]) -> Iterator[HistoryRun]:
    """A stack, two namespaces and servers for one history, removed afterwards."""
    with ExitStack() as ending:
        root = Path(ending.enter_context(TemporaryDirectory(prefix="history-"))) / "project"
        shutil.copytree(bed.fresh, root)
        shutil.copy(root / "stacks" / f"Pulumi.{STACK}.yaml", root / "encryption.yaml")
        mark = secrets.token_hex(4)
        cluster = Cluster(bed.client, (f"history-{mark}-here", f"history-{mark}-there"))
        ending.callback(cluster.clear)
        password = credential("history")
        world = World(bed.command, root, bed.environment, password)
        # Where the stack's file is lost, the cluster is still found as a person's shell finds it.
        environment = {**world.stack.environment, "KUBECONFIG": str(bed.kubeconfig)}
        yield HistoryRun(
            root,
            Commands(Project(root, bed.command, environment)),
            ending.enter_context(apis(password, versions)),
            cluster,
            {"kubeconfig": str(bed.kubeconfig)},
            bed.encrypted,
            bed.failures.set,
            (password, SECRET),
        )
