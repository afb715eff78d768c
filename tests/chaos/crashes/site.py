"""A stack on the real engine and the real Kubernetes API, for tests that kill its runs."""

import subprocess
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import httpx
from pulumi.automation import PulumiCommand

from dittoinfra.kubernetes import connect
from dittoinfra.stacks.project_stack import ProjectStack
from lab.bed.credentials import credential
from lab.bed.kubernetes import KubernetesApi
from lab.standin import ApiStore, StandInProvider
from tests.engine.cli.fleet_bed import Fleet, fleet

STACK = "prod"
MERGE = {"Content-Type": "application/merge-patch+json"}

Identity = tuple[str, str, tuple[int | None, ...], tuple[str, ...]]
"""What a Service's clients know it by: uid, cluster address, node ports and outside addresses."""


@dataclass
class Site:
    """The project, the command run on it, and administrator access to its cluster."""

    fleet: Fleet
    command: PulumiCommand
    api: KubernetesApi
    store: ApiStore
    client: httpx.Client
    namespace: str

    def configure(
        self, stack: str = STACK, name: str = "media", deadline: str = "2m", **settings: object
    ) -> None:
        """Write the stack's configuration: one simulated server."""
        block = self.fleet.block(stack, namespace=self.namespace, **settings)
        # A server that is only slow, on a machine under load, must not pass for a silent one.
        api = {**block["api"], "deadline": deadline, "requestTimeout": deadline}
        self.fleet.add_stack(stack, {**block, "name": name, "api": api})

    def encrypt_secrets(self) -> None:
        """Set the secrets that a deployed server needs to start."""
        for key in ("jwt", "adminPassword"):
            path = f"dittoinfra:serverSecrets.media.{key}"
            self.stack().set_config(path, credential(f"of-a-deployed-server-{key}"), secret=True, path=True)

    def serve(self, adapters: Mapping[str, int], stack: str = STACK) -> None:
        """Make the server serve exactly these adapters, by port."""
        server = self.fleet.server(stack)
        for gone in server.adapters.keys() - adapters.keys():
            server.disable(gone)
        for adapter, port in adapters.items():
            server.set_adapter(adapter, port=port)

    def stack(self, name: str = STACK) -> ProjectStack:
        """The stack, run in this process."""
        return ProjectStack(self.command, self.fleet.root, name, self.environment)

    def up(self, name: str = STACK) -> None:
        """Bring the stack up as an earlier, uninterrupted run."""
        report = self.stack(name).up()
        assert report.ok, report.lines("error")

    @property
    def environment(self) -> dict[str, str]:
        """The command's environment, with the cluster in KUBECONFIG."""
        return {**self.fleet.environment, "KUBECONFIG": str(self.api.kubeconfig)}

    def run(self, *arguments: str) -> "subprocess.CompletedProcess[str]":
        """Run the command and wait until it ends."""
        return self.fleet.run(*arguments, environment=self.environment)

    def start(self, *arguments: str, provider: Mapping[str, str]) -> "subprocess.Popen[str]":
        """Start the command with a provider other than the shared one."""
        return self.fleet.start(*arguments, environment={**self.environment, **provider})

    def workload(self) -> dict[str, Any]:
        """The StatefulSet of another owner; created if it does not exist."""
        path = f"/apis/apps/v1/namespaces/{self.namespace}/statefulsets"
        found = self.client.get(f"{path}/media")
        if found.status_code == httpx.codes.NOT_FOUND:
            found = self.client.post(path, json=_workload(), params={"fieldManager": "their-operator"})
        return dict(found.raise_for_status().json())

    def services(self) -> dict[str, dict[str, Any]]:
        """The Services of the namespace by name."""
        path = f"/api/v1/namespaces/{self.namespace}/services"
        listed = self.client.get(path).raise_for_status().json()["items"]
        return {service["metadata"]["name"]: service for service in listed}

    def secrets(self) -> dict[str, tuple[str, dict[str, str]]]:
        """The uid and the values of each Secret of the namespace, by name."""
        path = f"/api/v1/namespaces/{self.namespace}/secrets"
        listed = self.client.get(path).raise_for_status().json()["items"]
        return {each["metadata"]["name"]: (each["metadata"]["uid"], each["data"]) for each in listed}

    def ports(self, server: str = "media") -> dict[str, int]:
        """The target port of each adapter's Service, by type."""
        prefix = f"{server}-adapter-"
        return {
            name.removeprefix(prefix): service["spec"]["ports"][0]["targetPort"]
            for name, service in self.services().items()
            if name.startswith(prefix)
        }

    def identities(self) -> dict[str, Identity]:
        """The identity of each Service: what clients depend on."""
        return {name: _identity(service) for name, service in self.services().items()}

    def give_addresses(self) -> None:
        """Assign addresses to Services that have none, like a load balancer's controller."""
        for number, (name, service) in enumerate(sorted(self.services().items()), 1):
            if service["spec"]["type"] != "LoadBalancer" or service["status"]["loadBalancer"]:
                continue
            body = {"status": {"loadBalancer": {"ingress": [{"ip": f"192.0.2.{number}"}]}}}
            path = f"/api/v1/namespaces/{self.namespace}/services/{name}/status"
            self.client.patch(path, json=body, headers=MERGE).raise_for_status()


def _workload() -> dict[str, Any]:
    labels = {"app": "dittofs-server", "instance": "media"}
    container = {"name": "dittofs", "image": "dittofs", "ports": [{"name": "api", "containerPort": 8080}]}
    template = {"metadata": {"labels": labels}, "spec": {"containers": [container]}}
    spec = {"serviceName": "media-headless", "selector": {"matchLabels": labels}, "template": template}
    return {"metadata": {"name": "media"}, "spec": spec}


def _identity(service: Mapping[str, Any]) -> Identity:
    ingress = service["status"]["loadBalancer"].get("ingress") or ()
    return (
        service["metadata"]["uid"],
        service["spec"]["clusterIP"],
        tuple(port.get("nodePort") for port in service["spec"]["ports"]),
        tuple(place["ip"] for place in ingress),
    )


@contextmanager
def site(command: PulumiCommand, api: KubernetesApi, root: Path) -> Iterator[Site]:
    """A project without stacks, and a provider that no test kills."""
    with (
        connect(str(api.kubeconfig), None) as cluster,
        fleet(root, command) as project,
        api.client() as client,
    ):
        store = ApiStore(cluster)
        with StandInProvider(store) as provider:
            project.provider = provider
            yield Site(project, command, api, store, client, api.namespace())
