"""A project whose stacks are in a real cluster, each in its own namespace."""

import subprocess
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import httpx
from pulumi.automation import PulumiCommand

from dittoinfra.kubernetes import connect
from dittoinfra.stacks.project_stack import ProjectStack
from lab.bed.kubernetes import KubernetesApi
from lab.standin import ApiStore, StandInProvider
from tests.engine.cli.fleet_bed import Fleet, fleet

MERGE = {"Content-Type": "application/merge-patch+json"}


@dataclass
class ClusterFleet:
    """The project, the command run on it, and administrator access to its cluster."""

    fleet: Fleet
    api: KubernetesApi
    client: httpx.Client
    namespaces: dict[str, str] = field(default_factory=dict)

    def configure(self, stack: str, **server: object) -> None:
        """Write a stack's configuration: a simulated server of its own, in a namespace of its own."""
        if stack not in self.namespaces:
            self.namespaces[stack] = self.api.namespace()
        block = self.fleet.block(stack, namespace=self.namespaces[stack], **server)
        self.fleet.add_stack(stack, block)

    def stack(self, name: str) -> ProjectStack:
        """A stack, run in this process."""
        return ProjectStack(self.fleet.command, self.fleet.root, name, self.environment)

    def up(self, *stacks: str) -> None:
        """Bring stacks up, as a run before the test would have."""
        for name in stacks:
            report = self.stack(name).up()
            assert report.ok, report.lines("error")

    @property
    def environment(self) -> dict[str, str]:
        """The command finds the cluster as a person's shell lets it."""
        return {**self.fleet.environment, "KUBECONFIG": str(self.api.kubeconfig)}

    def run(self, *arguments: str, **environment: str) -> "subprocess.CompletedProcess[str]":
        """Run the command."""
        return self.fleet.run(*arguments, environment={**self.environment, **environment})

    def edit(self, stack: str, service: str, body: Mapping[str, Any]) -> None:
        """Edit a live Service, or one of its subresources."""
        path = f"{self._services(stack)}/{service}"
        self.client.patch(path, json=body, headers=MERGE).raise_for_status()

    def delete(self, stack: str, service: str) -> None:
        """Delete a live Service."""
        self.client.delete(f"{self._services(stack)}/{service}").raise_for_status()

    def workload(self, stack: str, name: str, image: str) -> None:
        """Make a StatefulSet with this image, as an operator does."""
        labels = {"app": "dittofs-server", "instance": name}
        spec = {"containers": [{"name": "sidecar", "image": "proxy:1"}, {"name": "dittofs", "image": image}]}
        body = {
            "metadata": {"name": name, "labels": labels},
            "spec": {
                "serviceName": name,
                "selector": {"matchLabels": labels},
                "template": {"metadata": {"labels": labels}, "spec": spec},
            },
        }
        path = f"/apis/apps/v1/namespaces/{self.namespaces[stack]}/statefulsets"
        self.client.post(path, json=body).raise_for_status()

    def pod(self, stack: str, name: str, image: str) -> None:
        """Make a Pod with this image that runs, as a StatefulSet's controller and a node do."""
        spec = {"containers": [{"name": "dittofs", "image": image}]}
        path = f"/api/v1/namespaces/{self.namespaces[stack]}/pods"
        self.client.post(path, json={"metadata": {"name": name}, "spec": spec}).raise_for_status()
        running = {"status": {"phase": "Running"}}
        headers = {"Content-Type": "application/merge-patch+json"}
        self.client.patch(f"{path}/{name}/status", json=running, headers=headers).raise_for_status()

    def everything(self, stack: str) -> tuple[object, object]:
        """All of the stack's Services, with what changes at every write to them; and its state."""
        listed = self.client.get(self._services(stack)).raise_for_status().json()["items"]
        return listed, self.stack(stack).export()

    def _services(self, stack: str) -> str:
        return f"/api/v1/namespaces/{self.namespaces[stack]}/services"


@contextmanager
def cluster_fleet(command: PulumiCommand, api: KubernetesApi, root: Path) -> Iterator[ClusterFleet]:
    """A project without stacks yet."""
    with (
        connect(str(api.kubeconfig), None) as cluster,
        StandInProvider(ApiStore(cluster)) as provider,
        fleet(root, command) as project,
        api.client() as client,
    ):
        project.provider = provider
        yield ClusterFleet(project, api, client)
