"""What people are told of names, and when nothing is told."""

from dataclasses import replace

import pytest

from dittoinfra.decide import NamedAdapter, NameDecision, locate, name_notes, unlocated_namespaces
from dittoinfra.decide.name_notes import LiveAddresses
from dittoinfra.model import Addresses, HostNames, NameMemory, ToldNames

NFS = HostNames("media", "nfs", "files", "media-adapter-nfs", "router-hosts", "nfs.example.com")
BOTH = replace(NFS, aliases=("a.example",))


def deciding(*names: HostNames, addresses: Addresses = ()) -> NameDecision:
    return NameDecision({f"{n.server}/{n.type}": NamedAdapter(n, {}, addresses) for n in names})


def remembering(*told: ToldNames) -> NameMemory:
    return NameMemory({f"{t.names.server}/{t.names.type}": t for t in told})


def said(names: NameDecision, memory: NameMemory) -> list[str]:
    notes = list(name_notes(names, memory))
    assert not any(note.warning or "\n" in note.text for note in notes)
    return [f"{note.server}: {note.text}" for note in notes]


def test_a_load_balancer_without_an_address_is_told_each_time() -> None:
    line = (
        "media: PendingLoadBalancer: nfs.example.com (nfs): its load balancer has no address that is known; "
        "see `kubectl -n files describe service media-adapter-nfs`, or set dns.ip"
    )

    assert said(deciding(NFS), NameMemory()) == [line]
    assert said(deciding(NFS), remembering(ToldNames(NFS))) == [line]


@pytest.mark.parametrize(
    "before",
    [
        NameMemory(),
        remembering(ToldNames(BOTH)),
        remembering(ToldNames(BOTH, ("192.0.2.1", "192.0.2.9"))),
        remembering(ToldNames(NFS, ("192.0.2.1", "192.0.2.2"))),
        remembering(ToldNames(replace(BOTH, backend="external-dns"), ("192.0.2.1", "192.0.2.2"))),
    ],
    ids=["new", "was pending", "moved", "one name more", "another backend"],
)
def test_a_name_is_registered_when_it_or_what_it_leads_to_is_new(before: NameMemory) -> None:
    now = deciding(BOTH, addresses=("192.0.2.1", "192.0.2.2"))

    assert said(now, before) == [
        "media: HostRegistered: nfs.example.com, a.example (nfs): 192.0.2.1, 192.0.2.2, by router-hosts"
    ]


def test_a_name_that_leads_where_it_led_is_not_told_again() -> None:
    before = remembering(ToldNames(NFS, ("192.0.2.1",)))

    assert said(deciding(NFS, addresses=("192.0.2.1",)), before) == []


@pytest.mark.parametrize(
    ("grace", "then"),
    [
        (None, "router-hosts removes it"),
        (0, "router-hosts removes it"),
        (300, "router-hosts removes it after a grace period of 300 s"),
    ],
)
def test_a_name_that_nobody_declares_any_more_is_deleted(grace: int | None, then: str) -> None:
    before = remembering(ToldNames(replace(NFS, aliases=("a.example",), grace_period=grace)))

    assert said(deciding(), before) == [
        f"media: HostDeleted: nfs.example.com, a.example (nfs): no longer declared; {then}"
    ]


def test_a_name_that_moves_to_another_adapter_is_not_deleted() -> None:
    before = remembering(ToldNames(replace(NFS, aliases=("a.example",)), ("192.0.2.1",)))
    now = deciding(replace(NFS, type="smb"), addresses=("192.0.2.2",))

    assert said(now, before) == [
        "media: HostRegistered: nfs.example.com (smb): 192.0.2.2, by router-hosts",
        "media: HostDeleted: a.example (nfs): no longer declared; router-hosts removes it",
    ]


def test_only_namespaces_with_names_of_unknown_addresses_are_asked() -> None:
    names = deciding(
        NFS, replace(NFS, type="smb"), replace(NFS, type="ftp", namespace="other", ip="192.0.2.1")
    )

    assert unlocated_namespaces(names) == ("files",)


@pytest.mark.parametrize(
    ("ip", "live", "memory", "found"),
    [
        ("192.0.2.7", {"files": {NFS.service: ("192.0.2.1",)}}, NameMemory(), ("192.0.2.7",)),
        (None, {"files": {NFS.service: ("192.0.2.1",)}}, NameMemory(), ("192.0.2.1",)),
        (None, {"files": {}}, NameMemory(addresses={"media/nfs": ("192.0.2.2",)}), ()),
        (None, {}, NameMemory(addresses={"media/nfs": ("192.0.2.2",)}), ("192.0.2.2",)),
        (None, {}, remembering(ToldNames(NFS, ("192.0.2.3",))), ("192.0.2.3",)),
        (None, {}, NameMemory(), ()),
    ],
    ids=["given", "live", "live and none", "of the state", "told before", "unknown"],
)
def test_an_adapter_is_found_where_it_is_said_to_be_or_else_where_the_cluster_or_the_state_says(
    ip: str | None, live: LiveAddresses, memory: NameMemory, found: Addresses
) -> None:
    located = locate(deciding(replace(NFS, ip=ip)), live, memory)

    assert located.adapters["media/nfs"].addresses == found
