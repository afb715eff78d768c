"""What the state tells of names, whatever people did to the Services."""

from typing import Any

import pytest

from dittoinfra.memory import ingress_addresses, remembered_names, told_names
from dittoinfra.model import HostNames, NameMemory, ToldNames

COMPONENT = "dittoinfra:index:Server$dittoinfra:index:AdapterService"
SERVICE = f"{COMPONENT}$kubernetes:core/v1:Service"
NAMES = HostNames(
    server="media",
    type="nfs",
    namespace="files",
    service="media-adapter-nfs",
    backend="external-dns",
    hostname="nfs.example.com",
    aliases=("a.example",),
    ip="192.0.2.7",
    grace_period=300,
)


def urn(name: str, qualified_type: str = COMPONENT) -> str:
    return f"urn:pulumi:prod::dittoinfra::{qualified_type}::{name}"


def remembered(dns: object) -> NameMemory:
    return remembered_names({urn("media/nfs"): {"outputs": {"dns": dns}}})


def service(*ingress: object) -> dict[str, Any]:
    return {"status": {"loadBalancer": {"ingress": list(ingress)}}}


@pytest.mark.parametrize(
    "names", [NAMES, HostNames("media", "nfs", "files", "s", "router-hosts", "a.example")]
)
def test_what_is_told_is_remembered(names: HostNames) -> None:
    dns = told_names(names, ("192.0.2.1", "lb.example"))

    assert remembered(dns).told == {"media/nfs": ToldNames(names, ("192.0.2.1", "lb.example"))}


def test_the_engine_hands_numbers_over_as_floats_and_leaves_out_what_is_null() -> None:
    dns = told_names(NAMES, ()) | {"gracePeriod": 300.0}
    del dns["ip"]

    names = remembered(dns).told["media/nfs"].names

    assert (names.grace_period, names.ip) == (300, None)


@pytest.mark.parametrize("missing", ["namespace", "service", "hostname", "backend"])
@pytest.mark.parametrize("value", [None, 3, "", "odd"])
def test_names_that_are_not_whole_count_as_none(missing: str, value: object) -> None:
    told = remembered(told_names(NAMES, ()) | {missing: value}).told

    assert bool(told) is (value == "odd" and missing != "backend")


@pytest.mark.parametrize("dns", [None, {}, [], "nfs.example.com"])
def test_an_adapter_without_names_has_none(dns: object) -> None:
    assert remembered(dns).told == {}


def test_odd_lists_are_read_as_far_as_they_are_texts() -> None:
    told = remembered(told_names(NAMES, ()) | {"aliases": ["a.example", 3], "addresses": "192.0.2.1"})

    assert told.told["media/nfs"].names.aliases == ("a.example",)
    assert told.told["media/nfs"].addresses == ()


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
    assert remembered_names({urn("media/nfs", SERVICE): {"outputs": live}}).addresses == {"media/nfs": found}


@pytest.mark.parametrize(
    "other",
    [
        urn("udp:media/nfs", SERVICE),
        urn("media/nfs", "kubernetes:core/v1:Service"),
        urn("media", "dittoinfra:index:Server"),
    ],
)
def test_nothing_else_has_names_or_addresses(other: str) -> None:
    outputs = {"dns": told_names(NAMES, ()), **service({"ip": "192.0.2.1"})}

    assert remembered_names({other: {"outputs": outputs}, urn("media/smb"): {}}) == NameMemory()
