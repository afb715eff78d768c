"""Objects in the engine's state, by the URNs they have there."""

from dittoinfra.memory import held_objects
from dittoinfra.model import HeldObject

STACK = "urn:pulumi:dev::dittoinfra::"


def test_objects_are_known_by_api_version_kind_and_name_however_deep_they_are() -> None:
    held = held_objects(
        [
            f"{STACK}kubernetes:core/v1:Namespace::files",
            f"{STACK}dittoinfra:index:Server$kubernetes:monitoring.coreos.com/v1:ServiceMonitor::media-metrics",
            f"{STACK}a:b:C$d:e:F$kubernetes:networking.k8s.io/v1:NetworkPolicy::media/nfs",
        ]
    )

    assert held == {
        HeldObject("v1", "Namespace", "files"),
        HeldObject("monitoring.coreos.com/v1", "ServiceMonitor", "media-metrics"),
        HeldObject("networking.k8s.io/v1", "NetworkPolicy", "media/nfs"),
    }


def test_what_is_no_kubernetes_object_is_not_among_them() -> None:
    urns = [
        f"{STACK}pulumi:pulumi:Stack::dittoinfra-dev",
        f"{STACK}pulumi:providers:kubernetes::default",
        f"{STACK}dittoinfra:index:Server::media",
        f"{STACK}kubernetes:odd::thing",
    ]

    assert held_objects(urns) == frozenset()
