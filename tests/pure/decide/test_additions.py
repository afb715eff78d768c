"""What others put on an object of ours beside what is declared."""

from typing import Any

import pytest

from dittoinfra.decide.cluster_edits import additions, is_taken_over, restart
from dittoinfra.decide.managed_fields import path_text

OURS = "pulumi-kubernetes-0a1b2c3d"
AT = "2026-11-16T06:54:32Z"

REMEMBERED: dict[str, Any] = {
    "__fieldManager": OURS,
    "__inputs": {
        "metadata": {"name": "web", "labels": {"app": "web"}},
        "spec": {"ports": [{"name": "nfs", "port": 2049}], "selector": {"app": "web"}},
    },
}
NFS = 'k:{"port":2049,"protocol":"TCP"}'
EXTRA = 'k:{"port":9999,"protocol":"TCP"}'
DECLARED: dict[str, Any] = {
    "f:metadata": {"f:labels": {"f:app": {}}},
    "f:spec": {"f:ports": {NFS: {".": {}, "f:name": {}, "f:port": {}}}, "f:selector": {}},
}


def written(manager: str, tree: dict[str, Any], **more: str) -> dict[str, Any]:
    return {"manager": manager, "time": AT, "fieldsV1": tree, **more}


def live(*entries: dict[str, Any], owner: str | None = OURS) -> dict[str, Any]:
    return {
        "metadata": {
            "name": "web",
            "labels": {"app": "web", "tier": "gold"},
            "annotations": {
                "example.com/note": "mine",
                "service.beta.kubernetes.io/load-balancer-id": "lb-1",
                "kubectl.kubernetes.io/last-applied-configuration": "{}",
            },
            "finalizers": ["service.kubernetes.io/load-balancer-cleanup"],
            "managedFields": [*([written(owner, DECLARED)] if owner else []), *entries],
        },
        "spec": {
            "clusterIP": "10.96.0.7",
            "healthCheckNodePort": 31000,
            "ports": [
                {"name": "nfs", "port": 2049, "protocol": "TCP", "nodePort": 30001, "appProtocol": "nfs"},
                {"name": "extra", "port": 9999, "protocol": "TCP"},
            ],
            "selector": {"app": "web", "canary": "true"},
            "sessionAffinity": "ClientIP",
        },
        "status": {"loadBalancer": {"ingress": [{"ip": "192.0.2.1"}]}},
    }


def told(*entries: dict[str, Any], owner: str | None = OURS) -> list[tuple[str, object, str]]:
    found = additions(REMEMBERED, live(*entries, owner=owner))
    assert all(this.at == AT for this in found)
    return [(path_text(this.path), this.value, this.manager) for this in found]


@pytest.mark.parametrize("owner", [OURS, "pulumi-kubernetes", "dittoinfra-adoption"])
def test_what_we_wrote_is_no_addition(owner: str) -> None:
    assert told(owner=owner) == []


def test_labels_annotations_ports_and_fields_of_others_are() -> None:
    tree = {
        "f:metadata": {
            "f:labels": {"f:tier": {}},
            "f:annotations": {".": {}, "f:example.com/note": {}},
        },
        "f:spec": {
            "f:ports": {NFS: {"f:appProtocol": {}}, EXTRA: {".": {}, "f:name": {}, "f:port": {}}},
            "f:sessionAffinity": {},
        },
    }

    assert told(written("lens", tree)) == [
        ("metadata.labels.tier", "gold", "lens"),
        ('metadata.annotations["example.com/note"]', "mine", "lens"),
        ("spec.ports[nfs].appProtocol", "nfs", "lens"),
        ("spec.ports[extra]", {"name": "extra", "port": 9999, "protocol": "TCP"}, "lens"),
        ("spec.sessionAffinity", "ClientIP", "lens"),
    ]


def test_a_key_in_a_map_that_was_taken_as_a_whole_is_one() -> None:
    assert told(written("kubectl-edit", {"f:spec": {"f:selector": {}}}), owner=None) == [
        ("spec.selector.canary", "true", "kubectl-edit")
    ]


def test_a_declared_field_that_others_wrote_is_an_edit_and_no_addition() -> None:
    tree = {"f:metadata": {"f:labels": {"f:app": {}}}, "f:spec": {"f:ports": {NFS: {".": {}, "f:port": {}}}}}

    assert told(written("lens", tree), owner=None) == []


@pytest.mark.parametrize(
    "entry",
    [
        written(
            "anybody",
            {"f:metadata": {"f:finalizers": {'v:"service.kubernetes.io/load-balancer-cleanup"': {}}}},
        ),
        written("anybody", {"f:spec": {"f:clusterIP": {}, "f:healthCheckNodePort": {}}}),
        written("anybody", {"f:spec": {"f:ports": {NFS: {"f:nodePort": {}}}}}),
        written("anybody", {"f:status": {"f:loadBalancer": {"f:ingress": {}}}}, subresource="status"),
        written(
            "manager",
            {"f:metadata": {"f:annotations": {"f:service.beta.kubernetes.io/load-balancer-id": {}}}},
        ),
        written("cloud-controller-manager", {"f:metadata": {"f:annotations": {"f:example.com/note": {}}}}),
        written(
            "kubectl-client-side-apply",
            {"f:metadata": {"f:annotations": {"f:kubectl.kubernetes.io/last-applied-configuration": {}}}},
        ),
    ],
)
def test_what_the_cluster_and_its_controllers_own_is_none(entry: dict[str, Any]) -> None:
    assert told(entry) == []


def test_a_person_who_steers_the_load_balancer_by_hand_is_told() -> None:
    key = "service.beta.kubernetes.io/load-balancer-id"

    assert told(written("kubectl-annotate", {"f:metadata": {"f:annotations": {f"f:{key}": {}}}})) == [
        (f'metadata.annotations["{key}"]', "lb-1", "kubectl-annotate")
    ]


def test_a_state_without_the_declaration_tells_nothing() -> None:
    assert additions({"__fieldManager": OURS}, live(written("lens", DECLARED), owner=None)) == ()


def test_a_rollout_restart_is_told_apart() -> None:
    key = "kubectl.kubernetes.io/restartedAt"
    tree: dict[str, Any] = {"f:spec": {"f:template": {"f:metadata": {"f:annotations": {f"f:{key}": {}}}}}}
    now = live(written("kubectl-rollout", tree))
    now["spec"]["template"] = {"metadata": {"annotations": {key: AT}}}

    found = restart(now)

    assert additions(REMEMBERED, now) == ()
    assert found is not None
    assert (found.value, found.manager) == (AT, "kubectl-rollout")
    assert restart(live()) is None


@pytest.mark.parametrize(
    ("manager", "expected"), [("kubectl", True), ("kubectl-label", True), ("lens", False)]
)
def test_what_kubectl_added_goes_with_the_next_update(manager: str, expected: bool) -> None:
    assert is_taken_over(manager) is expected
