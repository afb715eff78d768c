"""What is known of names, as a hosts file and as data."""

from dataclasses import asdict, replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from dittoinfra.decide.host_records import (
    NamedService,
    Resolved,
    Unresolved,
    host_records,
    hosts_file,
    names_to_resolve,
)
from dittoinfra.model import Addresses, HostNames, Located
from tests.pure.naming.strategies import unhurried

NFS = HostNames("media", "nfs", "files", "media-adapter-nfs", "router-hosts", "nfs.example.com")
SMB = replace(
    NFS, type="smb", service="media-adapter-smb", hostname="smb.example.com", aliases=("a.example",)
)


CLOUD = replace(NFS, backend="external-dns")
NOWHERE = dict.fromkeys((NFS.hostname, *SMB.all), Unresolved("no such name"))
PLACE = "files/media-adapter-nfs"


def printed(
    addresses: Addresses | None,
    resolved: Resolved | None = None,
    names: HostNames = NFS,
    registered: tuple[str, ...] = (),
) -> list[str]:
    located = None if addresses is None else Located(addresses, registered)
    service = NamedService(names, located)
    found = {**NOWHERE, **(resolved or {})}
    assert {*names_to_resolve([service])} <= {*found}
    return hosts_file(host_records([service], found)).splitlines()


def test_every_address_of_external_dns_has_its_line_ipv4_first_and_every_name_is_on_it() -> None:
    names = replace(SMB, backend="external-dns")
    place = "files/media-adapter-smb"

    assert printed(("2001:db8::2", "192.0.2.20", "192.0.2.3"), {"a.example": ("192.0.2.3",)}, names) == [
        f"192.0.2.3       smb.example.com a.example  # {place}",
        f"192.0.2.20      smb.example.com a.example  # {place}",
        f"2001:db8::2     smb.example.com a.example  # {place}",
        f"# smb.example.com: HostRequested: {place}: requested from external-dns; does not resolve here",
        f"# a.example: HostRequested: {place}: requested from external-dns; resolves to 192.0.2.3 here",
    ]


def test_router_hosts_uses_the_first_address_and_only_the_name_that_it_noted_is_registered() -> None:
    place = "files/media-adapter-smb"

    assert printed(("192.0.2.20", "192.0.2.3"), names=SMB, registered=(SMB.hostname,)) == [
        f"192.0.2.20      smb.example.com a.example  # {place}",
        f"# smb.example.com: HostRegistered: {place}: router-hosts has an entry for it; "
        "does not resolve here",
        f"# a.example: HostRequested: {place}: requested from router-hosts; does not resolve here",
    ]


def test_a_load_balancer_known_by_name_leads_where_its_name_leads() -> None:
    found = {"lb-1.cloud.example": ("2001:db8::1", "192.0.2.1", "192.0.2.9")}

    lines = printed(("lb-1.cloud.example", "192.0.2.1"), found, CLOUD)

    assert [line.split()[0] for line in lines[:-1]] == ["192.0.2.1", "192.0.2.9", "2001:db8::1"]


def test_what_leads_nowhere_is_a_comment_with_its_reason() -> None:
    here = "does not resolve here"
    assert printed(()) == [
        f"# nfs.example.com: PendingLoadBalancer: {PLACE}: the load balancer has given no address yet; {here}"
    ]
    assert printed(("lb.example",)) == [
        f"# nfs.example.com: PendingLoadBalancer: {PLACE}: the load balancer has given lb.example, "
        f"and router-hosts waits for an IP address; {here}"
    ]
    assert printed(None) == [
        f"# nfs.example.com: ServiceMissing: {PLACE}: the Service is not in the cluster; "
        f"run `pulumi up --refresh`; {here}"
    ]
    nowhere = {"a.example": Unresolved("no such name"), "b.example": Unresolved("no answer")}
    assert printed(("a.example", "b.example"), nowhere, CLOUD) == [
        f"# nfs.example.com: Unresolved: {PLACE}: a.example cannot be resolved: no such name; "
        f"b.example cannot be resolved: no answer; {here}"
    ]
    assert printed(("192.0.2.1", "b.example"), nowhere, CLOUD)[1:] == [
        f"# nfs.example.com: HostRequested: {PLACE}: requested from external-dns; "
        f"b.example cannot be resolved: no answer; {here}"
    ]


def test_a_given_address_stands_for_whatever_the_service_has_unless_it_is_gone() -> None:
    given_ip = replace(NFS, ip="192.0.2.7")

    assert printed(("lb.example",), names=given_ip)[0] == f"192.0.2.7       nfs.example.com  # {PLACE}"
    assert "ServiceMissing" in printed(None, names=given_ip)[0]


