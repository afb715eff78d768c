"""The API store: error messages of a real API, and what a preview accepts."""

from dataclasses import replace
from typing import Any

import pytest

from dittoinfra.kubernetes import Cluster
from lab.bed.credentials import credential
from lab.standin import ApiStore, creating
from lab.standin.annotations import DELETION_PROPAGATION, SKIP_AWAIT
from lab.standin.errors import ApiError, NoSuchKindError, NotPreviewedError, UnfinishedError
from lab.standin.target import ObjectKey, ResourceUrn, Target
from lab.standin.terms import Terms
from tests.contract.standin.objects import Object, Objects

TERMS = Terms("pulumi-kubernetes-0a1b2c3d")


@pytest.fixture
def store(cluster: Cluster) -> ApiStore:
    return ApiStore(cluster)


@pytest.fixture
def impatient(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(creating, "RETRY_SECONDS", (0.0, 0.0))


def test_a_refused_secret_is_not_quoted(store: ApiStore, namespace: str) -> None:
    password = credential("no base64")
    target = _target("v1", "Secret", namespace, data={"password": password})

    with pytest.raises(ApiError) as caught:
        store.create(target, TERMS)

    assert 'Secret "web": ' in str(caught.value)
    assert password not in str(caught.value)


@pytest.mark.usefixtures("impatient")
def test_a_kind_that_is_not_served_is_named(store: ApiStore, namespace: str) -> None:
    target = _target("nobody.example/v1", "Widget", namespace)

    with pytest.raises(NoSuchKindError, match=r'kind "Widget" in version "nobody\.example/v1"'):
        store.create(target, TERMS)

    # a preview does not ask for it: the same run may install it
    assert not store.serves("nobody.example/v1", "Widget")
    assert store.read(target, TERMS) is None
    store.delete(target, TERMS)


@pytest.mark.usefixtures("impatient")
def test_a_namespace_that_is_still_to_come(store: ApiStore) -> None:
    target = _service("still-to-come")

    with pytest.raises(NotPreviewedError):
        store.preview_create(target, TERMS)
    with pytest.raises(ApiError, match='namespaces "still-to-come" not found'):
        store.create(target, TERMS)


def test_an_interrupted_creation_gives_up(store: ApiStore) -> None:
    with pytest.raises(ApiError, match='namespaces "still-to-come" not found'):
        store.create(_service("still-to-come"), replace(TERMS, interrupted=lambda: True))


def test_an_interrupted_deletion_gives_up(store: ApiStore, services: Objects, namespace: str) -> None:
    target = _service(namespace)
    store.create(target, TERMS)
    services.edit("web", {"metadata": {"finalizers": ["cloud/lb"]}})

    with pytest.raises(UnfinishedError, match="context canceled"):
        store.delete(target, replace(TERMS, interrupted=lambda: True))

    services.edit("web", {"metadata": {"finalizers": None}})


def test_an_object_that_was_made_again_is_another_one(
    store: ApiStore, services: Objects, namespace: str
) -> None:
    target = _service(namespace)
    store.create(target, TERMS)
    theirs = services.live("web")

    store.delete(target, TERMS)
    store.create(target, TERMS)

    assert services.live("web")["metadata"]["uid"] != theirs["metadata"]["uid"]


@pytest.mark.parametrize("policy", ["orphan", "Background"])
def test_what_hangs_on_an_object_may_stay_or_go_later(store: ApiStore, namespace: str, policy: str) -> None:
    target = _service(namespace, annotations={DELETION_PROPAGATION: policy})
    store.create(target, TERMS)

    store.delete(target, TERMS)

    assert store.read(target, TERMS) is None


def test_the_deletion_of_a_stateful_set_is_not_waited_for_with_skip_await(
    store: ApiStore, cluster: Cluster, namespace: str
) -> None:
    sets = Objects(cluster, f"/apis/apps/v1/namespaces/{namespace}/statefulsets")
    skipping = _stateful_set(namespace, {SKIP_AWAIT: "true"})
    store.create(skipping, TERMS)
    sets.edit("web", {"metadata": {"finalizers": ["cloud/hold"]}})

    store.delete(skipping, TERMS)

    assert sets.live("web")["metadata"]["deletionTimestamp"]
    # and without it, it is
    told: list[str] = []
    waiting = _stateful_set(namespace, {})
    with pytest.raises(UnfinishedError, match="timed out waiting for the condition"):
        store.delete(waiting, replace(TERMS, timeout=1.0, tell=told.append))
    assert told == ["finalizers might be preventing deletion (cloud/hold)"]
    sets.edit("web", {"metadata": {"finalizers": None}})


def _target(
    api_version: str,
    kind: str,
    namespace: str,
    annotations: dict[str, str] | None = None,
    **sections: Any,  # noqa: ANN401  (JSON has no narrower type)
) -> Target:
    urn = ResourceUrn.parse(f"urn:pulumi:dev::bench::kubernetes:{api_version}:{kind}::web")
    key = ObjectKey(api_version, kind, namespace, "web")
    named = key.manifest
    metadata = named["metadata"] | ({"annotations": annotations} if annotations else {})
    return Target(urn, key, is_patch=False, declared=named | {"metadata": metadata} | sections, last={})


def _service(namespace: str, annotations: dict[str, str] | None = None) -> Target:
    spec: Object = {"ports": [{"name": "nfs", "port": 2049}]}
    return _target("v1", "Service", namespace, annotations, spec=spec)


def _stateful_set(namespace: str, annotations: dict[str, str]) -> Target:
    labels = {"app": "web"}
    pod = {"metadata": {"labels": labels}, "spec": {"containers": [{"name": "web", "image": "web"}]}}
    spec: Object = {"replicas": 0, "serviceName": "web", "selector": {"matchLabels": labels}, "template": pod}
    return _target("apps/v1", "StatefulSet", namespace, annotations, spec=spec)
