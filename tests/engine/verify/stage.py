"""A stack that is up, with a real DittoFS server behind its Services: by port-forward and on loopback."""

import json
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from pulumi.automation import PulumiCommand

from dittoinfra.decide.host_records import Unresolved
from dittoinfra.kubernetes import connect
from dittoinfra.model import Addresses
from dittoinfra.reports.failure import Failure
from dittoinfra.reports.verify_document import AdapterVerdict
from dittoinfra.stacks.stack_survey import read_stack
from dittoinfra.verify.targets import Target, targets
from dittoinfra.verify.verify_stack import TimeLimits, verify_adapters, verify_stack
from lab.bed.cluster import KubernetesCluster
from lab.bed.dfs import RealDittoFS
from lab.bed.dittofs import wait_until
from lab.bed.process import free_ports
from tests.engine.namespace import Namespace
from tests.engine.world import PASSWORD_ENV, World, world_on

POD = "media-0"
LABELS = {"app": "dittofs-server", "instance": "media"}
TIMEOUT = 3.0
"""Seconds for an adapter: on an idle machine everything that answers does so within a tenth of it."""
PATIENCE = TimeLimits(TIMEOUT)


@dataclass
class Stage:
    """The stack, its server, and hands that break one thing at a time."""

    world: World
    cluster: KubernetesCluster
    namespace: Namespace
    dfs: RealDittoFS
    targets: tuple[Target, ...]
    names: dict[str, Addresses] = field(default_factory=dict)
    """What the resolver of this machine would say."""

    def verify_stack(self, timeout: float) -> dict[str, AdapterVerdict]:
        """The verdict on each adapter by type, as the command comes to it."""
        found = verify_stack(self.world.stack, TimeLimits(timeout), self._resolve)
        assert not isinstance(found, Failure), found
        return {verdict.type: verdict for verdict in found}

    def verify(self, kind: str) -> AdapterVerdict:
        """The verdict on one adapter, without the seconds in which the CLI reads the stack."""
        [verdict] = self.check([target for target in self.targets if target.type == kind])
        return verdict

    def check(
        self, wanted: Sequence[Target], kubeconfig: str | None = None, limits: TimeLimits = PATIENCE
    ) -> tuple[AdapterVerdict, ...]:
        """The verdicts on adapters, for an administrator or the user of a kubeconfig."""
        with connect(kubeconfig or str(self.cluster.kubeconfig)) as cluster:
            return verify_adapters(cluster, wanted, limits, self._resolve)

    def restore(self) -> None:
        """Everything as it was when the stack had just been brought up, and its server ran."""
        self.names = {f"{kind}.media.names.invalid": ("127.0.0.1",) for kind in ("nfs", "smb")}
        self.forward({kind: self.dfs.port_of(kind) for kind in ("nfs", "smb")})
        if not self._pods():
            self.cluster.run_pod(self.namespace.name, POD, LABELS)
        self.set_ready(True)
        for kind in ("nfs", "smb"):
            self.namespace.merge(self.service(kind), {"spec": {"type": "LoadBalancer"}})
            self.edit_ports(kind, port=self.dfs.port_of(kind), targetPort=self.dfs.port_of(kind))
            self.set_address(kind, "127.0.0.1")
            self.edit_policy(kind, {"ports": [{"port": self.dfs.port_of(kind)}]})

    def forward(self, to: Mapping[str, int]) -> None:
        """Let each adapter's port of the Pod lead to a port on loopback."""
        local_ports = {self.dfs.port_of(kind): port for kind, port in to.items()}
        self.cluster.forward_all(self.namespace.name, POD, local_ports)

    @contextmanager
    def moved(self, kind: str) -> Iterator[None]:
        """Let the server listen elsewhere, while everything in the cluster leads to where it did."""
        [elsewhere] = free_ports(1)
        before = self.dfs.port_of(kind)
        self._move(kind, elsewhere)
        try:
            yield
        finally:
            self._move(kind, before)

    def _move(self, kind: str, port: int) -> None:
        self.dfs.set_port(kind, port)
        wait_until(lambda: self.dfs.listens(kind))

    def edit_ports(self, kind: str, **fields: Any) -> None:  # noqa: ANN401 - fields of several types
        """Edit the data port of an adapter's Service, as a person with `kubectl edit` does."""
        patch = [
            {"op": "add", "path": f"/spec/ports/0/{key}", "value": value} for key, value in fields.items()
        ]
        self.namespace.json(self.service(kind), json.dumps(patch))

    def edit_policy(self, kind: str, *rules: Mapping[str, object]) -> None:
        """Let the network policy in front of an adapter have these rules for what comes in."""
        policy = f"apis/networking.k8s.io/v1:networkpolicies/media-adapter-{kind}"
        self.namespace.merge(policy, {"spec": {"ingress": list(rules)}})

    def set_address(self, kind: str, *addresses: str) -> None:
        """Give an adapter's Service addresses, as a cloud's controller does."""
        ingress = [{"ip": address} for address in addresses]
        self.namespace.merge(
            f"{self.service(kind)}/status", {"status": {"loadBalancer": {"ingress": ingress}}}
        )

    def set_ready(self, ready: bool) -> None:
        """Let the Pod's readiness probe say so, and wait until the Services' endpoints do."""
        conditions = [{"type": "Ready", "status": str(ready)}]
        self.namespace.merge(f"api/v1:pods/{POD}/status", {"status": {"conditions": conditions}})
        self.wait_for_endpoints("ready" if ready else "not ready")

    def remove_pod(self) -> None:
        """Delete the Pod, and wait until no endpoint is left of it."""
        self.namespace.delete(f"api/v1:pods/{POD}")
        self.cluster.wait_until("the end of the Pod", lambda: not self._pods())
        self.wait_for_endpoints()

    def wait_for_endpoints(self, *states: str) -> None:
        """Return once every Service has exactly such endpoints."""
        wanted = set(states)
        self.cluster.wait_until(f"endpoints {wanted}", lambda: self.endpoints() == wanted)

    def endpoints(self) -> set[str]:
        """How the endpoints of all Services stand."""
        slices = self.namespace.get("apis/discovery.k8s.io/v1:endpointslices")["items"]
        return {
            "ready" if endpoint["conditions"]["ready"] else "not ready"
            for part in slices
            for endpoint in part.get("endpoints") or ()
        }

    @staticmethod
    def service(kind: str) -> str:
        """The path of an adapter's Service."""
        return f"api/v1:services/media-adapter-{kind}"

    def _pods(self) -> object:
        return self.namespace.get("api/v1:pods")["items"]

    def _resolve(self, name: str) -> Addresses | Unresolved:
        return self.names.get(name) or Unresolved("unknown name")


@contextmanager
def stage(
    cli: PulumiCommand,
    cluster: KubernetesCluster,
    dfs_binary: Path,
    root: Path,
    service: Mapping[str, object] | None = None,
) -> Iterator[Stage]:
    """A stack that is up; its adapters have network policies, names, and these settings of their Services."""
    project = root / "project"
    project.mkdir()
    with (
        world_on(cluster, cli, project, cluster.kubeconfig) as world,
        RealDittoFS(dfs_binary, root / "dfs") as dfs,
        cluster.client() as client,
    ):
        namespace = Namespace(cluster.namespace(), client)
        dfs.create_user("dittoinfra", world.password)
        api = {"url": dfs.url, "username": "dittoinfra", "passwordEnv": PASSWORD_ENV}
        block = {
            "name": "media",
            "namespace": namespace.name,
            "api": api,
            "networkPolicy": {"mode": "enabled", "ports": []},
            "adapters": {
                "service": {"dns": {"hostname": "{type}.{server}.names.invalid"}, **(service or {})}
            },
        }
        world.configure(block)
        world.up()
        held = targets(world.stack.name, read_stack(world.stack).memory())
        yield Stage(world, cluster, namespace, dfs, held)
