"""Fields of a Service that updates must preserve."""

import json
from collections.abc import Mapping
from typing import Any

from tests.chaos.histories.manifests import Manifest

OUR_MANAGER = "pulumi-kubernetes"
"""Prefix of the provider's field managers."""


def check_updated(before: Manifest, after: Manifest, declared: Manifest, earlier: Mapping[str, Any]) -> None:
    """An updated Service is as declared, and keeps its identity and what others have set.

    `earlier` is the previous declaration.
    """
    name = declared["metadata"]["name"]
    assert _identity(before) == _identity(after), f"{name} has another identity"
    _check_node_ports(before, after)
    check_declared(after, declared)
    for kind in ("labels", "annotations"):
        _check_marks(kind, before, after, declared, earlier)
    assert before["metadata"].get("finalizers") == after["metadata"].get("finalizers"), (
        f"a finalizer of others is gone from {name}"
    )
    if before["spec"]["type"] == after["spec"]["type"]:
        assert before["status"] == after["status"], f"{name} lost what its load balancer has given it"
    left = _ports(after) - _ports(declared) - _ports_of_others(before)
    assert not left, f"{name} still has the ports {left}"


def check_declared(live: Manifest, declared: Manifest) -> None:
    """A live Service has all declared fields."""
    name = declared["metadata"]["name"]
    for kind in ("labels", "annotations"):
        found = live["metadata"].get(kind) or {}
        wanted = declared["metadata"][kind]
        assert {key: found.get(key) for key in wanted} == wanted, f"{kind} of {name} are not as declared"
    spec = live["spec"]
    assert spec["selector"] == declared["spec"]["selector"], f"{name} has another selector"
    assert spec["type"] == declared["spec"]["type"], f"{name} is of another type"
    policy = declared["spec"].get("externalTrafficPolicy")
    assert policy in (None, spec.get("externalTrafficPolicy")), f"{name} has another traffic policy"
    ours = _ports(declared)
    found_ports = [port for port in map(_port, spec["ports"]) if port in ours]
    assert set(found_ports) == ours, f"ports of {name} are not as declared: {spec['ports']}"
    if len(spec["ports"]) == len(ours):
        assert found_ports[0] == _port(declared["spec"]["ports"][0]), f"the data port of {name} is not first"


def _identity(service: Manifest) -> tuple[object, ...]:
    spec = service["spec"]
    return service["metadata"]["uid"], spec["clusterIP"], spec["clusterIPs"], spec["ipFamilies"]


def _check_node_ports(before: Manifest, after: Manifest) -> None:
    old, new = (
        {port["name"]: port["nodePort"] for port in service["spec"]["ports"] if "nodePort" in port}
        for service in (before, after)
    )
    both = old.keys() & new.keys()
    name = after["metadata"]["name"]
    assert {key: old[key] for key in both} == {key: new[key] for key in both}, f"{name} has new node ports"
    probes = [service["spec"].get("healthCheckNodePort") for service in (before, after)]
    assert None in probes or probes[0] == probes[1], f"{name} has another healthCheckNodePort"


def _check_marks(
    kind: str, before: Manifest, after: Manifest, declared: Manifest, earlier: Mapping[str, Any]
) -> None:
    name = declared["metadata"]["name"]
    had, has = (service["metadata"].get(kind) or {} for service in (before, after))
    ours, were_ours = declared["metadata"][kind], earlier["metadata"].get(kind) or {}
    foreign = {key: value for key, value in had.items() if key not in ours and key not in were_ours}
    assert {key: has.get(key) for key in foreign} == foreign, f"{kind} of others are gone from {name}"
    left = {key for key in has.keys() - ours.keys() - foreign.keys() if not _others_own(before, kind, key)}
    assert not left, f"{kind} that are not declared any more are still on {name}: {left}"


def _others_own(service: Manifest, kind: str, key: str) -> bool:
    """Whether another manager has set it since, so that we must not remove it."""
    return any(
        f"f:{key}" in fields.get("f:metadata", {}).get(f"f:{kind}", {})
        for fields in _owned_by_others(service)
    )


def _ports_of_others(service: Manifest) -> set[tuple[object, ...]]:
    keys = [
        json.loads(key.removeprefix("k:"))
        for fields in _owned_by_others(service)
        for key in fields.get("f:spec", {}).get("f:ports", {})
        if key.startswith("k:")
    ]
    return {
        _port(port)
        for port in service["spec"]["ports"]
        if {"port": port["port"], "protocol": port["protocol"]} in keys
    }


def _owned_by_others(service: Manifest) -> list[Mapping[str, Any]]:
    return [
        entry["fieldsV1"]
        for entry in service["metadata"]["managedFields"]
        if not entry["manager"].startswith(OUR_MANAGER)
    ]


def _ports(service: Manifest) -> set[tuple[object, ...]]:
    return set(map(_port, service["spec"]["ports"]))


def _port(port: Mapping[str, Any]) -> tuple[object, ...]:
    return port["name"], port["port"], port["targetPort"], port["protocol"]
