"""What the settings refuse, the API refuses; what they take, it takes."""

from collections.abc import Mapping
from typing import Any

import pytest
from hypothesis import example, given, settings
from pydantic import TypeAdapter, ValidationError

from dittoinfra.settings.base import (
    AnnotationKey,
    LabelKey,
    LabelValue,
    ObjectName,
    Port,
    ServiceName,
    ServicePortName,
    TargetPort,
)
from dittoinfra.settings.selectors import LabelSelector
from tests.contract.selectors.cluster import Cluster
from tests.contract.selectors.strategies import (
    NEARLY_KEYS,
    NEARLY_PORT_NAMES,
    NEARLY_VALUES,
    nearly_right_selectors,
)
from tests.pure.naming.strategies import unhurried

ONE = {"key": "a", "operator": "In", "values": ["b"]}


@settings(unhurried, max_examples=300)
@given(nearly_right_selectors())
@example({"matchExpressions": [ONE, ONE | {"operator": "NotIn"}]})
@example({"matchExpressions": [ONE | {"values": []}]})
@example({"matchExpressions": [ONE | {"operator": "Exists"}]})
@example({"matchExpressions": [ONE | {"values": ["b", "no such value"]}]})
@example({"matchLabels": {"a..b/c": "d"}})
def test_a_selector_is_refused_where_the_api_refuses_it(
    cluster: Cluster, selector: Mapping[str, Any]
) -> None:
    assert _takes(TypeAdapter(LabelSelector), selector) == cluster.takes_selector(selector)


@settings(unhurried, max_examples=300)
@given(NEARLY_KEYS)
@example("Example.com/a")
@example("a-.b/c")
@example("a/b/c")
def test_a_key_is_refused_where_the_api_refuses_it(cluster: Cluster, key: str) -> None:
    assert _takes(TypeAdapter(LabelKey), key) == cluster.takes_metadata({"labels": {key: ""}})
    assert _takes(TypeAdapter(AnnotationKey), key) == cluster.takes_metadata({"annotations": {key: ""}})


@settings(unhurried, max_examples=200)
@given(NEARLY_VALUES)
def test_a_value_is_refused_where_the_api_refuses_it(cluster: Cluster, value: str) -> None:
    assert _takes(TypeAdapter(LabelValue), value) == cluster.takes_metadata({"labels": {"a": value}})


@settings(unhurried, max_examples=200)
@given(NEARLY_KEYS)
@example("a..b")
@example("a" * 254)
def test_a_name_is_refused_where_the_api_refuses_it(cluster: Cluster, name: str) -> None:
    assert _takes(TypeAdapter(ObjectName), name) == cluster.takes_metadata({"name": name})


@settings(unhurried, max_examples=200)
@given((NEARLY_KEYS | NEARLY_PORT_NAMES).filter(bool))
@example("0a")
def test_a_service_s_names_are_refused_where_the_api_refuses_them(cluster: Cluster, name: str) -> None:
    # This API lets a Service's name start with a digit; those before Kubernetes 1.36 do not.
    everywhere = cluster.takes_service(called=name) and not name[0].isdigit()
    assert _takes(TypeAdapter(ServiceName), name) == everywhere
    assert _takes(TypeAdapter(ServicePortName), name) == cluster.takes_service(name=name)
    assert _takes(TypeAdapter(TargetPort), name) == cluster.takes_service(targetPort=name)


@pytest.mark.parametrize("number", [-1, 0, 1, 65535, 65536])
def test_a_port_is_refused_where_the_api_refuses_it(cluster: Cluster, number: int) -> None:
    assert _takes(TypeAdapter(Port), number) == cluster.takes_service(port=number)


def _takes(rule: TypeAdapter[Any], value: object) -> bool:
    try:
        rule.validate_python(value)
    except ValidationError:
        return False
    return True
