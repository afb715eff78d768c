"""Which changes are seen, how they are spelled, and which need a new object."""

from typing import Any

import pytest
from pulumi.runtime.rpc import UNKNOWN

from lab.standin.diff import DiffKind, changes
from lab.standin.replacing import fixed_fields
from lab.standin.terms import Settings

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
CONFIG_MAP: dict[str, Any] = {"apiVersion": "v1", "kind": "ConfigMap", "data": {"a": "b"}}
SECRET: dict[str, Any] = {"apiVersion": "v1", "kind": "Secret", "type": "Opaque", "data": {"a": "b"}}
MUTABLE = Settings(enable_config_map_mutable=True, enable_secret_mutable=True)


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
        ("spec", {"clusterIP": "None", "ports": UNKNOWN}, ("spec.ports", "CHANGED")),
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
    assert _diff(SERVICE, SERVICE | {section: value}) == [(path, DiffKind[change], False)]


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
def test_what_cannot_change_in_place_is_replaced(
    old: dict[str, Any], section: str, field: str, value: object
) -> None:
    assert _replaces(old, old | {section: old[section] | {field: value}})


def test_a_whole_section_is_replaced_for_what_is_in_it() -> None:
    bare = {key: value for key, value in SERVICE.items() if key != "spec"}

    assert _replaces(bare, SERVICE)
    assert not _replaces(bare, SERVICE | {"spec": {"ports": []}})


@pytest.mark.parametrize("old", [CONFIG_MAP, SECRET])
def test_data_is_replaced_unless_it_may_change(old: dict[str, Any]) -> None:
    new = old | {"data": {"a": "c"}}

    assert _replaces(old, new)
    assert not _replaces(old, new, MUTABLE)
    assert _replaces(old, new | {"immutable": True}, MUTABLE)


def test_the_type_of_a_secret_never_changes() -> None:
    assert _replaces(SECRET, SECRET | {"type": "kubernetes.io/tls"}, MUTABLE)


def test_the_same_fields_of_other_kinds_are_updated() -> None:
    foreign = SERVICE | {"apiVersion": "serving.knative.dev/v1"}
    assert not _replaces(foreign, foreign | {"spec": foreign["spec"] | {"clusterIP": "10.96.0.7"}})

    assert not _replaces(STATEFUL_SET, STATEFUL_SET | {"spec": STATEFUL_SET["spec"] | {"replicas": 2}})


def test_a_patch_is_replaced_only_when_it_is_meant_for_another_object() -> None:
    changed = STATEFUL_SET | {"spec": STATEFUL_SET["spec"] | {"serviceName": "other"}}
    assert not _replaces(STATEFUL_SET, changed, is_patch=True)

    moved = STATEFUL_SET | {"metadata": STATEFUL_SET["metadata"] | {"name": "other"}}
    assert _replaces(STATEFUL_SET, moved, is_patch=True)


def test_true_is_not_one() -> None:
    assert _diff({"spec": {"a": True}}, {"spec": {"a": 1}}) == [("spec.a", DiffKind.CHANGED, False)]


def _replaces(
    old: dict[str, Any], new: dict[str, Any], settings: Settings | None = None, *, is_patch: bool = False
) -> bool:
    fixed = fixed_fields(new, settings or Settings(), is_patch=is_patch)
    return any(change.replaces for change in changes(old, new, fixed))


def _diff(old: dict[str, Any], new: dict[str, Any]) -> list[tuple[str, DiffKind, bool]]:
    found = changes(old, new, fixed_fields(new, Settings(), is_patch=False))
    return [(change.dotted, change.kind, change.replaces) for change in found]
