"""Which changes are seen, how they are spelled, and which need a new object."""

from typing import Any

import pytest

from dittoinfra.standin.diff import Change, InputDiff, diff_inputs

SERVICE: dict[str, Any] = {
    "apiVersion": "v1",
    "kind": "Service",
    "metadata": {"name": "web", "namespace": "files", "labels": {"app.kubernetes.io/name": "web"}},
    "spec": {"clusterIP": "None", "ports": [{"port": 2049}, {"port": 111}]},
}
STATEFUL_SET: dict[str, Any] = {
    "apiVersion": "apps/v1",
    "kind": "StatefulSet",
    "metadata": {"name": "web", "namespace": "files"},
    "spec": {
        "podManagementPolicy": "OrderedReady",
        "replicas": 1,
        "selector": {"matchLabels": {"app": "web"}},
        "serviceName": "web",
        "volumeClaimTemplates": [{"metadata": {"name": "data"}}],
    },
}


def test_nothing_changed_is_no_change() -> None:
    assert _diff(SERVICE, SERVICE) == []


@pytest.mark.parametrize(
    ("section", "value", "expected"),
    [
        (
            "spec",
            {"clusterIP": "None", "ports": [{"port": 2050}, {"port": 111}]},
            ("spec.ports[0].port", "CHANGED"),
        ),
        ("spec", {"clusterIP": "None", "ports": [{"port": 2049}]}, ("spec.ports[1]", "REMOVED")),
        (
            "metadata",
            {"name": "web", "namespace": "files", "labels": {"app.kubernetes.io/name": 'w"eb'}},
            ('metadata.labels["app.kubernetes.io/name"]', "CHANGED"),
        ),
        ("data", {"a": "b"}, ("data", "ADDED")),
    ],
)
def test_a_change_is_spelled_as_the_engine_spells_paths(
    section: str, value: object, expected: tuple[str, str]
) -> None:
    path, change = expected
    assert _diff(SERVICE, SERVICE | {section: value}) == [(path, Change[change], False)]


@pytest.mark.parametrize(
    ("old", "section", "field", "value"),
    [
        (SERVICE, "spec", "clusterIP", "10.96.0.7"),
        (SERVICE, "metadata", "name", "other"),
        (SERVICE, "metadata", "namespace", "other"),
        (STATEFUL_SET, "spec", "selector", {"matchLabels": {"app": "other"}}),
        (STATEFUL_SET, "spec", "serviceName", "other"),
        (STATEFUL_SET, "spec", "podManagementPolicy", "Parallel"),
        (STATEFUL_SET, "spec", "volumeClaimTemplates", [{"metadata": {"name": "other"}}]),
    ],
)
def test_what_the_api_refuses_to_change_is_replaced(
    old: dict[str, Any], section: str, field: str, value: object
) -> None:
    diff = diff_inputs(old, old | {section: old[section] | {field: value}}, is_patch=False)

    assert diff.replaces
    # one object cannot exist twice under one name: then the old one has to go first
    assert diff.same_object == (section == "spec")


@pytest.mark.parametrize("field", ["apiVersion", "kind"])
def test_another_kind_or_version_is_another_object(field: str) -> None:
    assert diff_inputs(SERVICE, SERVICE | {field: "v2"}, is_patch=False).replaces


def test_the_same_fields_of_other_kinds_are_updated() -> None:
    foreign = SERVICE | {"apiVersion": "serving.knative.dev/v1"}
    changed = foreign | {"spec": foreign["spec"] | {"clusterIP": "10.96.0.7"}}
    assert not diff_inputs(foreign, changed, is_patch=False).replaces

    scaled = STATEFUL_SET | {"spec": STATEFUL_SET["spec"] | {"replicas": 2}}
    assert not diff_inputs(STATEFUL_SET, scaled, is_patch=False).replaces


def test_a_patch_is_replaced_only_when_it_is_meant_for_another_object() -> None:
    changed = STATEFUL_SET | {"spec": STATEFUL_SET["spec"] | {"serviceName": "other"}}
    assert not diff_inputs(STATEFUL_SET, changed, is_patch=True).replaces

    moved = STATEFUL_SET | {"metadata": STATEFUL_SET["metadata"] | {"name": "other"}}
    assert diff_inputs(STATEFUL_SET, moved, is_patch=True).replaces


def test_true_is_not_one() -> None:
    assert _diff({"spec": {"a": True}}, {"spec": {"a": 1}}) == [("spec.a", Change.CHANGED, False)]


def _diff(old: dict[str, Any], new: dict[str, Any]) -> list[tuple[str, Change, bool]]:
    diff: InputDiff = diff_inputs(old, new, is_patch=False)
    return [(change.dotted, change.change, change.replaces) for change in diff.changes]
