"""What others did to the objects of a stack, as `dittoinfra drift` tells it."""

import json
from dataclasses import replace
from typing import Any

import pytest

from dittoinfra.decide.managed_fields import Path
from dittoinfra.reports.status.cluster_drift import StackObject, removal_command, stack_objects
from dittoinfra.reports.status.drift_check import stack_drift
from dittoinfra.reports.status.stack_status import ClusterUnknown
from dittoinfra.reports.status.status_model import StackDrift
from dittoinfra.reports.status.terminal import drift_lines
from dittoinfra.stacks.result import RunReport
from dittoinfra.stacks.shown_values import Difference
from tests.pure.decide.make import answer, remembering, server, serving
from tests.unit.status.make import SERVICE_TYPE, record, report, step, urn

AT = "2026-11-16T06:54:32Z"
OURS = "pulumi-kubernetes-0a1b2c3d"
SETTLED = record(
    [server("media")], {"media": remembering(("nfs", 12049))}, {"media": answer(serving("nfs", 12049))}
)
QUIET = report()


def state(kind: str = "Service", labels: object = None, data: object = None) -> dict[str, Any]:
    """The object in a state: what the provider declared, and what the API made of it."""
    metadata = {"name": "media-adapter-nfs", "namespace": "files", "labels": labels or {}}
    inputs = {"apiVersion": "v1", "kind": kind, "metadata": metadata, "data": data or {}}
    return {**inputs, "__inputs": inputs, "__fieldManager": OURS}


def looked(remembered: dict[str, Any], live: dict[str, Any], *managed: dict[str, Any]) -> StackObject:
    token = SERVICE_TYPE.replace("Service", remembered["kind"])
    held_at = urn("media/nfs", f"dittoinfra:index:Server${token}")
    resource = {"urn": held_at, "type": token, "outputs": remembered}
    (held,) = stack_objects({"resources": [resource]})
    metadata = {**remembered["metadata"], "managedFields": list(managed), **live.pop("metadata", {})}
    return replace(held, live={**remembered, **live, "metadata": metadata})


def by(manager: str, tree: dict[str, Any]) -> dict[str, Any]:
    return {"manager": manager, "time": AT, "fieldsV1": tree}


def drift(*objects: StackObject, refreshed: RunReport = QUIET) -> StackDrift:
    return stack_drift("prod", SETTLED, refreshed, QUIET, objects)


def lines(found: StackDrift) -> list[str]:
    return [line.removeprefix("prod: ") for line in drift_lines(found)]


TIER: dict[str, Any] = {"f:metadata": {"f:labels": {"f:tier": {}}}}


def test_an_edit_is_told_with_its_values_its_author_and_what_mends_it() -> None:
    this = looked(
        state(labels={"tier": "gold"}),
        {"metadata": {"labels": {"tier": "tin"}}},
        by("kubectl-label", TIER),
    )

    found = drift(this)

    assert lines(found) == [
        f"cluster: Service media/nfs: metadata.labels.tier: gold → tin, by kubectl-label at {AT}; "
        "`dittoinfra up prod` puts it back"
    ]
    assert found.exit_code == 7
    (finding,) = found.drift
    assert (finding.path, finding.before, finding.after) == ("metadata.labels.tier", "gold", "tin")
    assert (finding.manager, finding.at) == ("kubectl-label", AT)


def test_what_a_refresh_tells_too_is_told_once() -> None:
    this = looked(state(labels={"tier": "gold"}), {"metadata": {"labels": {}}})
    refreshed = report(step("update", "media/nfs", "metadata.labels.tier"), step("delete", "media/smb"))

    assert lines(drift(this, refreshed=refreshed)) == [
        "cluster: Service media/smb: deleted; `dittoinfra up prod` creates it again",
        "cluster: Service media/nfs: metadata.labels.tier: gold removed; `dittoinfra up prod` puts it back",
    ]


def test_what_only_a_refresh_tells_has_its_values_too() -> None:
    changed = replace(
        step("update", "media/nfs", "spec.type"),
        differences=(Difference("spec.type", "LoadBalancer", "ClusterIP"),),
    )

    assert lines(drift(refreshed=report(changed))) == [
        "cluster: Service media/nfs: spec.type: LoadBalancer → ClusterIP; `dittoinfra up prod` puts it back"
    ]


def test_what_kubectl_added_is_removed_unseen() -> None:
    this = looked(state(), {"metadata": {"labels": {"tier": "gold"}}}, by("kubectl-label", TIER))

    assert lines(drift(this)) == [
        f"cluster: Service media/nfs: metadata.labels.tier: added: gold, by kubectl-label at {AT}; the next "
        "update of this object removes it unseen; to keep it, put it into the configuration"
    ]


