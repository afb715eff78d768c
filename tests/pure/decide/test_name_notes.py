"""What people are told of names, and when nothing is told."""

from dataclasses import replace

import pytest

from dittoinfra.decide.names import (
    LiveServices,
    NamedAdapter,
    NameDecision,
    locate,
    name_notes,
    unlocated_namespaces,
)
from dittoinfra.model import Addresses, DnsBackend, HostNames, Located, NameMemory, RememberedNames

NFS = HostNames("media", "nfs", "files", "media-adapter-nfs", "router-hosts", "nfs.example.com")
BOTH = replace(NFS, aliases=("a.example",))


def deciding(*names: HostNames, addresses: Addresses = (), registered: Addresses = ()) -> NameDecision:
    located = Located(addresses, registered)
    return NameDecision({f"{n.server}/{n.type}": NamedAdapter(n, {}, located) for n in names})


def told(names: HostNames, addresses: Addresses = (), registered: Addresses = ()) -> NameMemory:
    known = RememberedNames(names, Located(addresses, registered))
    return NameMemory({f"{names.server}/{names.type}": known})


def said(names: NameDecision, memory: NameMemory) -> list[str]:
    notes = list(name_notes(names, memory))
    assert not any(note.warning or "\n" in note.text for note in notes)
    return [*map(str, notes)]


@pytest.mark.parametrize(("backend", "what"), [("router-hosts", "IP address"), ("external-dns", "address")])
def test_a_load_balancer_without_an_address_is_told_each_time(backend: DnsBackend, what: str) -> None:
    line = (
        f"media: PendingLoadBalancer: nfs.example.com (nfs): its load balancer has no {what} that is known; "
        "see `kubectl -n files describe service media-adapter-nfs`, or set dns.ip"
    )
    names = replace(NFS, backend=backend)

    assert said(deciding(names), NameMemory()) == [line]
    assert said(deciding(names, registered=(NFS.hostname,)), told(names)) == [line]


@pytest.mark.parametrize(
    ("before", "news"),
    [
        (NameMemory(), "nfs.example.com, a.example"),
        (told(BOTH), "nfs.example.com, a.example"),
        (told(BOTH, ("192.0.2.9",)), "nfs.example.com, a.example"),
        (told(NFS, ("192.0.2.1",)), "a.example"),
        (told(replace(BOTH, backend="external-dns"), ("192.0.2.1",)), "nfs.example.com, a.example"),
        (told(BOTH, ("192.0.2.1",), (NFS.hostname,)), "nfs.example.com"),
    ],
    ids=["new", "was pending", "moved", "one name more", "another backend", "evidence is gone"],
)
def test_a_name_is_requested_when_it_or_what_it_leads_to_is_new(before: NameMemory, news: str) -> None:
    assert said(deciding(BOTH, addresses=("192.0.2.1",)), before) == [
        f"media: HostRequested: {news} (nfs): router-hosts is asked to lead it to 192.0.2.1"
    ]


def test_a_name_is_registered_once_and_only_that_of_which_the_backend_says_so() -> None:
    now = deciding(BOTH, addresses=("192.0.2.1",), registered=(NFS.hostname,))

    assert said(now, told(BOTH, ("192.0.2.1",))) == [
        "media: HostRegistered: nfs.example.com (nfs): router-hosts has an entry for it, "
        "and is asked to lead it to 192.0.2.1"
    ]
    assert said(now, told(BOTH, ("192.0.2.1",), (NFS.hostname,))) == []


def test_a_name_that_leads_where_it_led_is_not_told_again() -> None:
    assert said(deciding(NFS, addresses=("192.0.2.1",)), told(NFS, ("192.0.2.1",))) == []


def test_a_name_that_is_no_longer_declared_is_deleted_and_nothing_is_promised() -> None:
    assert said(deciding(), told(BOTH)) == [
        "media: HostDeleted: nfs.example.com, a.example (nfs): no longer asked for; "
        "its removal is up to router-hosts"
    ]


def test_a_name_that_no_host_mapping_has_asked_for_is_not_deleted() -> None:
    mapped = replace(NFS, kind="HostMapping")

    assert said(deciding(), told(mapped)) == []
    assert said(deciding(), told(mapped, ("192.0.2.1",))) == [
        "media: HostDeleted: nfs.example.com (nfs): no longer asked for; its removal is up to router-hosts"
    ]


def test_a_name_that_moves_to_another_adapter_is_not_deleted() -> None:
    now = deciding(replace(NFS, type="smb"), addresses=("192.0.2.2",))

    assert said(now, told(BOTH, ("192.0.2.1",))) == [
        "media: HostRequested: nfs.example.com (smb): router-hosts is asked to lead it to 192.0.2.2",
        "media: HostDeleted: a.example (nfs): no longer asked for; its removal is up to router-hosts",
    ]


def test_only_namespaces_are_asked_that_know_more_than_the_settings() -> None:
    names = deciding(
        NFS,
        replace(NFS, type="smb", namespace="noted", ip="192.0.2.1"),
        replace(NFS, type="ftp", namespace="other", ip="192.0.2.1", backend="external-dns"),
    )

    assert unlocated_namespaces(names) == ("files", "noted")


AT_1 = Located(("192.0.2.1",), (NFS.hostname, "other.example"))
AT_2 = NameMemory(services={"media/nfs": Located(("192.0.2.2",), (NFS.hostname,))})


@pytest.mark.parametrize(
    ("ip", "live", "memory", "found"),
    [
        ("192.0.2.7", {"files": {NFS.service: AT_1}}, NameMemory(), Located(("192.0.2.7",), (NFS.hostname,))),
        (None, {"files": {NFS.service: AT_1}}, NameMemory(), Located(("192.0.2.1",), (NFS.hostname,))),
        (None, {"files": {}}, AT_2, Located()),
        (None, {}, AT_2, Located(("192.0.2.2",), (NFS.hostname,))),
        (None, {}, told(NFS, ("192.0.2.3",), (NFS.hostname,)), Located(("192.0.2.3",), (NFS.hostname,))),
        ("192.0.2.7", {}, NameMemory(), Located(("192.0.2.7",))),
        (None, {}, NameMemory(), Located()),
    ],
    ids=["given", "live", "live and none", "of the state", "told before", "given and unasked", "unknown"],
)
def test_what_is_known_is_what_the_settings_or_else_the_cluster_or_the_state_says(
    ip: str | None, live: LiveServices, memory: NameMemory, found: Located
) -> None:
    assert locate(deciding(replace(NFS, ip=ip)), live, memory).adapters["media/nfs"].located == found
