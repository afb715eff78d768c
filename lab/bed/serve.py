"""`python -m lab.bed serve`: the real parts for a person, and a project that is ready to run on them."""

import shlex
import shutil
import signal
import threading
from collections.abc import Mapping
from contextlib import ExitStack
from pathlib import Path
from types import FrameType

import yaml

from dittoinfra.engine.pulumi_cli import Cli
from dittoinfra.kubernetes import connect
from lab.bed.cluster import KubernetesCluster
from lab.bed.credentials import credential
from lab.bed.dfs import RealDittoFS
from lab.bed.keeper import BED, CLUSTER, Keeper
from lab.bed.process import BedError
from lab.bed.tools import DFS, DITTOFS_TOOLS
from lab.gotools import Progress, build
from lab.simulator.versions import TESTED, ServerVersion
from lab.standin import ApiStore, StandInProvider

STACK = "bed"
USERNAME = "dittoinfra"

_ROOT = Path(__file__).parents[2]
_ENV = "env"


def dittofs_version(number: str = TESTED[-1].number) -> ServerVersion:
    """The tested version of DittoFS with this number, or the newest one."""
    for version in TESTED:
        if version.number == number:
            return version
    choices = " or ".join(f"DITTOFS={version}" for version in TESTED)
    raise BedError(f"the bed has no DittoFS {number}; start it with {choices}")


def serve(progress: Progress, cli: Cli, version: ServerVersion) -> None:
    """Start everything, say how it is used, and keep it until SIGINT or SIGTERM."""
    ended = threading.Event()

    def end(number: int, frame: FrameType | None) -> None:
        del number, frame
        ended.set()

    for number in (signal.SIGINT, signal.SIGTERM):
        signal.signal(number, end)
    progress.say(f"starting etcd, the API server, controllers, a scheduler, kwok and dfs {version} ...")
    tool = DITTOFS_TOOLS[version]
    binary = tool.binary(build(tool, progress), DFS)
    with ExitStack() as life:
        keeper = life.enter_context(Keeper())
        dfs = life.enter_context(RealDittoFS(binary, keeper.directory / "dfs", version=version))
        cluster = keeper.part(CLUSTER)
        assert isinstance(cluster, KubernetesCluster)
        api = life.enter_context(connect(str(cluster.kubeconfig), None))
        provider = life.enter_context(StandInProvider(ApiStore(api)))
        password = _reader(dfs)
        project = _project(keeper.directory / "project", dfs, cluster.namespace())
        variables = {
            BED: str(keeper.directory),
            "KUBECONFIG": str(cluster.kubeconfig),
            "DITTOFS_URL": dfs.url,
            "DITTOFS_PID": str(dfs.pid),
            "DITTOFS_ADMIN_PASSWORD": dfs.admin_password,
            "DITTOFS_PASSWORD": password,
            "PULUMI_BACKEND_URL": (project / "state").as_uri(),
            "PULUMI_CONFIG_PASSPHRASE": "bed",
            # Those who have the official provider unset these.
            **provider.environment(),
        }
        environment = _write_environment(keeper.directory / _ENV, variables, cli.path.parent)
        progress.say(f"Kubernetes: {cluster.url}")
        progress.say(f"DittoFS {version}: {dfs.url} (admin, and {USERNAME} of role user)")
        progress.say("In another terminal:")
        progress.say(f"  . {environment}")
        progress.say(f"  .venv/bin/dittoinfra --cwd {project} up {STACK} --yes")
        progress.say("Tests that are started there use this Kubernetes instead of one of their own.")
        progress.say("Ctrl-C ends all of it.")
        ended.wait()
        progress.say("ending ...")


def _reader(dfs: RealDittoFS) -> str:
    password = credential("reader")
    dfs.create_user(USERNAME, password, "user")
    return password


def _project(folder: Path, dfs: RealDittoFS, namespace: str) -> Path:
    for part in ("stacks", "state"):
        (folder / part).mkdir(parents=True)
    shutil.copy(_ROOT / "Pulumi.yaml", folder)
    api = {"url": dfs.url, "username": USERNAME, "passwordEnv": "DITTOFS_PASSWORD"}
    server = {"name": "media", "namespace": namespace, "api": api}
    config = {"config": {"dittoinfra:servers": [server]}}
    (folder / "stacks" / f"Pulumi.{STACK}.yaml").write_text(yaml.safe_dump(config, sort_keys=False))
    return folder


def _write_environment(path: Path, variables: Mapping[str, str], programs: Path) -> Path:
    path.touch(0o600)
    lines = [f"export {name}={shlex.quote(value)}" for name, value in variables.items()]
    lines.append(f'export PATH={shlex.quote(str(programs))}:"$PATH"')
    path.write_text("".join(f"{line}\n" for line in lines))
    return path
