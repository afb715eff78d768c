"""`watch` on a real Kubernetes API: found servers and addresses come and go, and a hand deletes objects."""

from collections.abc import Iterator
from pathlib import Path

import httpx
import pytest
from pulumi.automation import PulumiCommand

from dittoinfra.kubernetes import connect
from lab.bed.kubernetes import KubernetesApi
from lab.bed.process import free_ports
from lab.simulator import SimulatedDittoFS
from lab.standin import ApiStore
from tests.engine.cli.fleet_bed import Fleet, fleet
from tests.engine.discovery.server_namespace import ServerNamespace
from tests.engine.discovery.stack import OURS, adapters
from tests.engine.watch.command import Watching
from tests.engine.world import PASSWORD_ENV


@pytest.fixture
def project(pulumi_cli: PulumiCommand, kubernetes_api: KubernetesApi, tmp_path: Path) -> Iterator[Fleet]:
    with (
        connect(str(kubernetes_api.kubeconfig), None) as cluster,
        fleet(tmp_path, pulumi_cli, store=ApiStore(cluster)) as fresh,
    ):
        yield fresh


def test_a_new_server_is_served_without_a_run_by_hand_and_a_lost_one_is_counted(
    project: Fleet, server_namespace: ServerNamespace, kubernetes_api: KubernetesApi
) -> None:
    dittofs: SimulatedDittoFS = project.server("prod")
    api = {"url": dittofs.url, "username": "admin", "passwordEnv": PASSWORD_ENV, "deadline": "2s"}
    project.add_stack("prod", namespace=server_namespace.name, serversFrom=[{"selector": OURS}], api=api)
    project.set_values(
        "prod", {"dittoinfra:servers": [], "kubernetes:kubeconfig": str(kubernetes_api.kubeconfig)}
    )
    server_namespace.add("media")

    with Watching(project, "prod") as watching:
        watching.until_said("updated")
        assert adapters(server_namespace) == {"media-adapter-nfs"}

        server_namespace.add("backup")
        watching.until(lambda: len(adapters(server_namespace)) == 2)
        assert f"backup is found in namespace {server_namespace.name}" in watching.said("changed")

        server_namespace.remove("backup")
        watching.until(lambda: len(adapters(server_namespace)) == 1)
        counted = [text for text in watching.said("changed") if "backup/nfs" in text]
        assert counted == [f"backup/nfs is absent {number}/3" for number in (1, 2, 3)]

        watching.until_said("updated", 5)
        updates = len(watching.said("updated"))
        server_namespace.label("media", app=None)
        server_namespace.add_service("unrelated")
        watching.until_said("warned")
        assert [text for text in watching.said("warned") if "lists no server" in text]
        assert len(watching.said("updated")) == updates, "an empty listing starts no run"
        assert adapters(server_namespace) == {"media-adapter-nfs"}


def test_what_made_a_run_fail_is_tried_again_when_the_cluster_says_that_it_is_corrected(
    project: Fleet, server_namespace: ServerNamespace, kubernetes_api: KubernetesApi
) -> None:
    dittofs: SimulatedDittoFS = project.server("prod")
    api = {"url": dittofs.url, "username": "admin", "passwordEnv": PASSWORD_ENV, "deadline": "2s"}
    [closed] = free_ports(1)
    wrong = [
        {"selector": {"matchLabels": {"login": "wrong"}}, "api": {"username": "nobody"}},
        {
            "selector": {"matchLabels": {"url": "wrong"}},
            "api": {"url": f"http://127.0.0.1:{closed}"},
            "onUnreachable": "fail",
        },
    ]
    project.add_stack(
        "prod", namespace=server_namespace.name, serversFrom=[{"selector": OURS}], api=api, selectors=wrong
    )
    project.set_values(
        "prod", {"dittoinfra:servers": [], "kubernetes:kubeconfig": str(kubernetes_api.kubeconfig)}
    )
    server_namespace.add("media", login="wrong")

    # Longer than this test waits for anything: nothing is tried again because time has passed.
    with Watching(project, "prod", "--interval", "10m") as watching:
        watching.until_said("failed")
        assert adapters(server_namespace) == set()
        server_namespace.label("media", login=None)
        watching.until_said("updated")
        assert adapters(server_namespace) == {"media-adapter-nfs"}

        server_namespace.label("media", url="wrong")
        watching.until_said("failed", 2)
        server_namespace.label("media", url=None)
        watching.until_said("updated", 2)

    assert watching.said("changed") == ["media has other labels"]


def test_what_another_manager_has_the_service_of_is_served_without_a_run_by_hand_once_that_is_gone(
    project: Fleet, server_namespace: ServerNamespace, kubernetes_api: KubernetesApi
) -> None:
    dittofs: SimulatedDittoFS = project.server("prod")
    api = {"url": dittofs.url, "username": "admin", "passwordEnv": PASSWORD_ENV, "deadline": "2s"}
    project.add_stack("prod", namespace=server_namespace.name, serversFrom=[{"selector": OURS}], api=api)
    project.set_values(
        "prod", {"dittoinfra:servers": [], "kubernetes:kubeconfig": str(kubernetes_api.kubeconfig)}
    )
    server_namespace.add("media")
    server_namespace.add("backup")
    server_namespace.add_service("media-adapter-nfs")

    with Watching(project, "prod") as watching:
        watching.until_said("updated")
        [line] = watching.said("warned")
        assert line.startswith("media: nonsense: Service media-adapter-nfs in namespace ")
        server_namespace.delete_service("media-adapter-nfs")
        watching.until(lambda: "media-adapter-nfs" in adapters(server_namespace))

        server_namespace.add_service("media-adapter-smb")
        dittofs.set_adapter("smb", port=12445)
        watching.until_said("warned", 2)
        assert watching.said("warned")[1].startswith("media: smb: left out: Service media-adapter-smb in ")
        server_namespace.delete_service("media-adapter-smb")
        watching.until(lambda: "media-adapter-smb" in adapters(server_namespace))

    # Both servers are the same simulated one: the run may begin before the second of them is confirmed.
    assert set(watching.said("changed")) <= {
        f"{name}/smb is new on port 12445" for name in ("backup", "media")
    }
    assert watching.said("silent") == watching.said("failed") == []


