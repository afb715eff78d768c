"""Events that a real Kubernetes API keeps, found as people look for them."""

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from dittoinfra.kubernetes import Cluster, connect
from dittoinfra.program.provider_cluster import ProviderCluster
from dittoinfra.reports.events import EventWriter, KubernetesEvents
from lab.bed.kubernetes import KubernetesApi
from lab.simulator import SimulatedDittoFS
from tests.engine.events.conftest import Heard
from tests.engine.namespace import Namespace
from tests.engine.world import World, server


@pytest.fixture
def world(cluster_world: World) -> World:
    """The stack in the cluster."""
    return cluster_world


@pytest.fixture
def troubles() -> list[str]:
    return []


@pytest.fixture
def telling(world: World, troubles: list[str]) -> Iterator[World]:
    """The world, telling the cluster that its configuration names."""
    told = KubernetesEvents(lambda _: ProviderCluster.of(world.stack.configuration(), {}), troubles.append)
    world.stack.on_event = EventWriter(told).listen("world")
    yield world
    told.close()


def about(namespace: Namespace, uid: str) -> list[dict[str, Any]]:
    """What `kubectl get events --field-selector involvedObject.uid=…` would list."""
    listed = namespace.get(f"api/v1:events?fieldSelector=involvedObject.uid={uid}")
    return sorted(listed["items"], key=lambda event: str(event["eventTime"]))


def test_events_are_on_the_objects(
    telling: World, dittofs: SimulatedDittoFS, namespace: Namespace, troubles: list[str]
) -> None:
    dittofs.disable("smb")
    telling.configure(server(dittofs, namespace=namespace.name))
    telling.up()
    service = namespace.get("api/v1:services/media-adapter-nfs")
    uid = service["metadata"]["uid"]

    [created] = about(namespace, uid)
    assert (created["reason"], created["type"]) == ("AdapterServiceCreated", "Normal")
    assert created["reportingComponent"] == "dittoinfra.io/stack"
    assert created["reportingInstance"] == "dittoinfra-world"
    assert created["involvedObject"] == {
        "apiVersion": "v1",
        "kind": "Service",
        "namespace": namespace.name,
        "name": "media-adapter-nfs",
        "uid": uid,
    }

    dittofs.set_adapter("nfs", port=12050)
    telling.up()
    dittofs.disable("nfs")
    telling.up()

    reasons = [event["reason"] for event in about(namespace, uid)]
    assert sorted(reasons) == ["AdapterServiceCreated", "AdapterServiceDeleted", "AdapterServiceUpdated"]
    newer = namespace.get("apis/events.k8s.io/v1:events")["items"]
    assert {event["regarding"]["uid"] for event in newer} == {uid}
    assert troubles == []


@pytest.mark.parametrize("previews", [False, True])
def test_a_preview_leaves_no_event(
    world: World, dittofs: SimulatedDittoFS, namespace: Namespace, previews: bool, troubles: list[str]
) -> None:
    def never(stack: str) -> Cluster:
        raise AssertionError(stack)

    world.stack.on_event = EventWriter(KubernetesEvents(never, troubles.append), previews=previews).listen(
        "world"
    )
    world.configure(server(dittofs, namespace=namespace.name))

    world.preview()

    assert namespace.get("api/v1:events")["items"] == []


def test_a_user_who_may_not_write_events_gets_one_line_and_a_whole_run(
    world: World,
    dittofs: SimulatedDittoFS,
    namespace: Namespace,
    kubernetes_api: KubernetesApi,
    tmp_path: Path,
    troubles: list[str],
) -> None:
    powerless = tmp_path / "powerless"
    text = kubernetes_api.kubeconfig.read_text()
    powerless.write_text(text.replace("token:", "unknown:"))
    told = KubernetesEvents(lambda *_: connect(str(powerless), None), troubles.append)
    heard = Heard()
    world.stack.on_event = EventWriter(told, heard).listen("world")
    world.configure(server(dittofs, namespace=namespace.name))

    world.up()

    assert len(heard.told()) == 2
    [line] = troubles
    assert line.startswith("world: no Kubernetes Events: the Kubernetes API at https://127.0.0.1")
    assert line.endswith("the run goes on without them")
    told.close()


def test_a_cluster_that_does_not_answer_costs_one_try(
    world: World, dittofs: SimulatedDittoFS, namespace: Namespace, tmp_path: Path, troubles: list[str]
) -> None:
    asked: list[str] = []

    def connecting(stack: str) -> Cluster:
        asked.append(stack)
        return connect(str(tmp_path / "gone"), None)

    world.stack.on_event = EventWriter(KubernetesEvents(connecting, troubles.append)).listen("world")
    world.configure(server(dittofs, namespace=namespace.name))

    world.up()

    assert asked == ["world"]
    assert len(troubles) == 1
