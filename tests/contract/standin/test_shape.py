"""What a refresh makes of declared fields and a live object."""

from typing import Any

import pytest

from lab.standin.shape import adopted_inputs, live_inputs

PORT = {"name": "nfs", "port": 2049}
THEIRS = {"name": "theirs", "port": 111}


@pytest.mark.parametrize(
    ("declared", "live"),
    [
        (
            {"spec": {"ports": [PORT]}},
            {"spec": {"ports": [PORT | {"nodePort": 31000}], "clusterIP": "10.0.0.1"}},
        ),
        ({"metadata": {"name": "web"}}, {"metadata": {"name": "web", "uid": "u"}, "status": {"a": 1}}),
        ({"metadata": {"annotations": {"a": "1"}}}, {"metadata": {"annotations": {"a": "1", "theirs": "2"}}}),
        ({"spec": {"ports": [PORT]}}, {"spec": {"ports": [PORT, THEIRS]}}),
        ({"ranges": ["10.0.0.0/8"]}, {"ranges": ["10.0.0.0/8", "0.0.0.0/0"]}),
        ({"spec": {"selector": {}, "emptyDir": {}}}, {"spec": {"selector": {}, "emptyDir": {}}}),
        ({"spec": {"hostNetwork": False, "nodePort": 0, "name": ""}}, {"spec": {}}),
    ],
)
def test_what_others_add_and_what_the_api_leaves_out_is_no_drift(
    declared: dict[str, Any], live: dict[str, Any]
) -> None:
    assert live_inputs(live, declared) == declared


@pytest.mark.parametrize(
    ("declared", "live", "found"),
    [
        ({"a": {"b": 1}}, {"a": {"b": 2}}, {"a": {"b": 2}}),
        ({"a": {"b": 1}, "c": 1}, {"c": 1}, {"c": 1}),
        ({"ports": [PORT, THEIRS]}, {"ports": [PORT]}, {"ports": [PORT]}),
        ({"ports": [PORT]}, {"ports": [PORT | {"port": 3049}]}, {"ports": [PORT | {"port": 3049}]}),
        # by position: what others put in front is taken for ours
        ({"ports": [PORT]}, {"ports": [THEIRS, PORT]}, {"ports": [THEIRS]}),
        ({"ports": [PORT]}, {"ports": ["text"]}, {"ports": ["text"]}),
        ({"ports": [PORT]}, {"ports": None}, {"ports": None}),
    ],
)
def test_a_declared_field_that_differs_is_drift(
    declared: dict[str, Any], live: dict[str, Any], found: dict[str, Any]
) -> None:
    assert live_inputs(live, declared) == found


@pytest.mark.parametrize(
    ("spec", "written"),
    [
        ({"clusterIP": "10.96.0.7", "clusterIPs": ["10.96.0.7"], "type": "ClusterIP"}, {"type": "ClusterIP"}),
        ({"clusterIP": "None", "clusterIPs": ["None"]}, {"clusterIP": "None"}),
    ],
)
def test_an_adopted_object_brings_what_a_person_could_have_written(
    spec: dict[str, Any], written: dict[str, Any]
) -> None:
    named = {"name": "web", "namespace": "files", "labels": {"a": "b"}}
    service = {"apiVersion": "v1", "kind": "Service"}
    live = service | {
        "metadata": named | {"uid": "u", "resourceVersion": "7", "managedFields": []},
        "spec": spec,
        "status": {"loadBalancer": {}},
    }

    assert adopted_inputs(live) == service | {"metadata": named, "spec": written}