def test_the_same_as_data_in_the_order_of_names() -> None:
    services = [
        NamedService(SMB, Located(("192.0.2.2",), (SMB.hostname,))),
        NamedService(NFS, Located()),
    ]

    data = [asdict(record) for record in host_records(services, {**NOWHERE, "a.example": ("192.0.2.2",)})]

    assert data == [
        {
            "server": "media",
            "adapter": "nfs",
            "namespace": "files",
            "service": "media-adapter-nfs",
            "backend": "router-hosts",
            "kind": "Service",
            "hostname": "nfs.example.com",
            "aliases": (),
            "addresses": (),
            "reason": "PendingLoadBalancer",
            "states": {"nfs.example.com": "PendingLoadBalancer"},
            "resolves": {"nfs.example.com": ()},
            "message": "the load balancer has given no address yet",
        },
        {
            "server": "media",
            "adapter": "smb",
            "namespace": "files",
            "service": "media-adapter-smb",
            "backend": "router-hosts",
            "kind": "Service",
            "hostname": "smb.example.com",
            "aliases": ("a.example",),
            "addresses": ("192.0.2.2",),
            "reason": "HostRegistered",
            "states": {"smb.example.com": "HostRegistered", "a.example": "HostRequested"},
            "resolves": {"smb.example.com": (), "a.example": ("192.0.2.2",)},
            "message": "",
        },
    ]


@unhurried
@given(st.lists(st.ip_addresses().map(str), max_size=5))
def test_no_address_is_lost_or_told_twice(addresses: list[str]) -> None:
    lines = [line for line in printed(tuple(addresses), names=CLOUD) if not line.startswith("#")]

    assert sorted(line.split()[0] for line in lines) == sorted(set(addresses))


PINNED = replace(CLOUD, pin=True)


@pytest.mark.parametrize(
    ("live", "asked", "lines"),
    [
        (
            ("192.0.2.1",),
            ("192.0.2.1",),
            [f"192.0.2.1       {NFS.hostname}  # {PLACE}", "HostRequested: {}: requested from external-dns"],
        ),
        (
            (),
            ("192.0.2.1",),
            [
                f"192.0.2.1       {NFS.hostname}  # {PLACE}",
                "HostPinned: {}: requested from external-dns; "
                "the load balancer has no address now, and its last one is kept",
            ],
        ),
        (
            ("192.0.2.2",),
            ("192.0.2.1", "192.0.2.2"),
            [
                f"192.0.2.1       {NFS.hostname}  # {PLACE}",
                f"192.0.2.2       {NFS.hostname}  # {PLACE}",
                "HostPinned: {}: requested from external-dns; "
                "the load balancer has 192.0.2.2 only, and 192.0.2.1 is kept",
            ],
        ),
        (
            ("192.0.2.9",),
            ("192.0.2.1",),
            [
                f"192.0.2.1       {NFS.hostname}  # {PLACE}",
                "HostRequested: {}: requested from external-dns; "
                "the load balancer has 192.0.2.9 now, which the next run asks for",
            ],
        ),
        (
            ("192.0.2.9",),
            (),
            ["PendingLoadBalancer: {}: the load balancer has given 192.0.2.9, which the next run asks for"],
        ),
        ((), (), ["PendingLoadBalancer: {}: the load balancer has given no address yet"]),
    ],
    ids=["as asked", "blank", "half blank", "moved", "not asked yet", "none"],
)
def test_of_a_pinned_name_is_said_what_was_asked_and_what_the_load_balancer_says(
    live: Addresses, asked: Addresses, lines: list[str]
) -> None:
    service = NamedService(PINNED, Located(live), asked)

    *records, comment = hosts_file(host_records([service], NOWHERE)).splitlines()

    expected = f"# {NFS.hostname}: {lines[-1].format(PLACE)}; does not resolve here"
    assert [*records, comment] == [*lines[:-1], expected]


def test_of_a_host_mapping_is_said_what_router_hosts_says() -> None:
    names = replace(NFS, kind="HostMapping")
    here = "does not resolve here"

    def said(service: NamedService) -> str:
        return hosts_file(host_records([service], NOWHERE)).splitlines()[-1]

    at = Located(("192.0.2.1",))
    assert said(NamedService(names, at, at.addresses)) == (
        f"# {NFS.hostname}: HostRequested: {PLACE}: requested from router-hosts by a HostMapping; {here}"
    )
    assert said(NamedService(names, replace(at, registered=(NFS.hostname,)), at.addresses)) == (
        f"# {NFS.hostname}: HostRegistered: {PLACE}: router-hosts has an entry for it; {here}"
    )
    assert said(NamedService(names, at, at.addresses, "router-hosts says CreateFailed: no")) == (
        f"# {NFS.hostname}: HostRequested: {PLACE}: requested from router-hosts by a HostMapping; "
        f"router-hosts says CreateFailed: no; {here}"
    )
    assert said(NamedService(names, None, at.addresses, "the HostMapping is not in the cluster")) == (
        f"# {NFS.hostname}: ServiceMissing: {PLACE}: the HostMapping is not in the cluster; {here}"
    )


def test_an_entry_from_before_is_told_while_the_load_balancer_waits() -> None:
    assert printed((), registered=(NFS.hostname,)) == [
        f"# nfs.example.com: PendingLoadBalancer: {PLACE}: the load balancer has given no address yet; "
        "router-hosts has an entry for nfs.example.com from before; does not resolve here"
    ]
