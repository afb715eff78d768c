"""The environment of the pictures: a stack on a real cluster, and a simulated server that can fail."""

import os
import sys
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import yaml

from dittoinfra.engine.pulumi_cli import Cli
from dittoinfra.kubernetes import connect
from lab.bed.cluster import KubernetesCluster, create
from lab.bed.credentials import credential
from lab.bed.keeper import CLUSTER, Keeper
from lab.simulator import SimulatedDittoFS
from lab.standin import ApiStore, StandInProvider

STACK = "files"
SERVER = "media"

_ROOT = Path(__file__).parents[2]
_PASSWORD = "DITTOFS_PASSWORD"  # noqa: S105 - the variable's name, not what is in it
_ADDRESSES = {"nfs": "203.0.113.7", "smb": "203.0.113.8"}


@dataclass(frozen=True, slots=True)
class Stage:
    """An empty folder for the project, and everybody who acts on what it is about."""

    folder: Path
    environment: Mapping[str, str]
    dittofs: SimulatedDittoFS
    cluster: KubernetesCluster

    @property
    def secrets(self) -> tuple[str, ...]:
        """What no picture may show."""
        named = (self.environment[name] for name in (_PASSWORD, "PULUMI_CONFIG_PASSPHRASE"))
        return (self.dittofs.admin_password, *named)

    def configure(self, **settings: object) -> None:
        """Write the project and the stack's file."""
        api = {"url": self.dittofs.url, "username": "dittoinfra", "passwordEnv": _PASSWORD, "deadline": "2s"}
        types = {"nfs": {"servicePort": 2049}, "smb": {"servicePort": 445}}
        server = {"name": SERVER, "namespace": STACK, "api": api, "adapters": {"types": types}}
        config = {"dittoinfra:servers": [server], **{f"dittoinfra:{k}": v for k, v in settings.items()}}
        (self.folder / "Pulumi.yaml").write_text((_ROOT / "Pulumi.yaml").read_text())
        path = self.folder / "stacks" / f"Pulumi.{STACK}.yaml"
        path.parent.mkdir(exist_ok=True)
        before: dict[str, Any] = yaml.safe_load(path.read_text()) if path.exists() else {}
        path.write_text(yaml.safe_dump({**before, "config": config}, sort_keys=False))

    def balance(self) -> None:
        """Give every Service an address, as a cloud's load balancer does."""
        for adapter, address in _ADDRESSES.items():
            self.cluster.give_address(STACK, f"{SERVER}-adapter-{adapter}", address)


@contextmanager
def stage(cli: Cli) -> Iterator[Stage]:
    """Everything that a picture needs, for the length of a `with` block."""
    with Keeper() as keeper, SimulatedDittoFS() as dittofs:
        cluster = keeper.part(CLUSTER)
        assert isinstance(cluster, KubernetesCluster)  # noqa: S101 - that part is one
        with cluster.client() as client:
            create(client, "/api/v1/namespaces", {"metadata": {"name": STACK}})
        cluster.run_server(STACK, SERVER)
        cluster.forward(STACK, f"{SERVER}-0", 8080, dittofs.port)
        with connect(str(cluster.kubeconfig), None) as api, StandInProvider(ApiStore(api)) as provider:
            folder, state = keeper.directory / "file-servers", keeper.directory / "state"
            for made in (folder, state):
                made.mkdir()
            password = credential("reader")
            dittofs.add_user("dittoinfra", password, "user")
            dittofs.set_adapter("nfs", port=12049)
            dittofs.set_adapter("smb", port=12445)
            path = os.pathsep.join(
                [str(Path(sys.executable).parent), str(cli.path.parent), os.environ["PATH"]]
            )
            environment = {
                **{
                    k: v
                    for k, v in os.environ.items()
                    if not k.startswith(("PULUMI_", "DITTOINFRA_", "TMUX"))
                },
                "PATH": path,
                "PYTHONPATH": str(_ROOT),
                "KUBECONFIG": str(cluster.kubeconfig),
                "PULUMI_BACKEND_URL": state.as_uri(),
                "PULUMI_CONFIG_PASSPHRASE": credential("passphrase"),
                "PULUMI_HOME": str(keeper.directory / "home"),
                "PULUMI_SKIP_UPDATE_CHECK": "1",
                _PASSWORD: password,
                **provider.environment(),
            }
            yield Stage(folder, environment, dittofs, cluster)
