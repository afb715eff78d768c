"""A whole Kubernetes on loopback: its own controllers and scheduler, and a node whose Pods kwok says run.

Nothing runs in those Pods. A test that wants to reach something in one tells `forward` what stands there.
"""

import json
import subprocess
import time
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Self

import httpx
import trustme
import yaml

from dittoinfra.engine import Progress, build
from dittoinfra.engine.golang import find_go
from tests.bed.kubernetes import KubernetesApi
from tests.bed.process import BedError, free_ports
from tests.bed.tools import (
    CONTROLLERS_TOOL,
    KUBE_CONTROLLER_MANAGER,
    KUBE_SCHEDULER,
    KUBERNETES_TOOL,
    KWOK,
    KWOK_MODULE,
    KWOK_TOOL,
)

READY_SECONDS = 60.0
"""It takes a few on an idle machine."""

NODE = "bed"
VOLUMES = 12
"""Volumes that a namespace brings along for the claims of its servers: nobody here makes any on demand."""

_STORAGE_CLASS = "bed"
_POLL_SECONDS = 0.05
_STAGES = ("node/fast", "node/heartbeat-with-lease", "pod/fast")
_PORT_FORWARDS = "kwok.x-k8s.io_portforwards.yaml"


@dataclass(frozen=True, slots=True)
class ClusterParts:
    """Where the programs of a cluster are, and what kwok reads at its start."""

    kubernetes: Path
    controllers: Path
    kwok: Path
    kwok_source: Path


def cluster_parts(progress: Progress) -> ClusterParts:
    """Every part of a cluster, built when it is not in the cache."""
    return ClusterParts(
        kubernetes=build(KUBERNETES_TOOL, progress),
        controllers=build(CONTROLLERS_TOOL, progress),
        kwok=build(KWOK_TOOL, progress),
        kwok_source=_kwok_source(),
    )


