"""Who wrote what on an object, and what becomes of it. Pure."""

from typing import Any

import pytest

from dittoinfra.decide.ownership import (
    ADOPTER,
    changed_paths,
    disown,
    ownership,
    release_fields,
    removed_paths,
    take_fields,
)

TRIFLE: dict[str, Any] = {"f:metadata": {"f:labels": {"f:app.kubernetes.io/managed-by": {}}}}

MANIFEST = {
    "apiVersion": "v1",
    "kind": "Service",
    "metadata": {"name": "nfs", "annotations": {"ours": "1"}},
    "spec": {"selector": {"app": "x"}, "ports": [{"name": "nfs", "port": 2049, "protocol": "TCP"}]},
}


def port(number: int, protocol: str = "TCP") -> str:
    return f'k:{{"port":{number},"protocol":"{protocol}"}}'


def written(manager: str, tree: dict[str, Any], **more: str) -> dict[str, Any]:
    return {"manager": manager, "operation": "Update", "apiVersion": "v1", "fieldsV1": tree, **more}


def live(*entries: dict[str, Any], **metadata: object) -> dict[str, Any]:
    known = {"resourceVersion": "7", "managedFields": list(entries), **metadata}
    return {"apiVersion": "v1", "metadata": known}


SELECTOR: dict[str, Any] = {"f:spec": {"f:selector": {"f:app": {}}}}


@pytest.mark.parametrize(
    "entry",
    [
        written("cloud", {"f:metadata": {"f:annotations": {"f:id": {}}, "f:finalizers": {}}}),
        written("kubectl-annotate", {"f:metadata": {"f:annotations": {"f:ours": {}}}}),
        written("cloud", {"f:spec": {"f:loadBalancerIP": {}}}),
        written("cloud", {"f:spec": {"f:selector": {"f:other": {}}}}),
        written("controller", SELECTOR, subresource="status"),
        {"manager": "idle", "operation": "Update"},
    ],
)
def test_a_manager_of_undeclared_fields_keeps_them(entry: dict[str, Any]) -> None:
    sorted_out = ownership(live(entry), MANIFEST)

    assert sorted_out.taken == {}
    assert sorted_out.others == (entry,)


@pytest.mark.parametrize(
    "tree",
    [SELECTOR, {"f:spec": {"f:selector": {}}}, {"f:spec": {"f:ports": {".": {}, port(111): {".": {}}}}}],
)
def test_a_manager_of_declared_fields_made_the_object(tree: dict[str, Any]) -> None:
    assert ownership(live(written("manager", tree)), MANIFEST).taken == tree


def test_what_several_makers_wrote_is_taken_together() -> None:
    one = written("helm", {"f:spec": {"f:selector": {"f:app": {}}}})
    other = written("kubectl-edit", {"f:spec": {"f:selector": {"f:b": {}}, "f:ports": {}}})

    assert ownership(live(one, other), MANIFEST).taken == {
        "f:spec": {"f:selector": {"f:app": {}, "f:b": {}}, "f:ports": {}}
    }


def test_addresses_finalizers_and_owners_are_never_taken() -> None:
    tree = {
        "f:metadata": {"f:finalizers": {".": {}, 'v:"x"': {}}, "f:ownerReferences": {'k:{"uid":"1"}': {}}},
        "f:spec": {
            "f:clusterIP": {},
            "f:selector": {},
            "f:loadBalancerIP": {},
            "f:ports": {port(1): {".": {}, "f:nodePort": {}}, port(2): {"f:nodePort": {}}},
        },
    }

    assert ownership(live(written("manager", tree)), MANIFEST).taken == {
        "f:spec": {"f:selector": {}, "f:ports": {port(1): {".": {}}}}
    }


def test_annotations_stay_but_those_of_packaging() -> None:
    annotations: dict[str, Any] = {
        ".": {},
        "f:lb.example/pool": {},
        "f:ours": {},
        "f:meta.helm.sh/release-name": {},
    }
    tree = {"f:metadata": {"f:annotations": annotations}, **SELECTOR}

    sorted_out = ownership(live(written("helm", tree)), MANIFEST)

    assert sorted_out.taken["f:metadata"] == {"f:annotations": {"f:meta.helm.sh/release-name": {}}}
    assert sorted_out.left == ("lb.example/pool",)


def test_a_takeover_is_one_patch_of_the_version_that_was_read() -> None:
    cloud = written("cloud", {"f:status": {}}, subresource="status")
    this = live(written("manager", SELECTOR), cloud, ownerReferences=[{"uid": "1"}])

    version, owners, fields = take_fields(this, MANIFEST)

    assert version == {"op": "replace", "path": "/metadata/resourceVersion", "value": "7"}
    assert owners == {"op": "remove", "path": "/metadata/ownerReferences"}
    ours = {
        "manager": ADOPTER,
        "operation": "Apply",
        "apiVersion": "v1",
        "fieldsType": "FieldsV1",
        "fieldsV1": SELECTOR,
    }
    assert fields == {"op": "add", "path": "/metadata/managedFields", "value": [cloud, ours]}


