"""Which removals the policy pack stops, from a state and what is declared after it."""

from typing import Any

import pytest
from adapter_policy.removal_rules import Declared, held_services, unapproved
from adapter_policy.service_object import SERVICE, AdapterService

UNKNOWN = object()


def _urn(name: str) -> str:
    return f"urn:pulumi:dev::shop::{SERVICE}::{name}"


def _object(adapter: str, *, kind: str = "LoadBalancer", **metadata: object) -> dict[str, Any]:
    labels = {"dittofs.io/adapter-service": "true", "dittofs.io/adapter-type": adapter, "instance": "media"}
    named = {"name": f"media-{adapter}", "namespace": "files", "labels": labels, "uid": f"uid-{adapter}"}
    return {"metadata": {**named, **metadata}, "spec": {"type": kind}}


def _resource(adapter: str, **more: object) -> dict[str, Any]:
    return {"urn": _urn(adapter), "type": SERVICE, "outputs": _object(adapter), **more}


def _held(*adapters: str) -> tuple[AdapterService, ...]:
    return held_services({"resources": [_resource(adapter) for adapter in adapters]})


def _declared(adapter: str, **metadata: object) -> Declared:
    now = _object(adapter)
    return Declared(_urn(adapter), SERVICE, {**now, "metadata": {**now["metadata"], **metadata}})


@pytest.mark.parametrize(
    "state",
    [
        {},
        {"resources": None},
        {"resources": ["nonsense", {"urn": 3, "type": SERVICE, "outputs": None}]},
        {"resources": [_resource("nfs", delete=True), _resource("smb", external=True)]},
        {"resources": [{**_resource("nfs"), "type": "kubernetes:core/v1:ConfigMap"}]},
        {"resources": [{**_resource("nfs"), "outputs": _object("nfs", labels={"app": "shop"})}]},
        {"resources": [{**_resource("nfs"), "outputs": _object("nfs", kind="ClusterIP")}]},
    ],
)
def test_only_live_load_balancers_of_adapters_are_held(state: dict[str, Any]) -> None:
    assert held_services(state) == ()


@pytest.mark.parametrize(
    ("labels", "name"),
    [
        ({"dittofs.io/adapter-type": "smb", "app.kubernetes.io/instance": "home"}, "home/smb"),
        ({"dittofs.io/adapter-service": "true"}, "media-nfs/adapter"),
    ],
)
def test_an_adapter_is_named_by_whatever_labels_there_are(labels: dict[str, str], name: str) -> None:
    state = {"resources": [{**_resource("nfs"), "outputs": _object("nfs", labels=labels)}]}

    assert [service.short_name for service in held_services(state)] == [name]


def test_a_mass_removal_names_every_adapter_and_what_to_do() -> None:
    removals = unapproved(_held("nfs", "smb"), [], set())

    assert [removal.service.short_name for removal in removals] == ["media/nfs", "media/smb"]
    assert "LoadBalancer Service files/media-nfs is removed" in str(removals[0])
    assert "name media/nfs under `adapter-removals: {approve: […]}`" in str(removals[0])


def test_an_object_whose_namespace_is_not_known_is_named_without_it() -> None:
    state = {"resources": [{**_resource("nfs"), "outputs": _object("nfs", namespace=None)}]}

    (removal,) = unapproved(held_services(state), [], set())

    assert "Service media-nfs is removed" in str(removal)


@pytest.mark.parametrize(
    "now",
    [
        _declared("nfs"),
        _declared("nfs", labels={}),
        _declared("nfs", uid=None, annotations={"later": UNKNOWN}),
        _declared("nfs", name=None, namespace=None, uid=None, finalizers=[UNKNOWN]),
        Declared(_urn("renamed"), SERVICE, _object("nfs"), [_urn("older"), _urn("nfs")]),
    ],
    ids=["as it is", "without labels", "not known yet", "nothing known yet", "renamed with an alias"],
)
def test_a_service_that_stays_is_no_removal(now: Declared) -> None:
    assert unapproved(_held("nfs"), [now], set()) == ()


@pytest.mark.parametrize(
    ("now", "how"),
    [
        (_declared("nfs", name="other"), "is replaced by files/other"),
        (_declared("nfs", namespace="elsewhere"), "is replaced by elsewhere/media-nfs"),
        (_declared("nfs", namespace="elsewhere", name=None), "is replaced by elsewhere/media-nfs"),
        (_declared("nfs", uid="another"), "is replaced by another of the same name"),
        (_declared("nfs", uid=None, finalizers=["a"]), "is replaced by another of the same name"),
        (Declared(_urn("nfs"), SERVICE, _object("nfs", kind="ClusterIP")), "becomes a ClusterIP"),
        (Declared(_urn("renamed"), SERVICE, _object("nfs")), "is removed"),
    ],
    ids=["name", "namespace", "namespace, name unknown", "uid", "no uid", "type", "renamed without an alias"],
)
def test_whatever_loses_the_address_is_a_removal(now: Declared, how: str) -> None:
    (removal,) = unapproved(_held("nfs"), [now], set())

    assert removal.how == how


@pytest.mark.parametrize(
    ("approved", "left"),
    [
        ({"media/smb"}, ["media/nfs"]),
        ({"files/media/smb", "files/media/nfs"}, []),
        ({"media/nfs", "media/smb", "media/gone"}, []),
        ({"files/media-smb", "smb", "*"}, ["media/nfs", "media/smb"]),
    ],
)
def test_approval_names_adapters_one_by_one(approved: set[str], left: list[str]) -> None:
    removals = unapproved(_held("nfs", "smb"), [], approved)

    assert [removal.service.short_name for removal in removals] == left


def test_a_name_in_two_namespaces_is_approved_with_its_namespace_only() -> None:
    elsewhere = {**_resource("nfs"), "urn": _urn("other"), "outputs": _object("nfs", namespace="lab")}
    held = held_services({"resources": [_resource("nfs"), elsewhere]})

    assert len(unapproved(held, [], {"media/nfs"})) == 2
    assert [each.service.namespace for each in unapproved(held, [], {"lab/media/nfs"})] == ["files"]