class KubernetesCluster(KubernetesApi):
    """An API server with everything that acts on its objects, for the length of a `with` block."""

    # A node is asked at its address: its name is known to nobody.
    _apiserver_options = ("--kubelet-preferred-address-types=InternalIP",)

    def __init__(self, parts: ClusterParts, directory: Path) -> None:
        super().__init__(parts.kubernetes, directory)
        self._parts = parts

    def __enter__(self) -> Self:
        super().__enter__()
        try:
            self._start_controllers()
            self._start_kwok()
            self._prepare()
        except BaseException:
            self._running.close()
            raise
        return self

    def namespace(self) -> str:
        """Create a fresh namespace, with volumes for the claims in it, and return its name."""
        name = super().namespace()
        with self.client() as client:
            for number in range(VOLUMES):
                _create(client, "/api/v1/persistentvolumes", _volume(f"{name}-{number}"))
        return name

    def forward(self, namespace: str, pod: str, port: int, local_port: int) -> None:
        """Let a port of a Pod, now or when there is one, lead to a port on loopback."""
        target = {"ports": [port], "target": {"address": "127.0.0.1", "port": local_port}}
        body = {
            "apiVersion": "kwok.x-k8s.io/v1alpha1",
            "kind": "PortForward",
            "metadata": {"name": pod, "namespace": namespace},
            "spec": {"forwards": [target]},
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
            self._wait_until(
                f"service account of {namespace}",
                lambda: client.get(f"/api/v1/namespaces/{namespace}/serviceaccounts/default").is_success,
            )
            _create(client, pods, pod)
        self.wait_for_pod(namespace, name)

    def wait_for_pod(self, namespace: str, name: str) -> None:
        """Return once a Pod is ready."""
        with self.client() as client:
            path = f"/api/v1/namespaces/{namespace}/pods/{name}"
            self._wait_until(f"Pod {name}", lambda: _is_ready(client.get(path)))

    def expose_pod(self, namespace: str, service: str, labels: Mapping[str, str]) -> None:
        """Create a Service in front of Pods with these labels, and wait until it leads to one."""
        body = {"metadata": {"name": service}, "spec": {"selector": dict(labels), "ports": [{"port": 80}]}}
        within = f"namespaces/{namespace}"
        query = {"labelSelector": f"kubernetes.io/service-name={service}"}
        with self.client() as client:
            _create(client, f"/api/v1/{within}/services", body)

            def leads_somewhere() -> bool:
                slices = client.get(f"/apis/discovery.k8s.io/v1/{within}/endpointslices", params=query)
                return any(part.get("endpoints") for part in slices.json()["items"])

            self._wait_until(f"Service {service}", leads_somewhere)

    def _start_controllers(self) -> None:
        key, ca = self._directory / "sa.key", self.ca_file
        self._serve(
            "kube-controller-manager",
            [
                str(CONTROLLERS_TOOL.binary(self._parts.controllers, KUBE_CONTROLLER_MANAGER)),
                f"--kubeconfig={self.kubeconfig}",
                "--leader-elect=false",
                "--secure-port=0",
                f"--service-account-private-key-file={key}",
                f"--root-ca-file={ca}",
            ],
        )
        self._serve(
            "kube-scheduler",
            [
                str(CONTROLLERS_TOOL.binary(self._parts.controllers, KUBE_SCHEDULER)),
                f"--kubeconfig={self.kubeconfig}",
                "--leader-elect=false",
                "--secure-port=0",
            ],
        )

    def _start_kwok(self) -> None:
        source = self._parts.kwok_source / "kustomize"
        with self.client() as client:
            definition = yaml.safe_load((source / "crd" / "bases" / _PORT_FORWARDS).read_text())
            _create(client, "/apis/apiextensions.k8s.io/v1/customresourcedefinitions", definition)
            listed = "/apis/kwok.x-k8s.io/v1alpha1/portforwards"
            self._wait_until("the kind PortForward", lambda: client.get(listed).is_success)
        stages = [file for stage in _STAGES for file in sorted((source / "stage" / stage).glob("*.yaml"))]
        config = self._directory / "kwok.yaml"
        config.write_text("---\n".join(f.read_text() for f in stages if f.stem != "kustomization"))
        certificate = trustme.CA().issue_cert("127.0.0.1")
        crt, key = self._directory / "kwok.crt", self._directory / "kwok.key"
        certificate.cert_chain_pems[0].write_to_path(str(crt))
        certificate.private_key_pem.write_to_path(str(key))
        [port] = free_ports(1)
        kwok = self._serve(
            "kwok",
            [
                str(KWOK_TOOL.binary(self._parts.kwok, KWOK)),
                f"--kubeconfig={self.kubeconfig}",
                f"--config={config}",
                "--enable-crds=PortForward",
                "--manage-all-nodes=true",
                "--node-ip=127.0.0.1",
                f"--node-port={port}",
                f"--server-address=127.0.0.1:{port}",
                f"--tls-cert-file={crt}",
                f"--tls-private-key-file={key}",
                "--node-lease-duration-seconds=40",
            ],
        )
        kwok.wait_until(lambda: _is_served(f"https://127.0.0.1:{port}/healthz"), READY_SECONDS)

    def _prepare(self) -> None:
        storage_class = {
            "metadata": {
                "name": _STORAGE_CLASS,
                "annotations": {"storageclass.kubernetes.io/is-default-class": "true"},
            },
            "provisioner": "kubernetes.io/no-provisioner",
        }
        with self.client() as client:
            _create(client, "/apis/storage.k8s.io/v1/storageclasses", storage_class)
            # After kwok's start: only then does a node get the address that port-forwards go to.
            _create(client, "/api/v1/nodes", {"metadata": {"name": NODE}})
            self._wait_until(f"node {NODE}", lambda: _is_ready(client.get(f"/api/v1/nodes/{NODE}")))

    def _wait_until(self, what: str, holds: Callable[[], bool]) -> None:
        deadline = time.monotonic() + READY_SECONDS
        while not holds():
            if time.monotonic() > deadline:
                raise BedError(
                    f"{what} was not ready within {READY_SECONDS:g} s; see {self._directory}/*.log"
                )
            time.sleep(_POLL_SECONDS)


def _kwok_source() -> Path:
    asked = subprocess.run(
        [find_go(), "mod", "download", "-json", KWOK_MODULE],
        cwd=KWOK_TOOL.module_dir,
        capture_output=True,
        text=True,
    )
    if asked.returncode:
        raise BedError(
            f"the source of {KWOK_MODULE} cannot be had: {' '.join((asked.stdout + asked.stderr).split())}; "
            "see that the module proxy (go env GOPROXY) answers and run again"
        )
    return Path(json.loads(asked.stdout)["Dir"])


def _create(client: httpx.Client, path: str, body: Mapping[str, Any]) -> None:
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
            "storageClassName": _STORAGE_CLASS,
        },
    }


def _is_ready(answer: httpx.Response) -> bool:
    return answer.is_success and ("Ready", "True") in set(_conditions(answer.json()))


def _conditions(live: Mapping[str, Any]) -> Iterator[tuple[str, str]]:
    for condition in live.get("status", {}).get("conditions") or []:
        yield condition["type"], condition["status"]


def _is_served(url: str) -> bool:
    try:
        return httpx.get(url, verify=False, trust_env=False).is_success
    except httpx.TransportError:
        return False
