"""Patching objects that others write to at the same time, on a real Kubernetes API."""

from collections.abc import Mapping
from typing import Any

import pytest

from dittoinfra.decide.ownership import disown
from dittoinfra.kubernetes import Cluster, ClusterError
from dittoinfra.kubernetes.cluster_errors import RefusedByClusterError
from dittoinfra.kubernetes.objects import (
    JsonPatch,
    apply_object,
    list_objects,
    patch_latest,
    read_object,
)
from lab.bed.credentials import credential
from tests.engine.deploy.operator_made import OperatorMade
from tests.engine.namespace import Namespace

PATH = "api/v1:configmaps"


@pytest.fixture
def others(namespace: Namespace) -> OperatorMade:
    """The owner of a ConfigMap `c`."""
    made = OperatorMade(namespace)
    made.create(PATH, {"metadata": {"name": "c"}}, owned=True)
    return made


def named(others: OperatorMade, kind: str = "ConfigMap", **more: object) -> dict[str, Any]:
    return {
        "apiVersion": "v1",
        "kind": kind,
        "metadata": {"name": "c", "namespace": others.namespace},
        **more,
    }


def test_a_patch_is_made_anew_after_a_concurrent_write(cluster: Cluster, others: OperatorMade) -> None:
    seen: list[str] = []

    def disown_late(live: Mapping[str, Any]) -> JsonPatch:
        if not seen:
            others.patch(f"{PATH}/c", {"data": {"written": "meanwhile"}}, "kubectl-edit")
        seen.append(live["metadata"]["resourceVersion"])
        return disown(live)

    patch_latest(cluster, named(others), disown_late)

    after = others.get(f"{PATH}/c")
    assert len(set(seen)) == 2
    assert after["data"] == {"written": "meanwhile"}
    assert "ownerReferences" not in after["metadata"]


def test_a_manager_that_never_stops_writing_is_named_as_the_cause(
    cluster: Cluster, others: OperatorMade
) -> None:
    rounds = iter(range(1000))

    def disown_too_late(live: Mapping[str, Any]) -> JsonPatch:
        others.patch(f"{PATH}/c", {"data": {"round": str(next(rounds))}}, "manager")
        return disown(live)

    with pytest.raises(ClusterError, match="was changed by others 10 times in a row; see that its oper"):
        patch_latest(cluster, named(others), disown_too_late)


def test_an_object_that_is_gone_is_not_made_again(cluster: Cluster, others: OperatorMade) -> None:
    others.delete(f"{PATH}/c")

    with pytest.raises(ClusterError, match="ConfigMap c was deleted while it was being patched; run again"):
        patch_latest(cluster, named(others), disown)


def test_kinds_that_the_cluster_does_not_serve_hold_nothing(cluster: Cluster, others: OperatorMade) -> None:
    assert read_object(cluster, "v1", "Nonsense", others.namespace, "c") is None
    assert list_objects(cluster, "v1", "Nonsense", others.namespace) == []
    with pytest.raises(RefusedByClusterError, match="serves no Nonsense"):
        apply_object(cluster, named(others, "Nonsense"), "test")


@pytest.mark.parametrize(
    ("secret", "why"),
    [
        (
            {"data": {"password": f"{credential('refused')}!"}},
            "Internal Server Error (its message may quote the Secret)",
        ),
        ({"stringData": {"hunter2 !": ""}}, "Unprocessable Entity (data[hunter2 !])"),
    ],
)
def test_a_refused_secret_is_not_quoted(
    cluster: Cluster, others: OperatorMade, secret: dict[str, Any], why: str
) -> None:
    with pytest.raises(ClusterError) as refusal:
        apply_object(cluster, named(others, "Secret", **secret), "test")

    assert str(refusal.value).endswith(f"when patched Secret c: {why}")
