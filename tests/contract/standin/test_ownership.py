"""Whose fields are taken over before an apply, and which are left to others."""

from typing import Any

import pytest

from lab.standin.handover import Entry, forces_preview, handed_over
from lab.standin.ignoring import without_ignored

OURS = "pulumi-kubernetes-0a1b2c3d"
LABELS: dict[str, Any] = {"f:metadata": {"f:labels": {"f:app": {}}}}
PORTS: dict[str, Any] = {"f:spec": {"f:ports": {}}}


def _entry(manager: str, operation: str, fields: dict[str, Any], **more: str) -> dict[str, Any]:
    return {"manager": manager, "operation": operation, "fieldsV1": fields, **more}


@pytest.mark.parametrize("manager", ["pulumi-kubernetes", "kubectl-edit", "before-first-apply"])
def test_the_first_predecessor_becomes_our_own_manager(manager: str) -> None:
    other = _entry("somebody", "Update", PORTS)

    assert handed_over([_entry(manager, "Update", LABELS, time="then"), other], OURS) == [
        other,
        _entry(OURS, "Apply", LABELS, time="then"),
    ]


def test_more_of_them_are_added_to_what_we_have() -> None:
    entries: list[Entry] = [
        _entry("kubectl", "Apply", PORTS),
        _entry(OURS, "Apply", LABELS),
        _entry("pulumi-kubernetes", "Update", {"f:metadata": {"f:labels": {"f:tier": {}}}}),
    ]

    [merged] = handed_over(entries, OURS) or []

    labels: dict[str, Any] = {"f:labels": {"f:app": {}, "f:tier": {}}}
    assert merged == _entry(OURS, "Apply", {"f:metadata": labels, "f:spec": {"f:ports": {}}})


@pytest.mark.parametrize(
    "entry",
    [
        _entry("somebody", "Update", PORTS),
        _entry("argocd", "Apply", PORTS),
        _entry("kubectl", "Update", PORTS, subresource="status"),
        _entry(OURS, "Apply", PORTS),
    ],
)
def test_nothing_is_taken_from_others(entry: dict[str, Any]) -> None:
    assert handed_over([entry], OURS) is None


def test_a_preview_is_forced_while_a_plain_creation_s_manager_is_there() -> None:
    assert forces_preview([_entry("pulumi-kubernetes", "Update", PORTS)])
    assert not forces_preview([_entry(OURS, "Apply", PORTS), _entry("kubectl", "Update", PORTS)])


def test_an_ignored_field_of_others_is_left_out() -> None:
    live = {
        "metadata": {"managedFields": [_entry("somebody", "Update", LABELS)], "labels": {"app": "theirs"}}
    }

    applied = without_ignored(
        {"metadata": {"labels": {"app": "a", "b": "c"}}}, live, OURS, ["metadata.labels.app"]
    )

    assert applied == {"metadata": {"labels": {"b": "c"}}}


@pytest.mark.parametrize("managers", [[OURS], [OURS, "somebody"], []])
def test_an_ignored_field_of_ours_keeps_its_value(managers: list[str]) -> None:
    entries = [_entry(manager, "Apply", LABELS) for manager in managers]
    live = {"metadata": {"managedFields": entries, "labels": {"app": "live"}}}

    applied = without_ignored({"metadata": {"labels": {"app": "a"}}}, live, OURS, ["metadata.labels.app"])

    assert applied == {"metadata": {"labels": {"app": "live"}}}


def test_a_path_that_leads_into_a_list_or_nowhere_changes_nothing() -> None:
    manifest = {"metadata": {"labels": {"app": "a"}}}

    assert (
        without_ignored(manifest, {"metadata": {}}, OURS, ["spec.ports[0].port", "spec.type", "a[", ""])
        == manifest
    )
