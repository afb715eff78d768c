"""Which declared fields of a live object are not as the last run left them."""

from typing import Any

import pytest

from dittoinfra.decide.cluster_edits import Edit, edits, only_reordered, unapplied_ports
from dittoinfra.decide.managed_fields import path_text

PORT: dict[str, Any] = {"name": "nfs", "port": 2049, "targetPort": 12049}
THEIRS: dict[str, Any] = {"name": "theirs", "port": 9, "targetPort": 9}
INPUTS: dict[str, Any] = {
    "apiVersion": "v1",
    "kind": "Service",
    "metadata": {"name": "web", "labels": {"app": "web"}},
    "spec": {"ports": [PORT], "sourceRanges": ["10.0.0.0/8"], "cpu": "1000m"},
}


def remembered() -> dict[str, Any]:
    """As the API answered the last run: defaults filled in, quantities in its own spelling."""
    return {
        "metadata": {"name": "web", "labels": {"app": "web"}, "uid": "1"},
        "spec": {
            "ports": [
                {"name": "nfs", "port": 2049.0, "targetPort": 12049.0, "protocol": "TCP", "nodePort": 3.0}
            ],
            "sourceRanges": ["10.0.0.0/8"],
            "cpu": "1",
            "sessionAffinity": "None",
        },
        "__inputs": INPUTS,
    }


def live(*managed: dict[str, Any]) -> dict[str, Any]:
    return {
        "metadata": {"name": "web", "labels": {"app": "web"}, "uid": "1", "managedFields": list(managed)},
        "spec": {
            "ports": [{**PORT, "protocol": "TCP", "nodePort": 3}],
            "sourceRanges": ["10.0.0.0/8"],
            "cpu": "1",
            "sessionAffinity": "None",
        },
    }


def told(found: tuple[Edit, ...]) -> list[tuple[str, object, object]]:
    return [(path_text(edit.path), edit.before, edit.after) for edit in found]


def test_an_object_as_it_was_left_is_not_edited() -> None:
    assert edits(remembered(), live()) == ()


def test_what_is_not_declared_is_not_edited() -> None:
    now = live()
    now["spec"]["sessionAffinity"] = "ClientIP"
    now["spec"]["ports"][0]["nodePort"] = 4
    now["spec"]["ports"].append({"name": "extra", "port": 9})
    now["metadata"]["labels"]["tier"] = "gold"
    now["metadata"]["deletionTimestamp"] = "2026-01-01T00:00:00Z"

    assert edits(remembered(), now) == ()


def test_a_changed_value_is_told_with_both_values() -> None:
    now = live()
    now["spec"]["ports"][0]["targetPort"] = 1
    now["metadata"]["labels"]["app"] = "other"

    assert told(edits(remembered(), now)) == [
        ("metadata.labels.app", "web", "other"),
        ("spec.ports[nfs].targetPort", 12049, 1),
    ]


def test_items_are_known_by_their_names_and_not_by_their_places() -> None:
    now = live()
    now["spec"]["ports"].insert(0, {"name": "extra", "port": 9})

    assert edits(remembered(), now) == ()


def test_what_is_gone_is_told_without_a_writer() -> None:
    now = live({"manager": "kubectl-edit", "fieldsV1": {"f:metadata": {"f:labels": {"f:tier": {}}}}})
    del now["metadata"]["labels"]["app"]
    now["spec"]["ports"][0]["name"] = "renamed"

    found = edits(remembered(), now)

    assert [(path, after) for path, _, after in told(found)] == [
        ("metadata.labels.app", None),
        ("spec.ports[nfs]", None),
    ]
    assert [edit.by for edit in found] == [None, None]


def test_a_restart_is_no_edit() -> None:
    def restarted(at: str) -> dict[str, Any]:
        return {"template": {"metadata": {"annotations": {"kubectl.kubernetes.io/restartedAt": at}}}}

    before, now = remembered(), live()
    before["__inputs"] = {"spec": restarted("monday")}
    before["spec"], now["spec"] = restarted("monday"), restarted("tuesday")

    assert edits(before, now) == ()


