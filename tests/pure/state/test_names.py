"""What the state tells of names, whatever people did to the Services."""

from dataclasses import replace
from typing import Any

import pytest

from dittoinfra.model import HostNames, Located, NameMemory, RememberedNames
from dittoinfra.state import ingress_addresses, located, remembered_names
from dittoinfra.state.server_outputs import names_output

SERVER = "dittoinfra:index:Server"
SERVICE = f"{SERVER}$kubernetes:core/v1:Service"
NAMES = HostNames(
    server="media",
    type="nfs",
    namespace="files",
    service="media-adapter-nfs",
    backend="external-dns",
    hostname="nfs.example.com",
    aliases=("a.example",),
    ip="192.0.2.7",
)


def urn(name: str, qualified_type: str = SERVER) -> str:
    return f"urn:pulumi:prod::dittoinfra::{qualified_type}::{name}"


def remembered(dns: object) -> NameMemory:
    return remembered_names({urn("media"): {"outputs": {"adapters": {"nfs": {"dns": dns}}}}})


def service(*ingress: object) -> dict[str, Any]:
    return {"status": {"loadBalancer": {"ingress": list(ingress)}}}


@pytest.mark.parametrize(
    "names",
    [
        NAMES,
        HostNames("media", "nfs", "files", "s", "router-hosts", "a.example"),
        HostNames("media", "nfs", "files", "s", "external-dns", "a.example", pin=True),
        HostNames("media", "nfs", "files", "s", "router-hosts", "a.example", kind="HostMapping"),
    ],
)
def test_what_is_told_is_remembered(names: HostNames) -> None:
    told = RememberedNames(names, Located(("192.0.2.1", "lb.example"), (names.hostname,)))

    assert remembered(names_output(told)).told == {"media/nfs": told}
    counted = replace(told, located=replace(told.located, blanks={"192.0.2.1": 2}))
    assert remembered(names_output(counted)).told == {"media/nfs": counted}


@pytest.mark.parametrize(
    ("blanks", "counted"),
    [({"a": 2.0}, {"a": 2}), ({"a": -1, "b": 1}, {"b": 1}), ({"a": "2"}, {}), (2, {}), (None, {})],
)
def test_an_odd_count_is_none(blanks: object, counted: dict[str, int]) -> None:
    dns = names_output(RememberedNames(NAMES)) | {"blanks": blanks}

    assert remembered(dns).told["media/nfs"].located.blanks == counted


def test_the_engine_leaves_out_what_is_null() -> None:
    dns = names_output(RememberedNames(NAMES))
    del dns["ip"]

    assert remembered(dns).told["media/nfs"].names.ip is None


@pytest.mark.parametrize("missing", ["namespace", "service", "hostname", "backend"])
@pytest.mark.parametrize("value", [None, 3, "", "odd"])
def test_names_that_are_not_whole_count_as_none(missing: str, value: object) -> None:
    told = remembered(names_output(RememberedNames(NAMES)) | {missing: value}).told

    assert bool(told) is (value == "odd" and missing != "backend")


@pytest.mark.parametrize("dns", [None, {}, [], "nfs.example.com"])
def test_an_adapter_without_names_has_none(dns: object) -> None:
    assert remembered(dns).told == {}


def test_odd_lists_are_read_as_far_as_they_are_texts() -> None:
    told = remembered(
        names_output(RememberedNames(NAMES)) | {"aliases": ["a.example", 3], "addresses": "192.0.2.1"}
    )

    assert told.told["media/nfs"].names.aliases == ("a.example",)
    assert told.told["media/nfs"].located.addresses == ()


@pytest.mark.parametrize(
    ("live", "found"),
    [
        (service({"ip": "192.0.2.2"}, {"ip": "192.0.2.1"}), ("192.0.2.1", "192.0.2.2")),
        (service({"hostname": "lb.example"}), ("lb.example",)),
        (service({"ip": "192.0.2.1", "hostname": "lb.example"}), ("192.0.2.1",)),
        (service({}, "odd", None), ()),
        ({"status": {"loadBalancer": {"ingress": None}}}, ()),
        ({"status": None}, ()),
        ({}, ()),
    ],
)
def test_a_service_is_found_where_its_load_balancer_says(
    live: dict[str, Any], found: tuple[str, ...]
) -> None:
    assert ingress_addresses(live) == found
    noted = remembered_names({urn("media/nfs", SERVICE): {"outputs": live}}).services["media/nfs"]
    assert tuple(sorted(noted.addresses)) == found


def test_the_first_address_stays_the_first() -> None:
    assert located(service({"ip": "192.0.2.2"}, {"ip": "192.0.2.1"})).addresses == ("192.0.2.2", "192.0.2.1")


@pytest.mark.parametrize(
    ("host_ids", "registered"),
    [
        ('{"b.example": "01J", "a.example": "01K"}', ("a.example", "b.example")),
        ("{}", ()),
        ("", ()),
        ("odd", ()),
        ("[" * 100_000, ()),
        ('["a.example"]', ()),
        (None, ()),
    ],
)
def test_a_name_is_registered_that_router_hosts_has_noted(
    host_ids: str | None, registered: tuple[str, ...]
) -> None:
    live = {"metadata": {"annotations": {"router-hosts.fzymgc.house/host-ids": host_ids}}}

    assert located(live) == Located((), registered)
    assert remembered_names({urn("media/nfs", SERVICE): {"outputs": live}}).services == {
        "media/nfs": Located((), registered)
    }


@pytest.mark.parametrize(
    "other",
    [
        urn("udp:media/nfs", SERVICE),
        urn("media/nfs", "kubernetes:core/v1:Service"),
        urn("media"),
        urn("media/nfs", f"{SERVER}$kubernetes:networking.k8s.io/v1:NetworkPolicy"),
    ],
)
def test_nothing_else_has_names_or_addresses(other: str) -> None:
    outputs = {"dns": names_output(RememberedNames(NAMES)), **service({"ip": "192.0.2.1"})}

    assert remembered_names({other: {"outputs": outputs}, urn("backup"): {}}) == NameMemory()
