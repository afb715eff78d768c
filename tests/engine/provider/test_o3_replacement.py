"""A server is replaced, or made again right after it was destroyed, while its Pod takes its time to end."""

import threading
from collections.abc import Iterator
from contextlib import contextmanager

import httpx
import pytest

from lab.bed.cluster import KubernetesCluster
from tests.engine.deploy.workload import media
from tests.engine.namespace import Namespace
from tests.engine.provider.identity import STATEFUL_SETS
from tests.engine.world import World

POD = "api/v1:pods/media-0"
HOLD = {"metadata": {"finalizers": ["example.com/hold"]}}
RELEASE = {"metadata": {"finalizers": None}}


@contextmanager
def slow_to_end(cluster: KubernetesCluster, namespace: Namespace) -> Iterator[None]:
    """The Pod goes on existing for seconds after its deletion: a finalizer stands for its grace period."""
    cluster.wait_for_pod(namespace.name, "media-0")
    namespace.merge(POD, HOLD)
    let_go = threading.Event()

    def end() -> None:
        cluster.wait_until("deletion of the Pod", lambda: _is_deleting(namespace))
        let_go.wait(3)
        namespace.merge(POD, RELEASE)

    ending = threading.Thread(target=end)
    ending.start()
    try:
        yield
    finally:
        let_go.set()
        ending.join()


def _is_deleting(namespace: Namespace) -> bool:
    try:
        return "deletionTimestamp" in namespace.get(POD)["metadata"]
    except httpx.HTTPStatusError:
        return False


def uid(namespace: Namespace) -> str:
    return str(namespace.get(f"{STATEFUL_SETS}/media")["metadata"]["uid"])


@pytest.mark.parametrize("refreshed", [False, True])
def test_a_replacement_is_previewed_and_made(
    world: World, namespace: Namespace, kubernetes_cluster: KubernetesCluster, refreshed: bool
) -> None:
    world.configure(media(namespace.name, deploy={}))
    world.up()
    before = uid(namespace)
    if refreshed:
        assert world.stack.refresh().ok

    larger = {"metadata": {"size": "20Gi"}}
    world.configure(media(namespace.name, deploy={"storage": {**larger, "replace": True}}))
    assert world.preview().changes.replace == 1
    with slow_to_end(kubernetes_cluster, namespace):
        assert world.up().changes.replace == 1

    assert uid(namespace) != before
    world.assert_settled()
    world.configure(media(namespace.name, deploy={"storage": larger}))
    world.assert_settled()


def test_ports_of_a_replaced_server_can_still_be_moved(
    world: World, namespace: Namespace, kubernetes_cluster: KubernetesCluster
) -> None:
    world.configure(media(namespace.name, deploy={}))
    world.up()
    larger = {"storage": {"metadata": {"size": "20Gi"}, "replace": True}}
    world.configure(media(namespace.name, deploy=larger))
    world.up()

    world.configure(media(namespace.name, deploy={**larger, "api": {"port": 8081}}))
    assert world.preview().changes.update
    world.up()
    world.assert_settled()


def test_up_right_after_destroy_makes_the_server_again(
    world: World, namespace: Namespace, kubernetes_cluster: KubernetesCluster
) -> None:
    world.configure(media(namespace.name, deploy={}))
    world.up()
    before = uid(namespace)

    with slow_to_end(kubernetes_cluster, namespace):
        assert world.stack.destroy().ok
        world.up()

    assert uid(namespace) != before
    world.assert_settled()
