"""The Role for found servers lets `watch` follow them, and without the verb it says so."""

import asyncio
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path

import httpx

from dittoinfra.kubernetes import Cluster
from dittoinfra.kubernetes.object_watch import ObjectWatch, WatchedKind
from lab.bed.kubernetes import KubernetesApi
from tests.engine.runs.test_real_parts import foreign_statefulset
from tests.repository.manifests.cluster import Powers

SECONDS = 60.0


def followed(watch: ObjectWatch, then: Callable[[], None], holds: Callable[[], bool]) -> None:
    """Follow, do something once the listing is there, and wait until something holds."""

    async def play() -> None:
        following = asyncio.create_task(watch.follow())
        try:
            async with asyncio.timeout(SECONDS):
                while watch.objects is None:
                    await asyncio.sleep(0.02)
                await asyncio.to_thread(then)
                while not holds():
                    await asyncio.sleep(0.02)
        finally:
            following.cancel()
            with suppress(asyncio.CancelledError):
                await following

    asyncio.run(play())


def test_found_servers_are_followed_with_the_role_and_not_with_a_verb_less(
    kubernetes_api: KubernetesApi, kubernetes_client: httpx.Client, tmp_path: Path
) -> None:
    powers = Powers(kubernetes_client, kubernetes_api.namespace(), ["find-servers"])
    kubeconfig = powers.kubeconfig(kubernetes_api, tmp_path / "kubeconfig")
    servers = WatchedKind("apps/v1", "statefulsets", powers.namespace, metadata_only=True)

    def watching() -> ObjectWatch:
        return ObjectWatch(Cluster(str(kubeconfig)), servers, lambda: None, first_wait=0.05)

    with powers.without("find-servers", "statefulsets", "watch"):
        watch = watching()
        followed(watch, lambda: None, lambda: watch.trouble is not None)
        assert "may not watch statefulsets" in str(watch.trouble)

    def add() -> None:
        path = f"/apis/apps/v1/namespaces/{powers.namespace}/statefulsets"
        kubernetes_client.post(path, json=foreign_statefulset()).raise_for_status()

    watch = watching()
    followed(watch, add, lambda: (powers.namespace, "media") in (watch.objects or {}))
    assert watch.trouble is None
    assert "spec" not in (watch.objects or {})[powers.namespace, "media"], "names and labels are enough"
