"""The API store by itself: what a person reads when a real API says no, and what a preview lets pass."""

import threading
from collections.abc import Iterator

import pytest

from dittoinfra.cluster import Cluster
from dittoinfra.standin import ApiStore, api
from dittoinfra.standin.errors import AlreadyExistsError, RefusedError
from dittoinfra.standin.target import ObjectKey, ResourceUrn, Target
from tests.bed.credentials import credential
from tests.standin.objects import Object, Objects


@pytest.fixture
def store(cluster: Cluster) -> ApiStore:
    return ApiStore(cluster)


@pytest.fixture
def held(store: ApiStore, services: Objects, namespace: str) -> Iterator[Target]:
    """A Service that was deleted and whose finalizer is still at work."""
    target = _target("v1", "Service", namespace)
    store.create(target, _service(target), take_over=False)
    services.edit("web", {"metadata": {"finalizers": ["cloud/lb"]}})
    store.delete(target)
    yield target
    if services.get("web") is not None:
        services.edit("web", {"metadata": {"finalizers": None}})


def test_a_refused_secret_is_not_quoted(store: ApiStore, namespace: str) -> None:
    target = _target("v1", "Secret", namespace)
    password = credential("no base64")
    manifest = target.key.manifest | {"data": {"password": password}}

    with pytest.raises(RefusedError) as caught:
        store.create(target, manifest, take_over=False)

    assert f"Secret {namespace}/web: the Kubernetes API answered 500: " in str(caught.value)
    assert password not in str(caught.value)


def test_a_kind_nobody_serves_is_named(store: ApiStore, namespace: str) -> None:
    target = _target("nobody.example/v1", "Widget", namespace)

    with pytest.raises(RefusedError, match=r"serves no Widget of nobody\.example/v1; install its Custom"):
        store.create(target, target.key.manifest, take_over=False)

    # a preview lets it pass: the same run may install it
    assert store.preview_create(target, target.key.manifest) == target.key.manifest
    assert store.read(target) is None
    store.delete(target)


def test_a_preview_into_a_namespace_that_is_still_to_come(store: ApiStore) -> None:
    target = _target("v1", "Service", "still-to-come")

    assert store.preview_create(target, _service(target)) == _service(target)


def test_a_replacement_waits_for_its_predecessor(store: ApiStore, services: Objects, held: Target) -> None:
    before = services.live("web")["metadata"]["uid"]
    finished = threading.Timer(0.5, services.edit, ("web", {"metadata": {"finalizers": None}}))
    finished.start()

    created = store.create(held, _service(held), take_over=False)

    finished.join()
    assert created["metadata"]["uid"] != before


def test_a_predecessor_that_stays_is_named_with_what_holds_it(
    store: ApiStore, held: Target, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(api, "FINALIZER_SECONDS", 0.0)

    with pytest.raises(AlreadyExistsError, match="still being deleted after 0 s, held by cloud/lb"):
        store.create(held, _service(held), take_over=False)


def _target(api_version: str, kind: str, namespace: str) -> Target:
    urn = ResourceUrn.parse(f"urn:pulumi:dev::bench::kubernetes:{api_version}:{kind}::web")
    return Target(urn, ObjectKey(api_version, kind, namespace, "web"), is_patch=False)


def _service(target: Target) -> Object:
    return target.key.manifest | {"spec": {"ports": [{"name": "nfs", "port": 2049}]}}