def test_what_others_added_stays_and_the_command_that_removes_it_is_told() -> None:
    this = looked(state(), {"metadata": {"labels": {"tier": "gold"}}}, by("lens", TIER))

    assert lines(drift(this)) == [
        f"cluster: Service media/nfs: metadata.labels.tier: added: gold, by lens at {AT}; it stays "
        "until it is removed: kubectl --namespace files label service media-adapter-nfs tier-"
    ]


@pytest.mark.parametrize(
    ("path", "command"),
    [
        (("metadata", "labels", "example.com/tier"), "label service media-adapter-nfs example.com/tier-"),
        (("metadata", "annotations", "note"), "annotate service media-adapter-nfs note-"),
    ],
)
def test_the_command_for_labels_and_annotations_is_kubectl_s_own(path: Path, command: str) -> None:
    assert removal_command(looked(state(), {}), path) == f"kubectl --namespace files {command}"


def test_the_command_for_a_port_removes_nothing_else_when_ports_have_moved() -> None:
    extra = {"name": "extra", "port": 9999}
    this = looked(state(), {"spec": {"ports": [{"name": "nfs", "port": 2049}, extra]}})

    command = removal_command(this, ("spec", "ports", "[extra]"))

    before, _, patch = command.partition("--patch ")
    assert before == "kubectl --namespace files patch service media-adapter-nfs --type json "
    assert json.loads(patch.strip("'")) == [
        {"op": "test", "path": "/spec/ports/1", "value": extra},
        {"op": "remove", "path": "/spec/ports/1"},
    ]


def test_an_object_that_is_being_deleted_is_told_with_what_holds_it() -> None:
    this = looked(state(), {"metadata": {"deletionTimestamp": AT, "finalizers": ["example.com/hold"]}})

    assert lines(drift(this)) == [
        f"cluster: Service media/nfs: being deleted since {AT}, held by example.com/hold; when it is gone, "
        "`dittoinfra up prod` creates it again"
    ]


def test_values_of_a_secret_are_hidden() -> None:
    tree: dict[str, Any] = {"f:data": {"f:jwt": {}, "f:more": {}}}
    this = looked(
        state("Secret", data={"jwt": "b2xk"}), {"data": {"jwt": "bmV3", "more": "bW9yZQ=="}}, by("lens", tree)
    )

    found = drift(this)

    assert [finding.path for finding in found.drift] == ["data.jwt", "data.more"]
    said = found.model_dump_json() + "".join(lines(found))
    assert not [secret for secret in ("b2xk", "bmV3", "bW9yZQ") if secret in said]


def test_a_restart_is_information_and_no_drift() -> None:
    key = "kubectl.kubernetes.io/restartedAt"
    tree: dict[str, Any] = {"f:spec": {"f:template": {"f:metadata": {"f:annotations": {f"f:{key}": {}}}}}}
    spec = {"template": {"metadata": {"annotations": {key: AT}}}}

    found = drift(looked(state("StatefulSet"), {"spec": spec}, by("kubectl-rollout", tree)))

    assert lines(found) == [
        f"information: StatefulSet media/nfs: restarted by `kubectl rollout restart` at {AT}: left as it is",
        "no drift",
    ]
    assert found.exit_code == 0


def test_a_cluster_that_cannot_be_asked_is_unknown_and_fails() -> None:
    found = stack_drift(
        "prod", SETTLED, QUIET, QUIET, ClusterUnknown("not allowed to get services in namespace files")
    )

    assert lines(found) == ["unknown (cluster): not allowed to get services in namespace files"]
    assert found.exit_code == 1


def test_a_refresh_that_failed_has_said_why_already() -> None:
    blind = report(exit_code=4, errors=["no answer from the Kubernetes API"])

    found = stack_drift("prod", SETTLED, blind, QUIET, ClusterUnknown("no answer"))

    assert lines(found) == ["unknown (cluster): no answer from the Kubernetes API"]


@pytest.mark.parametrize(
    "resource",
    [
        {"urn": urn("a"), "type": "kubernetes:apps/v1:StatefulSetPatch", "outputs": state("StatefulSet")},
        {"urn": urn("a"), "type": SERVICE_TYPE, "outputs": state(), "delete": True},
        {"urn": urn("a"), "type": SERVICE_TYPE},
        {"urn": urn("a"), "type": "dittoinfra:index:Server", "outputs": {"namespace": "files"}},
    ],
)
def test_what_is_not_an_object_of_the_stack_is_not_looked_at(resource: dict[str, Any]) -> None:
    assert stack_objects({"resources": [resource]}) == ()