def test_a_service_that_was_deleted_by_hand_comes_back_with_the_next_change(
    project: Fleet, server_namespace: ServerNamespace, kubernetes_api: KubernetesApi
) -> None:
    dittofs: SimulatedDittoFS = project.server("prod")
    project.add_stack("prod", {**project.block("prod"), "namespace": server_namespace.name})
    project.set_values("prod", {"kubernetes:kubeconfig": str(kubernetes_api.kubeconfig)})

    with Watching(project, "prod") as watching:
        watching.until_said("updated")
        server_namespace.delete_service("media-adapter-nfs")
        dittofs.set_adapter("nfs", port=12050)
        watching.until_said("updated", 2)

    assert adapters(server_namespace) == {"media-adapter-nfs"}
    assert watching.said("failed") == []


def external(project: Fleet) -> list[str]:
    """The addresses in the outputs of the stack."""
    resources = project.stack("prod").export()["resources"]
    [stack] = [each for each in resources if each["type"] == "pulumi:pulumi:Stack"]
    found: list[str] = stack["outputs"]["servers"]["media"]["adapters"]["nfs"]["endpoints"]["external"]
    return found


def test_another_address_of_a_load_balancer_is_in_the_outputs_after_one_run(
    project: Fleet, server_namespace: ServerNamespace, kubernetes_api: KubernetesApi
) -> None:
    dittofs: SimulatedDittoFS = project.server("prod")
    project.add_stack("prod", {**project.block("prod"), "namespace": server_namespace.name})
    project.set_values("prod", {"kubernetes:kubeconfig": str(kubernetes_api.kubeconfig)})
    service = f"Service {server_namespace.name}/media-adapter-nfs"

    with Watching(project, "prod") as watching:
        watching.until_said("updated")
        assert external(project) == []

        server_namespace.set_address("media-adapter-nfs", "192.0.2.9")
        watching.until_said("updated", 2)
        assert external(project) == ["192.0.2.9:12049"]

        server_namespace.set_address("media-adapter-nfs", "192.0.2.10", "2001:db8::7")
        watching.until_said("updated", 3)
        assert external(project) == ["192.0.2.10:12049", "[2001:db8::7]:12049"]

        dittofs.set_adapter("nfs", port=12050)
        watching.until_said("updated", 4)

    assert watching.said("changed") == [
        f"{service} has 192.0.2.9",
        f"{service} has 192.0.2.10, 2001:db8::7",
        "media/nfs moved from port 12049 to 12050",
    ]


def test_another_address_is_a_reason_for_the_first_run_where_a_watch_begins_with_none(
    project: Fleet, server_namespace: ServerNamespace, kubernetes_api: KubernetesApi
) -> None:
    project.server("prod")
    project.add_stack("prod", {**project.block("prod"), "namespace": server_namespace.name})
    project.set_values("prod", {"kubernetes:kubeconfig": str(kubernetes_api.kubeconfig)})
    assert project.stack("prod").up().ok

    with Watching(project, "prod", "--no-initial") as watching:
        watching.until_said("started", 2)
        server_namespace.set_address("media-adapter-nfs", "192.0.2.9")
        watching.until_said("updated")

    assert external(project) == ["192.0.2.9:12049"]
    assert watching.said("changed") == [f"Service {server_namespace.name}/media-adapter-nfs has 192.0.2.9"]


def test_a_service_that_loses_its_last_ready_pod_is_told_and_starts_no_run(
    project: Fleet, server_namespace: ServerNamespace, kubernetes_api: KubernetesApi
) -> None:
    project.add_stack("prod", {**project.block("prod"), "namespace": server_namespace.name})
    project.set_values("prod", {"kubernetes:kubeconfig": str(kubernetes_api.kubeconfig)})

    [port] = free_ports(1)
    ready = 'dittoinfra_watch_ready_adapters{server="media",stack="prod"} 1.0'

    def metrics() -> str:
        return httpx.get(f"http://127.0.0.1:{port}/metrics", trust_env=False).text

    with Watching(project, "prod", "--listen", f"127.0.0.1:{port}") as watching:
        watching.until_said("updated")
        server_namespace.set_ready("media-adapter-nfs", ready=True)
        watching.until(lambda: ready in metrics())
        server_namespace.set_ready("media-adapter-nfs", ready=False)
        watching.until_said("unready")
        server_namespace.set_ready("media-adapter-nfs", ready=True)
        watching.until_said("ready")

    assert watching.said("unready") == ["media/nfs has no ready Pod behind its Service any more"]
    # It was new at first, so only the second time is told.
    assert watching.said("ready") == ["media/nfs has a ready Pod behind its Service again"]
    assert watching.said("changed") == []
