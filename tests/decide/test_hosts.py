"""What names lead to, as a hosts file and as data."""

import json
from dataclasses import replace

from hypothesis import given
from hypothesis import strategies as st

from dittoinfra.decide.hosts import (
    NamedService,
    Resolved,
    Unresolved,
    balancer_names,
    host_records,
    hosts_data,
    hosts_file,
)
from dittoinfra.model import Addresses, HostNames
from tests.naming.drawn import unhurried

NFS = HostNames("media", "nfs", "files", "media-adapter-nfs", "router-hosts", "nfs.example.com")
SMB = replace(
    NFS, type="smb", service="media-adapter-smb", hostname="smb.example.com", aliases=("a.example",)
)


def printed(
    addresses: Addresses | None, resolved: Resolved | None = None, names: HostNames = NFS
) -> list[str]:
    return hosts_file(host_records([NamedService(names, addresses)], resolved or {})).splitlines()


def test_every_address_has_its_line_ipv4_first_and_every_name_is_on_it() -> None:
    assert printed(("2001:db8::2", "192.0.2.20", "192.0.2.3"), names=SMB) == [
        "192.0.2.3       smb.example.com a.example  # files/media-adapter-smb",
        "192.0.2.20      smb.example.com a.example  # files/media-adapter-smb",
        "2001:db8::2     smb.example.com a.example  # files/media-adapter-smb",
    ]


def test_a_load_balancer_known_by_name_leads_where_its_name_leads() -> None:
    service = NamedService(NFS, ("lb-1.cloud.example", "192.0.2.1"))
    assert balancer_names([service]) == ("lb-1.cloud.example",)

    lines = printed(service.addresses, {"lb-1.cloud.example": ("2001:db8::1", "192.0.2.1", "192.0.2.9")})

    assert [line.split()[0] for line in lines] == ["192.0.2.1", "192.0.2.9", "2001:db8::1"]


def test_what_leads_nowhere_is_a_comment_with_its_reason() -> None:
    place = "files/media-adapter-nfs"
    assert printed(()) == [
        f"# nfs.example.com: PendingLoadBalancer: {place}: the load balancer has given no address yet"
    ]
    assert printed(None) == [
        f"# nfs.example.com: ServiceMissing: {place}: the Service is not in the cluster; "
        "run `pulumi up --refresh`"
    ]
    assert printed(("lb.example",), {"lb.example": Unresolved("no such name")}) == [
        f"# nfs.example.com: Unresolved: {place}: lb.example cannot be resolved: no such name"
    ]
    nowhere = {"a.example": Unresolved("no such name"), "b.example": Unresolved("no answer")}
    assert printed(("a.example", "b.example"), nowhere) == [
        f"# nfs.example.com: Unresolved: {place}: a.example cannot be resolved: no such name; "
        "b.example cannot be resolved: no answer"
    ]


def test_a_given_address_stands_for_whatever_the_service_has_unless_it_is_gone() -> None:
    given_ip = replace(NFS, ip="192.0.2.7")

    assert balancer_names([NamedService(given_ip, ("lb.example",)), NamedService(NFS, None)]) == ()
    assert printed((), names=given_ip) == ["192.0.2.7       nfs.example.com  # files/media-adapter-nfs"]
    assert "ServiceMissing" in printed(None, names=given_ip)[0]


def test_the_same_as_data_in_the_order_of_names() -> None:
    services = [NamedService(SMB, ("192.0.2.2",)), NamedService(NFS, ())]

    data = hosts_data(host_records(services, {}))

    assert json.loads(json.dumps(data)) == data, "JSON has it just so"
    assert data == [
        {
            "server": "media",
            "adapter": "nfs",
            "namespace": "files",
            "service": "media-adapter-nfs",
            "backend": "router-hosts",
            "hostname": "nfs.example.com",
            "aliases": [],
            "addresses": [],
            "reason": "PendingLoadBalancer",
            "message": "the load balancer has given no address yet",
        },
        {
            "server": "media",
            "adapter": "smb",
            "namespace": "files",
            "service": "media-adapter-smb",
            "backend": "router-hosts",
            "hostname": "smb.example.com",
            "aliases": ["a.example"],
            "addresses": ["192.0.2.2"],
            "reason": "HostRegistered",
            "message": "",
        },
    ]


@unhurried
@given(st.lists(st.ip_addresses().map(str), max_size=5))
def test_no_address_is_lost_or_told_twice(addresses: list[str]) -> None:
    lines = [line for line in printed(tuple(addresses)) if not line.startswith("#")]

    assert sorted(line.split()[0] for line in lines) == sorted(set(addresses))