def test_without_managed_fields_the_adopter_owns_a_minimum() -> None:
    """Kubernetes would make up an owner of everything, who keeps it all for ever."""
    (_, fields) = take_fields(live(), MANIFEST)
    assert [entry["fieldsV1"] for entry in fields["value"]] == [TRIFLE]

    (_, released) = release_fields(live(written(ADOPTER, SELECTOR)))
    assert [entry["fieldsV1"] for entry in released["value"]] == [TRIFLE]


def test_where_others_own_something_the_adopter_owns_nothing_in_the_end() -> None:
    cloud = written("cloud", {"f:status": {}}, subresource="status")

    released = release_fields(live(written(ADOPTER, SELECTOR), cloud))

    assert released == [
        {"op": "replace", "path": "/metadata/resourceVersion", "value": "7"},
        {"op": "add", "path": "/metadata/managedFields", "value": [cloud]},
    ]


def test_a_takeover_that_broke_off_is_taken_over_again() -> None:
    before = live(written(ADOPTER, TRIFLE), written("manager", SELECTOR))

    taken = ownership(before, MANIFEST)

    assert taken.taken == {**TRIFLE, **SELECTOR}
    assert taken.others == ()


def test_an_object_without_owners_only_has_its_version_checked() -> None:
    assert [step["path"] for step in disown(live())] == ["/metadata/resourceVersion"]


def test_what_is_taken_and_not_made_afresh_is_removed() -> None:
    tree = {
        "f:metadata": {"f:labels": {".": {}, "f:old": {}, "f:shared": {}, "f:gone": {}}},
        "f:spec": {
            "f:selector": {"f:app": {}},
            "f:sessionAffinity": {},
            "f:ports": {port(2049): {".": {}}, port(111, "UDP"): {".": {}}, port(9): {".": {}}},
            "f:values": {'v:"a"': {}, 'v:"b"': {}, 'v:"c"': {}},
            "f:strange": {"i:0": {}},
        },
    }
    other = written("kubectl-label", {"f:metadata": {"f:labels": {"f:shared": {}}}})
    before = live(written("manager", tree), other, labels={"old": "1", "shared": "1"}) | {
        "spec": {
            "selector": {"app": "x"},
            "sessionAffinity": "None",
            "ports": [
                {"name": "nfs", "port": 2049},
                {"name": "portmap", "port": 111, "protocol": "UDP"},
                {"port": 9, "protocol": "TCP"},
            ],
            "values": ["a", "b"],
            "strange": [1],
        }
    }
    fresh = {
        "metadata": {"labels": {}},
        "spec": {
            "selector": {"app": "x"},
            "sessionAffinity": "None",
            "ports": [{"port": 2049}],
            "values": ["a"],
            "strange": [],
        },
    }

    gone = removed_paths(ownership(before, MANIFEST), before, fresh)

    assert set(gone) == {
        ("metadata", "labels", "old"),
        ("spec", "ports", "[portmap]"),
        ("spec", "ports", "[9 TCP]"),
        ("spec", "values", "[b]"),
    }


@pytest.mark.parametrize("what", ["labels", "annotations"])
def test_where_none_is_declared_each_of_them_is_removed_by_name(what: str) -> None:
    tree = {"f:metadata": {f"f:{what}": {"f:helm.sh/chart": {}}}, **SELECTOR}
    before = live(written("helm", tree), **{what: {"helm.sh/chart": "1", "other": "1"}})

    assert removed_paths(ownership(before, MANIFEST), before, {"metadata": {}, "spec": {}}) == (
        ("metadata", what, "helm.sh/chart"),
    )


def test_what_is_declared_and_differs_is_changed() -> None:
    manifest = {
        "metadata": {"labels": {"a": "1", "b": "1"}},
        "spec": {
            "same": 1,
            "ports": [{"name": "nfs", "port": 2049}, {"name": "new", "port": 1}],
            "unnamed": [{"a": 1}],
            "moved": [1],
        },
    }
    fresh = {
        "metadata": {"labels": {"a": "1", "b": "1"}},
        "spec": {
            "same": 1,
            "ports": [{"name": "nfs", "port": 2049, "protocol": "TCP"}, {"name": "new", "port": 1}],
            "unnamed": [{"a": 1, "default": True}],
            "moved": [1],
        },
    }
    there = {
        "metadata": {"labels": {"a": "1", "b": "2"}},
        "spec": {
            "same": 1,
            "ports": [{"name": "nfs", "port": 12049, "protocol": "TCP"}],
            "unnamed": [{"a": 1, "default": True}],
            "moved": [2],
        },
    }

    assert set(changed_paths(manifest, there, fresh)) == {
        ("metadata", "labels", "b"),
        ("spec", "ports", "[nfs]", "port"),
        ("spec", "ports", "[new]"),
        ("spec", "moved"),
    }
