"""Manifests in the one form in which they are compared and sent."""

from typing import Any

import pytest
from pulumi.runtime.rpc import UNKNOWN

from lab.standin.normal import normalized
from lab.standin.quantity import canonical
from lab.standin.schema import GroupSchema

POD = {"group": "", "version": "v1", "kind": "Pod"}
SCHEMA = GroupSchema(
    {
        "components": {
            "schemas": {
                "Pod": {
                    "x-kubernetes-group-version-kind": [POD],
                    "type": "object",
                    "required": ["list"],
                    "properties": {
                        "apiVersion": {"type": "string"},
                        "kind": {"type": "string"},
                        "amount": {
                            "allOf": [
                                {"$ref": "#/components/schemas/io.k8s.apimachinery.pkg.api.resource.Quantity"}
                            ]
                        },
                        "amounts": {
                            "type": "object",
                            "additionalProperties": {
                                "$ref": "#/components/schemas/io.k8s.apimachinery.pkg.api.resource.Quantity"
                            },
                        },
                        "selector": {"$ref": "#/components/schemas/Selector"},
                        "list": {"type": "array", "items": {"$ref": "#/components/schemas/Selector"}},
                        "args": {"type": "array", "items": {"type": "string"}},
                        "port": {"type": "integer"},
                        "anything": {},
                    },
                },
                "Selector": {"type": "object", "properties": {"app": {"type": "string"}}},
            }
        }
    }
)


@pytest.mark.parametrize(
    ("written", "spelled"),
    [
        ("0", "0"),
        ("0.5", "500m"),
        ("1", "1"),
        ("1000m", "1"),
        ("1500", "1500"),
        ("2000", "2k"),
        ("1024Mi", "1Gi"),
        ("1.5Gi", "1536Mi"),
        ("0.5Ki", "512"),
        ("100Mi", "100Mi"),
        ("-2000", "-2k"),
        ("0.0000000001", "1n"),
        ("1e3", "1e3"),
        ("1E", "1E"),
        ("many", "many"),
    ],
)
def test_an_amount_has_one_spelling(written: str, spelled: str) -> None:
    assert canonical(written) == spelled


@pytest.mark.parametrize(
    ("given", "fitted"),
    [
        ({"colour": "red"}, {}),
        ({"amount": "1024Mi", "amounts": {"cpu": 1}}, {"amount": "1Gi", "amounts": {"cpu": "1"}}),
        ({"selector": {}, "list": [{"app": "a", "colour": "red"}]}, {"selector": {}, "list": [{"app": "a"}]}),
        # an empty list or map is not written down, unless the object has to have one
        ({"args": [], "amounts": {}, "list": []}, {"list": []}),
        ({"anything": {"at": ["all"]}}, {"anything": {"at": ["all"]}}),
        # what Go's types would not take is left to the API to refuse, as a whole
        ({"port": "many", "colour": "red"}, {"port": "many", "colour": "red"}),
        ({"list": {}, "colour": "red"}, {"list": {}, "colour": "red"}),
        ({"selector": "app", "colour": "red"}, {"selector": "app", "colour": "red"}),
    ],
)
def test_a_built_in_kind_takes_the_shape_of_its_schema(given: dict[str, Any], fitted: dict[str, Any]) -> None:
    pod = {"apiVersion": "v1", "kind": "Pod"}
    assert normalized(pod | given, SCHEMA.fitted) == pod | fitted


@pytest.mark.parametrize(
    "manifest",
    [
        {"apiVersion": "v1", "kind": "Unheard", "colour": "red"},
        {"apiVersion": "gateway.networking.k8s.io/v1", "kind": "Pod", "colour": "red"},
        {"apiVersion": "v1", "kind": "Pod", "colour": UNKNOWN},
    ],
)
def test_of_other_kinds_and_unknown_values_nothing_is_known(manifest: dict[str, Any]) -> None:
    assert normalized(manifest, SCHEMA.fitted) == manifest


@pytest.mark.parametrize(
    ("given", "kept"),
    [
        ({"stringData": {"a": "b"}}, {"data": {"a": "Yg=="}}),
        (
            {"stringData": {"a": "b"}, "data": {"a": "eA==", "c": "ZA=="}},
            {"data": {"a": "Yg==", "c": "ZA=="}},
        ),
        ({"data": {"a": "Y\ng==\n", "b": "?", "c": 1}}, {"data": {"a": "Yg==", "b": "?", "c": 1}}),
        ({}, {}),
    ],
)
def test_a_secret_is_kept_encoded(given: dict[str, Any], kept: dict[str, Any]) -> None:
    secret = {"apiVersion": "v1", "kind": "Secret"}
    assert normalized(secret | given, SCHEMA.fitted) == secret | kept


def test_what_only_the_api_writes_is_no_input() -> None:
    manifest = {"apiVersion": "example.test/v1", "kind": "Gadget", "metadata": {"name": "a", "uid": "u"}}

    assert normalized(manifest, SCHEMA.fitted)["metadata"] == {"name": "a"}
