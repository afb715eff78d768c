"""A watch with every part real: the engine, the Kubernetes API and the DittoFS server."""

import threading
from collections.abc import Iterator
from pathlib import Path

import pytest
from pulumi.automation import PulumiCommand

from dittoinfra.kubernetes import connect
from lab.bed.dfs import RealDittoFS
from lab.bed.kubernetes import KubernetesApi
from lab.bed.process import free_ports
from lab.standin import ApiStore
from tests.engine.cli.fleet_bed import PASSWORD, Fleet, fleet
from tests.engine.namespace import Namespace
from tests.engine.watch.command import Watching
from tests.engine.world import PASSWORD_ENV

READER = "dittoinfra"


class Gate:
    """Holds up what the provider creates, while it is shut."""

    def __init__(self) -> None:
        self._open = threading.Event()
        self._open.set()
        self.reached = threading.Event()

    def __call__(self, operation: str, urn: str) -> str | None:
        if operation == "create" and not self._open.is_set():
            self.reached.set()
            self._open.wait(60)
        return None

    def shut(self) -> None:
        self._open.clear()

    def open(self) -> None:
        self._open.set()


@pytest.fixture
def gate() -> Gate:
    return Gate()


@pytest.fixture
def project(
    pulumi_cli: PulumiCommand, kubernetes_api: KubernetesApi, tmp_path: Path, gate: Gate
) -> Iterator[Fleet]:
    with (
        connect(str(kubernetes_api.kubeconfig), None) as cluster,
        fleet(tmp_path, pulumi_cli, store=ApiStore(cluster), fail_on=gate) as fresh,
    ):
        yield fresh


@pytest.fixture
def dfs(dfs_binary: Path, tmp_path: Path) -> Iterator[RealDittoFS]:
    with RealDittoFS(dfs_binary, tmp_path / "dfs") as running:
        running.create_user(READER, PASSWORD, "user")
        yield running


def test_services_follow_the_server_through_changes_an_outage_and_a_stop(
    project: Fleet, dfs: RealDittoFS, namespace: Namespace, gate: Gate
) -> None:
    def ports() -> dict[str, int]:
        services = namespace.get("api/v1:services")["items"]
        return {item["metadata"]["name"]: item["spec"]["ports"][0]["targetPort"] for item in services}

    api = {"url": dfs.url, "username": READER, "passwordEnv": PASSWORD_ENV, "deadline": "10s"}
    project.add_stack("prod", {"name": "media", "namespace": namespace.name, "api": api})

    with Watching(project, "prod") as watching:
        watching.until_said("updated")
        assert set(ports()) == {"media-adapter-nfs", "media-adapter-smb"}

        [moved] = free_ports(1)
        dfs.set_port("nfs", moved)
        watching.until(lambda: ports()["media-adapter-nfs"] == moved)

        dfs.disable("smb")
        watching.until(lambda: set(ports()) == {"media-adapter-nfs"})

        before = ports()
        watching.until(lambda: len(watching.said("updated")) > len(watching.said("changed")))
        updates = len(watching.said("updated"))
        dfs.kill()
        watching.until_said("silent")
        dfs.start()
        watching.until_said("answering")
        assert ports() == before
        assert len(watching.said("updated")) == updates
        assert len(watching.said("silent")) == 1

        gate.shut()
        dfs.enable("smb")
        assert gate.reached.wait(60)
        watching.signal()
        watching.until_said("stopping")
        gate.open()
        assert watching.wait() == 0

    with Watching(project, "prod") as watching:
        watching.until_said("updated")
        assert set(ports()) == {"media-adapter-nfs", "media-adapter-smb"}
        assert watching.said("failed") == []
