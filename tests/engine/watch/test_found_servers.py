"""`watch` on a real Kubernetes API: found servers come and go, and objects are deleted by hand."""

from collections.abc import Iterator
from pathlib import Path

import pytest
from pulumi.automation import PulumiCommand

from dittoinfra.kubernetes import connect
from lab.bed.kubernetes import KubernetesApi
from lab.simulator import SimulatedDittoFS
from lab.standin import ApiStore
from tests.engine.cli.fleet_bed import Fleet, fleet
from tests.engine.discovery.place import Place
from tests.engine.discovery.stack import OURS, adapters
from tests.engine.watch.command import Watching
from tests.engine.world import PASSWORD_ENV


@pytest.fixture
def place(kubernetes_api: KubernetesApi) -> Iterator[Place]:
    with kubernetes_api.client() as client:
        yield Place(kubernetes_api, client)


@pytest.fixture
def project(pulumi_cli: PulumiCommand, kubernetes_api: KubernetesApi, tmp_path: Path) -> Iterator[Fleet]:
    with (
        connect(str(kubernetes_api.kubeconfig), None) as cluster,
        fleet(tmp_path, pulumi_cli, store=ApiStore(cluster)) as fresh,
    ):
        yield fresh


def test_a_new_server_is_served_without_a_run_by_hand_and_a_lost_one_is_counted(
    project: Fleet, place: Place, kubernetes_api: KubernetesApi
) -> None:
    dittofs: SimulatedDittoFS = project.server("prod")
    api = {"url": dittofs.url, "username": "admin", "passwordEnv": PASSWORD_ENV, "deadline": "2s"}
    project.add_stack("prod", namespace=place.name, serversFrom=[{"selector": OURS}], api=api)
    project.set_values(
        "prod", {"dittoinfra:servers": [], "kubernetes:kubeconfig": str(kubernetes_api.kubeconfig)}
    )
    place.add("media")

    with Watching(project, "prod") as watching:
        watching.until_said("updated")
        assert adapters(place) == {"media-adapter-nfs"}

        place.add("backup")
        watching.until(lambda: len(adapters(place)) == 2)
        assert f"backup is found in namespace {place.name}" in watching.said("changed")

        place.remove("backup")
        watching.until(lambda: len(adapters(place)) == 1)
        counted = [text for text in watching.said("changed") if "backup/nfs" in text]
        assert counted == [f"backup/nfs is absent {number}/3" for number in (1, 2, 3)]

        watching.until_said("updated", 5)
        updates = len(watching.said("updated"))
        place.label("media", app=None)
        place.add_service("unrelated")
        watching.until_said("warned")
        assert [text for text in watching.said("warned") if "lists no server" in text]
        assert len(watching.said("updated")) == updates, "an empty listing starts no run"
        assert adapters(place) == {"media-adapter-nfs"}


def test_a_service_that_was_deleted_by_hand_comes_back_with_the_next_change(
    project: Fleet, place: Place, kubernetes_api: KubernetesApi
) -> None:
    dittofs: SimulatedDittoFS = project.server("prod")
    project.add_stack("prod", {**project.block("prod"), "namespace": place.name})
    project.set_values("prod", {"kubernetes:kubeconfig": str(kubernetes_api.kubeconfig)})

    with Watching(project, "prod") as watching:
        watching.until_said("updated")
        place.delete_service("media-adapter-nfs")
        dittofs.set_adapter("nfs", port=12050)
        watching.until_said("updated", 2)

    assert adapters(place) == {"media-adapter-nfs"}
    assert watching.said("failed") == []
