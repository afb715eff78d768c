"""Access to a complete Kubernetes cluster whose node is simulated by kwok.

Nothing runs in its Pods. A test that needs a port of a Pod maps it with `forward`.
"""

import json
import time
from collections.abc import Callable, Iterator, Mapping
from typing import Any

import httpx

from lab.bed.kubernetes import POLL_SECONDS, READY_SECONDS, KubernetesApi
from lab.bed.process import BedError
from lab.simulator.versions import V0_31

STORAGE_CLASS = "bed"
VOLUMES = 12
"""Volumes that a namespace brings along for the claims of its servers: this cluster makes none on demand."""


class KubernetesCluster(KubernetesApi):
    """A cluster: API server, controllers, scheduler and kwok."""

    def namespace(self) -> str:
        """Create a namespace with volumes for its claims, and return its name."""
        name = super().namespace()
        with self.client() as client:
            for number in range(VOLUMES):
                create(client, "/api/v1/persistentvolumes", _volume(f"{name}-{number}"))
        return name

    def forward(self, namespace: str, pod: str, port: int, local_port: int) -> None:
        """Map a port of a Pod, which may not exist yet, to a port on loopback."""
        self.forward_all(namespace, pod, {port: local_port})

    def forward_all(self, namespace: str, pod: str, local_ports: Mapping[int, int]) -> None:
        """Map several ports; replaces all earlier mappings of the Pod."""
        forwards = [
            {"ports": [port], "target": {"address": "127.0.0.1", "port": local_port}}
            for port, local_port in local_ports.items()
        ]
        body = {
            "apiVersion": "kwok.x-k8s.io/v1alpha1",
            "kind": "PortForward",
            "metadata": {"name": pod, "namespace": namespace},
            "spec": {"forwards": forwards},
        }
        with self.client() as client:
            answer = client.patch(
                f"/apis/kwok.x-k8s.io/v1alpha1/namespaces/{namespace}/portforwards/{pod}",
                params={"fieldManager": "bed", "force": "true"},
                headers={"Content-Type": "application/apply-patch+yaml"},
                content=json.dumps(body),
            )
            answer.raise_for_status()

    def run_pod(self, namespace: str, name: str, labels: Mapping[str, str] | None = None) -> None:
        """Create a Pod and wait until it is ready."""
        pod = {
            "metadata": {"name": name, "labels": dict(labels or {})},
            "spec": {"containers": [{"name": "dittofs", "image": "dittofs"}]},
        }
        pods = f"/api/v1/namespaces/{namespace}/pods"
        with self.client() as client:
            # The controller-manager makes a namespace's account in its own time, and a Pod needs it.
            self.wait_until(
                f"service account of {namespace}",
                lambda: client.get(f"/api/v1/namespaces/{namespace}/serviceaccounts/default").is_success,
            )
            create(client, pods, pod)
        self.wait_for_pod(namespace, name)

    def run_server(self, namespace: str, name: str) -> None:
        """Create a DittoFS server as other tools deploy it; its Pod is ready, but runs nothing."""
        labels = {"app": "dittofs-server", "instance": name}
        container = {"name": "dittofs", "image": f"marmos91c/dittofs:v{V0_31.number}"}
        workload = {
            "metadata": {"name": name, "labels": labels},
            "spec": {
                "serviceName": name,
                "selector": {"matchLabels": labels},
                "template": {"metadata": {"labels": labels}, "spec": {"containers": [container]}},
            },
        }
        with self.client() as client:
            create(client, f"/apis/apps/v1/namespaces/{namespace}/statefulsets", workload)
        self.wait_for_pod(namespace, f"{name}-0")

    def wait_for_pod(self, namespace: str, name: str) -> None:
        """Wait until a Pod is ready."""
        with self.client() as client:
            path = f"/api/v1/namespaces/{namespace}/pods/{name}"
            self.wait_until(f"Pod {name}", lambda: is_ready(client.get(path)))

    def expose_pod(self, namespace: str, service: str, labels: Mapping[str, str]) -> None:
        """Create a Service for Pods with these labels, and wait until it has an endpoint."""
        body = {"metadata": {"name": service}, "spec": {"selector": dict(labels), "ports": [{"port": 80}]}}
        within = f"namespaces/{namespace}"
        query = {"labelSelector": f"kubernetes.io/service-name={service}"}
        with self.client() as client:
            create(client, f"/api/v1/{within}/services", body)

            def leads_somewhere() -> bool:
                slices = client.get(f"/apis/discovery.k8s.io/v1/{within}/endpointslices", params=query)
                return any(part.get("endpoints") for part in slices.json()["items"])

            self.wait_until(f"Service {service}", leads_somewhere)

    def wait_until(self, what: str, holds: Callable[[], bool]) -> None:
        """Wait until a condition holds; fail with a message otherwise."""
        deadline = time.monotonic() + READY_SECONDS
        while not holds():
            if time.monotonic() > deadline:
                raise BedError(f"{what} was not ready within {READY_SECONDS:g} s; see {self.directory}/*.log")
            time.sleep(POLL_SECONDS)


def create(client: httpx.Client, path: str, body: Mapping[str, Any]) -> None:
    """Create an object; fail with the API's message."""
    answer = client.post(path, json=body)
    if answer.is_error:
        raise BedError(f"the Kubernetes API answered POST {path} with {answer.status_code}: {answer.text}")


def _volume(name: str) -> Mapping[str, Any]:
    return {
        "metadata": {"name": name},
        "spec": {
            "accessModes": ["ReadWriteOnce"],
            "capacity": {"storage": "1Ti"},
            "hostPath": {"path": "/nothing-is-ever-mounted"},
            "storageClassName": STORAGE_CLASS,
        },
    }


def is_ready(answer: httpx.Response) -> bool:
    """Whether the answer is an object with the condition Ready."""
    return answer.is_success and ("Ready", "True") in set(_conditions(answer.json()))


def _conditions(live: Mapping[str, Any]) -> Iterator[tuple[str, str]]:
    for condition in live.get("status", {}).get("conditions") or []:
        yield condition["type"], condition["status"]
