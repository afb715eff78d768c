"""Names that a HostMapping asks for: when it is declared, and what of its status counts as evidence.

The rules of router-hosts, read from its CustomResourceDefinition and its hostmapping_controller.go (chart
0.13.0): `hostname` and one `ip` are required, `aliases` and `tags` are kept, and there is nothing else; the
condition `Synced` says for which generation it holds.
"""

from typing import Any

import pytest

from dittoinfra.decide.custom_kinds import HOST_MAPPING, KindDecision, decide_kinds
from dittoinfra.decide.host_names import host_states
from dittoinfra.decide.names import (
    NameDecision,
    decide_names,
    host_mappings,
    locate,
    mapping_place,
    with_evidence,
)
from dittoinfra.decide.router_hosts import finalizer_advice
from dittoinfra.decide.stack_rules import decide_stack
from dittoinfra.model import HostNames, Located, NameMemory, RememberedNames
from dittoinfra.object_model import LiveObject, LiveObjects
from dittoinfra.state import synced_names
from tests.pure.decide.make import answer, server, serving

NAME, ALIAS = "nfs.example.com", "a.example.com"
DNS = {"hostname": NAME, "aliases": [ALIAS], "kind": "HostMapping", "tags": ["files"]}
NAMES = HostNames(
    "media", "nfs", "files", "media-adapter-nfs", "router-hosts", NAME, (ALIAS,), kind="HostMapping"
)
PLACE = mapping_place(NAMES)


def located(*addresses: str, memory: NameMemory | None = None) -> NameDecision:
    media = server(namespace="files", adapters={"types": {"nfs": {"dns": DNS}}})
    decided = decide_names(decide_stack([media], {}, {"media": [answer(serving("nfs", 1))]}), [media])
    assert not decided.refusals
    # What router-hosts has noted on the Service is about entries of the Service.
    service = Located(addresses, (NAME,))
    return locate(decided, {"files": {"media-adapter-nfs": service}}, memory or NameMemory())


def mapping(*conditions: object, generation: int | None = 3) -> dict[str, Any]:
    return {
        "metadata": {"generation": generation},
        "spec": {"hostname": NAME, "ip": "192.0.2.1", "aliases": [ALIAS]},
        "status": {"phase": "Synced", "conditions": list(conditions)},
    }


def synced(status: str = "True", **fields: object) -> dict[str, object]:
    return {"type": "Synced", "status": status, "observedGeneration": 3, "reason": "Created", **fields}


@pytest.mark.parametrize(
    ("addresses", "asks"),
    [
        ((), None),
        (("lb.example",), None),
        (("lb.example", "192.0.2.2", "192.0.2.1"), "192.0.2.2"),
        (("2001:db8::1", "192.0.2.1"), "2001:db8::1"),
    ],
    ids=["no address", "a name alone", "the first address", "IPv6"],
)
def test_it_is_declared_with_the_first_address_and_not_before(
    addresses: tuple[str, ...], asks: str | None
) -> None:
    names = located(*addresses)
    [this] = names.adapters.values()

    assert this.annotations == {}, "the Service asks for nothing"
    assert this.located == Located((asks,) if asks else ())
    assert [str(wanted.name) for wanted in host_mappings(names)] == (["media-adapter-nfs"] if asks else [])
    assert host_states(this.names, this.located)[NAME] == ("HostRequested" if asks else "PendingLoadBalancer")


def test_a_blank_status_does_not_take_it_away() -> None:
    memory = NameMemory({"media/nfs": RememberedNames(NAMES, Located(("192.0.2.1",)))})

    names = located(memory=memory)

    assert names.adapters["media/nfs"].located == Located(("192.0.2.1",), blanks={"192.0.2.1": 1})
    assert [*host_mappings(names)]


@pytest.mark.parametrize(
    ("live", "registered"),
    [
        (mapping(synced()), True),
        (mapping({"type": "Other", "status": "True"}, synced()), True),
        (mapping(synced("False", reason="AdoptionRefused")), False),
        (mapping(synced("Unknown")), False),
        (mapping(synced(observedGeneration=2)), False),
        (mapping(synced(observedGeneration=None), generation=None), False),
        (mapping(), False),
        (mapping("odd"), False),
        ({}, False),
        ({"status": {"conditions": "odd"}}, False),
    ],
    ids=[
        "synced",
        "among others",
        "refused",
        "unknown",
        "of other names",
        "of no generation",
        "not said",
        "odd",
        "empty",
        "odd conditions",
    ],
)
def test_a_name_is_registered_only_where_synced_is_true_for_what_is_asked_now(
    live: dict[str, Any], registered: bool
) -> None:
    assert synced_names(live) == ((NAME, ALIAS) if registered else ())

    objects: LiveObjects = {PLACE: LiveObject({}, content=live)}
    [this] = with_evidence(located("192.0.2.1"), KindDecision(), objects, NameMemory()).adapters.values()
    state = "HostRegistered" if registered else "HostRequested"
    assert host_states(this.names, this.located) == {NAME: state, ALIAS: state}


def test_evidence_that_cannot_be_read_is_what_was_known_and_none_where_it_is_gone() -> None:
    memory = NameMemory({"media/nfs": RememberedNames(NAMES, Located(("192.0.2.1",), (NAME, "old.example")))})
    names = located("192.0.2.1")

    def registered(objects: LiveObjects, memory: NameMemory) -> tuple[str, ...]:
        [this] = with_evidence(names, KindDecision(), objects, memory).adapters.values()
        return this.located.registered

    assert registered({}, memory) == (NAME,)
    assert registered({}, NameMemory()) == ()
    assert registered({PLACE: None}, memory) == ()


def test_without_the_kind_nothing_is_asked_for_and_nothing_is_said_of_the_names() -> None:
    names = located("192.0.2.1")

    kinds = decide_kinds(host_mappings(names), {HOST_MAPPING: False}, ())
    served = decide_kinds(host_mappings(names), {HOST_MAPPING: True}, ())

    assert [note.text for note in kinds.notes] == [
        "HostMapping of router-hosts.fzymgc.house/v1alpha1 is unknown to the cluster: left out; install "
        "the operator of router-hosts, which brings the definition hostmappings.router-hosts.fzymgc.house, "
        "then run again"
    ]
    assert with_evidence(names, kinds, {}, NameMemory()).adapters == {}
    assert with_evidence(names, served, {}, NameMemory()).adapters == names.adapters


def test_names_that_services_ask_for_need_no_kind() -> None:
    media = server(adapters={"types": {"nfs": {"dns": {"hostname": NAME, "ip": "192.0.2.1"}}}})
    decided = decide_names(decide_stack([media], {}, {"media": [answer(serving("nfs", 1))]}), [media])

    names = locate(decided, {}, NameMemory())

    assert not names.has_mappings
    assert not [*host_mappings(names)]
    assert with_evidence(names, KindDecision(), {}, NameMemory()) == names


def test_a_deletion_that_router_hosts_holds_says_what_it_waits_for() -> None:
    assert finalizer_advice("example.com/a", "look") == "look"
    assert finalizer_advice("service.kubernetes.io/a, router-hosts.fzymgc.house/service-cleanup", "look") == (
        "router-hosts lets it go when its operator has reached its server: see that both run"
    )