def test_a_list_without_names_is_one_value() -> None:
    now = live()
    now["spec"]["sourceRanges"] = ["10.0.0.0/8", "0.0.0.0/0"]

    assert told(edits(remembered(), now)) == [
        ("spec.sourceRanges", ["10.0.0.0/8"], ["10.0.0.0/8", "0.0.0.0/0"])
    ]


def test_a_declaration_that_arrived_only_now_is_no_edit() -> None:
    before, now = remembered(), live()
    before["metadata"]["labels"]["app"] = "older"

    assert edits(before, now) == ()


def test_a_state_without_the_declaration_tells_nothing() -> None:
    before, now = remembered(), live()
    del before["__inputs"]
    now["metadata"]["labels"]["app"] = "other"

    assert edits(before, now) == ()


@pytest.mark.parametrize(
    ("entries", "writer"),
    [
        ([("kubectl-edit", "2026-01-02T00:00:00Z"), ("lens", "2026-01-01T00:00:00Z")], "kubectl-edit"),
        ([("kubectl-edit", "2026-01-02T00:00:00Z"), ("lens", "2026-01-03T00:00:00Z")], "lens"),
        ([], None),
    ],
)
def test_the_writer_is_who_wrote_last(entries: list[tuple[str, str]], writer: str | None) -> None:
    tree: dict[str, Any] = {"f:spec": {"f:ports": {'k:{"port":2049,"protocol":"TCP"}': {"f:targetPort": {}}}}}
    now = live(*({"manager": manager, "time": time, "fieldsV1": tree} for manager, time in entries))
    now["spec"]["ports"][0]["targetPort"] = 1

    (edit,) = edits(remembered(), now)

    assert (edit.by and edit.by.manager) == writer


@pytest.mark.parametrize(
    ("live", "declared", "reordered"),
    [
        pytest.param([THEIRS, PORT], [PORT], True, id="a port of others is in front"),
        pytest.param([PORT, THEIRS], [PORT], False, id="it is behind, where the provider does not see it"),
        pytest.param([PORT], [PORT], False, id="there is none"),
        pytest.param([THEIRS, {**PORT, "targetPort": 1}], [PORT], False, id="ours was edited, too"),
        pytest.param([THEIRS, PORT], [{**PORT, "port": 445}], False, id="ours is to move"),
        pytest.param(None, [PORT], False, id="the Service was never created"),
    ],
)
def test_ports_that_only_stand_in_another_order_are_no_change(
    live: list[dict[str, object]] | None, declared: list[dict[str, object]], reordered: bool
) -> None:
    service = {"spec": {"ports": live}, "__inputs": {"spec": {"ports": declared}}}

    assert only_reordered(service, [PORT]) is reordered


@pytest.mark.parametrize(
    ("entries", "known"),
    [
        ([("pulumi-kubernetes", "Update")], True),
        ([("kubectl", "Update"), ("pulumi-kubernetes", "Update")], True),
        ([("pulumi-kubernetes-1f9c33ab", "Apply")], False),
        ([("pulumi-kubernetes", "Apply")], False),
        ([], False),
    ],
)
def test_ports_belong_to_the_creation_until_the_first_update(
    entries: list[tuple[str, str]], known: bool
) -> None:
    fields = [{"manager": manager, "operation": operation} for manager, operation in entries]
    status = {"manager": "pulumi-kubernetes", "operation": "Update", "subresource": "status"}
    metadata = {"managedFields": [*fields, status]}
    containers = [{"ports": [{"name": "api", "containerPort": 8080}, {"containerPort": 1}]}, {}]

    ports = unapplied_ports({"metadata": metadata, "spec": {"ports": [{"name": "nfs", "port": 2049}]}})
    template = {"spec": {"containers": containers}}

    assert ports == ({"nfs": 2049} if known else {})
    assert unapplied_ports({"metadata": metadata, "spec": {"template": template}}) == (
        {"api": 8080} if known else {}
    )
