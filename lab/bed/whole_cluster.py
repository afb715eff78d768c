"""Starts a complete Kubernetes cluster on loopback: API server, controllers, scheduler, and kwok as node."""

import json
import subprocess
from dataclasses import dataclass
from pathlib import Path

import httpx
import trustme
import yaml

from lab.bed.cluster import STORAGE_CLASS, KubernetesCluster, create, is_ready
from lab.bed.control_plane import ControlPlane
from lab.bed.kubernetes import READY_SECONDS
from lab.bed.process import BedError, free_ports
from lab.bed.tools import (
    CONTROLLERS_TOOL,
    KUBE_CONTROLLER_MANAGER,
    KUBE_SCHEDULER,
    KUBERNETES_TOOL,
    KWOK,
    KWOK_MODULE,
    KWOK_TOOL,
)
from lab.gotools import Progress, build, find_go

NODE = "bed"

_STAGES = ("node/fast", "node/heartbeat-with-lease", "pod/fast")
_PORT_FORWARDS = "kwok.x-k8s.io_portforwards.yaml"


@dataclass(frozen=True, slots=True)
class ClusterParts:
    """The paths of a cluster's programs and of kwok's configuration."""

    kubernetes: Path
    controllers: Path
    kwok: Path
    kwok_source: Path


def cluster_parts(progress: Progress) -> ClusterParts:
    """Every program of a cluster, built if it is not cached."""
    return ClusterParts(
        kubernetes=build(KUBERNETES_TOOL, progress),
        controllers=build(CONTROLLERS_TOOL, progress),
        kwok=build(KWOK_TOOL, progress),
        kwok_source=_kwok_source(),
    )


class WholeCluster(ControlPlane):
    """A complete cluster for the length of a `with` block."""

    # A node is asked at its address: its name does not resolve.
    _apiserver_options = ("--kubelet-preferred-address-types=InternalIP",)

    def __init__(self, parts: ClusterParts, directory: Path) -> None:
        super().__init__(parts.kubernetes, directory)
        self._parts = parts

    def __enter__(self) -> KubernetesCluster:
        api = super().__enter__()
        cluster = KubernetesCluster(api.url, api.token, api.directory)
        try:
            self._start_controllers(cluster)
            self._start_kwok(cluster)
            self._prepare(cluster)
        except BaseException:
            self._running.close()
            raise
        return cluster

    def _start_controllers(self, cluster: KubernetesCluster) -> None:
        key, ca = self._directory / "sa.key", cluster.ca_file
        self._serve(
            "kube-controller-manager",
            [
                str(CONTROLLERS_TOOL.binary(self._parts.controllers, KUBE_CONTROLLER_MANAGER)),
                f"--kubeconfig={cluster.kubeconfig}",
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
                f"--kubeconfig={cluster.kubeconfig}",
                "--leader-elect=false",
                "--secure-port=0",
            ],
        )

    def _start_kwok(self, cluster: KubernetesCluster) -> None:
        source = self._parts.kwok_source / "kustomize"
        with cluster.client() as client:
            definition = yaml.safe_load((source / "crd" / "bases" / _PORT_FORWARDS).read_text())
            create(client, "/apis/apiextensions.k8s.io/v1/customresourcedefinitions", definition)
            listed = "/apis/kwok.x-k8s.io/v1alpha1/portforwards"
            cluster.wait_until("the kind PortForward", lambda: client.get(listed).is_success)
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
                f"--kubeconfig={cluster.kubeconfig}",
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

    def _prepare(self, cluster: KubernetesCluster) -> None:
        storage_class = {
            "metadata": {
                "name": STORAGE_CLASS,
                "annotations": {"storageclass.kubernetes.io/is-default-class": "true"},
            },
            "provisioner": "kubernetes.io/no-provisioner",
        }
        with cluster.client() as client:
            create(client, "/apis/storage.k8s.io/v1/storageclasses", storage_class)
            # After kwok's start: only then does a node get the address that port-forwards go to.
            create(client, "/api/v1/nodes", {"metadata": {"name": NODE}})
            cluster.wait_until(f"node {NODE}", lambda: is_ready(client.get(f"/api/v1/nodes/{NODE}")))


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


def _is_served(url: str) -> bool:
    try:
        return httpx.get(url, verify=False, trust_env=False).is_success
    except httpx.TransportError:
        return False
