"""Objects in the engine's state, by the URNs they have there."""

from dittoinfra.object_model import HeldObject, ObjectIdentity, ObjectPlace
from dittoinfra.state.kubernetes_objects import held_objects, object_identities, remembered_objects

STACK = "urn:pulumi:dev::dittoinfra::"


def test_objects_are_known_by_api_version_kind_and_name_however_deep_they_are() -> None:
    held = held_objects(
        {
            f"{STACK}kubernetes:core/v1:Namespace::files": {"outputs": {"metadata": {"name": "files"}}},
            f"{STACK}dittoinfra:index:Server$kubernetes:monitoring.coreos.com/v1:ServiceMonitor::media": {},
            f"{STACK}a:b:C$d:e:F$kubernetes:networking.k8s.io/v1:NetworkPolicy::media/nfs": {
                "outputs": {"metadata": {"name": "media-adapter-nfs", "namespace": "files"}}
            },
        }
    )

    policy = "networking.k8s.io/v1", "NetworkPolicy"
    assert held == {
        HeldObject("v1", "Namespace", "files"): ObjectPlace("v1", "Namespace", "", "files"),
        HeldObject("monitoring.coreos.com/v1", "ServiceMonitor", "media"): None,
        HeldObject(*policy, "media/nfs"): ObjectPlace(*policy, "files", "media-adapter-nfs"),
    }


def test_a_patch_has_no_place_of_its_own() -> None:
    patch = {"outputs": {"metadata": {"name": "media", "namespace": "files"}}}

    held = held_objects({f"{STACK}kubernetes:apps/v1:StatefulSetPatch::media": patch})

    assert held == {HeldObject("apps/v1", "StatefulSetPatch", "media"): None}


def test_what_is_no_kubernetes_object_is_not_among_them() -> None:
    urns = [
        f"{STACK}pulumi:pulumi:Stack::dittoinfra-dev",
        f"{STACK}pulumi:providers:kubernetes::default",
        f"{STACK}dittoinfra:index:Server::media",
        f"{STACK}kubernetes:odd::thing",
    ]

    assert held_objects({urn: {} for urn in urns}) == {}


def test_objects_are_remembered_with_what_the_engine_saw_of_them_but_for_secrets() -> None:
    service = "urn:pulumi:prod::dittoinfra::kubernetes:core/v1:Service::media/nfs"
    secret = "urn:pulumi:prod::dittoinfra::kubernetes:core/v1:Secret::media-jwt-secret"
    component = "urn:pulumi:prod::dittoinfra::dittoinfra:index:Server::media"
    seen = {"spec": {"type": "LoadBalancer"}}

    remembered = remembered_objects({service: {"outputs": seen}, secret: {"outputs": seen}, component: {}})

    assert remembered == {HeldObject("v1", "Service", "media/nfs"): seen}


def test_objects_are_recognised_by_uid_and_manager_a_secret_too() -> None:
    secret = f"{STACK}kubernetes:core/v1:Secret::media-jwt-secret"
    outputs = {"metadata": {"uid": "1"}, "__fieldManager": "pulumi-kubernetes-1f9c33ab", "data": {"a": "b"}}
    unmade = f"{STACK}kubernetes:core/v1:Service::media/nfs"

    found = object_identities({secret: {"outputs": outputs}, unmade: {"outputs": {"__fieldManager": ""}}})

    assert found == {
        HeldObject("v1", "Secret", "media-jwt-secret"): ObjectIdentity(
            secret, "1", "pulumi-kubernetes-1f9c33ab"
        ),
        HeldObject("v1", "Service", "media/nfs"): ObjectIdentity(unmade),
    }
