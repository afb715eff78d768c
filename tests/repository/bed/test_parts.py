"""The real parts start and work, and a part that does not start reports why."""

import base64
import ssl
import subprocess
from pathlib import Path

import httpx
import pytest
import yaml
from pulumi.automation import PulumiCommand

from dittoinfra.engine.versions import CLI
from lab.bed.control_plane import ControlPlane
from lab.bed.kubernetes import KubernetesApi
from lab.bed.process import BedError
from lab.bed.serve import dittofs_version
from lab.bed.tools import ETCD, KUBE_APISERVER, KUBERNETES_VERSION
from lab.simulator.versions import TESTED
from tests.unit.engine.programs import script


def test_the_cli_is_one_that_is_supported(pulumi_cli: PulumiCommand) -> None:
    assert pulumi_cli.version is not None
    assert pulumi_cli.version >= CLI.oldest


def test_the_server_is_the_real_one(dfs_binary: Path) -> None:
    help_text = subprocess.run([dfs_binary, "--help"], capture_output=True, text=True, check=True).stdout

    assert "DittoFS" in help_text


def test_the_bed_starts_the_newest_version_or_the_one_that_is_asked_for() -> None:
    assert dittofs_version() == TESTED[-1]
    assert [dittofs_version(version.number) for version in TESTED] == [*TESTED]
    with pytest.raises(BedError, match=r"no DittoFS 0\.30\.0; start it with DITTOFS=0\.29\.0 or "):
        dittofs_version("0.30.0")


def test_the_kubernetes_api_stores_a_service(kubernetes_api: KubernetesApi) -> None:
    services = f"/api/v1/namespaces/{kubernetes_api.namespace()}/services"
    service = {
        "metadata": {"name": "nfs"},
        "spec": {
            "ports": [
                {"name": "tcp", "port": 2049, "protocol": "TCP"},
                {"name": "udp", "port": 2049, "protocol": "UDP"},
            ]
        },
    }

    with kubernetes_api.client() as client:
        client.post(services, json=service).raise_for_status()
        stored = client.get(f"{services}/nfs").json()

    assert [(port["port"], port["protocol"]) for port in stored["spec"]["ports"]] == [
        (2049, "TCP"),
        (2049, "UDP"),
    ]
    assert stored["spec"]["clusterIP"].startswith("10.96.")


def test_a_client_finds_the_kubernetes_api_by_its_kubeconfig(kubernetes_api: KubernetesApi) -> None:
    config = yaml.safe_load(kubernetes_api.kubeconfig.read_text())
    cluster, user = config["clusters"][0]["cluster"], config["users"][0]["user"]
    authority = base64.b64decode(cluster["certificate-authority-data"]).decode()

    with httpx.Client(verify=ssl.create_default_context(cadata=authority), trust_env=False) as client:
        answer = client.get(
            f"{cluster['server']}/version", headers={"Authorization": f"Bearer {user['token']}"}
        )

    assert answer.json()["gitVersion"] == KUBERNETES_VERSION


def test_a_part_that_does_not_start_is_quoted(tmp_path: Path) -> None:
    script(tmp_path / "bin" / ETCD, "echo 'no space left on device'; exit 3")
    script(tmp_path / "bin" / KUBE_APISERVER, "exit 0")

    with (
        pytest.raises(BedError, match=r"etcd ended with 3 .*the end of .*etcd\.log:\nno space left"),
        ControlPlane(tmp_path, tmp_path / "run"),
    ):
        pass


def test_a_port_that_was_taken_meanwhile_is_replaced_by_another(tmp_path: Path) -> None:
    script(
        tmp_path / "bin" / ETCD,
        f"echo \"$@\" >>'{tmp_path}/starts'; echo 'bind: address already in use'; exit 1",
    )
    script(tmp_path / "bin" / KUBE_APISERVER, "exit 0")

    with pytest.raises(BedError, match="address already in use"), ControlPlane(tmp_path, tmp_path / "run"):
        pass

    starts = (tmp_path / "starts").read_text().splitlines()
    assert len(set(starts)) == len(starts) == 3
