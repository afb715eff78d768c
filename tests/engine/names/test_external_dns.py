"""Records that the real ExternalDNS makes of what is declared, in both versions: none is ever lost."""

from collections.abc import Callable
from typing import Protocol

import pytest

from dittoinfra.decide.host_names import is_ip_address
from lab.bed.external_dns import DnsZone, ExternalDns
from lab.bed.tools import EXTERNAL_DNS_VERSIONS
from lab.simulator import SimulatedDittoFS
from tests.engine.namespace import Namespace
from tests.engine.world import World, server

BEFORE, TODAY = EXTERNAL_DNS_VERSIONS
NFS = "api/v1:services/media-adapter-nfs"
SMB = "api/v1:services/media-adapter-smb"
NAMED = {"backend": "external-dns", "hostname": "{type}.example.com"}
BALANCER = "balancer-1.cloud.example"
FIRST = {"A nfs.example.com": ["192.0.2.1"], "A smb.example.com": ["192.0.2.2"]}

Versions = Callable[[str], ExternalDns]


class Configure(Protocol):
    """Runs the stack with these names, and what else its Services are to be."""

    def __call__(self, dns: dict[str, object], **service: object) -> None: ...


def give(namespace: Namespace, service: str, *addresses: str) -> None:
    """What a cloud's controller writes; nothing, while it begins anew."""
    ingress = [{"ip" if is_ip_address(this) else "hostname": this} for this in addresses]
    namespace.merge(f"{service}/status", {"status": {"loadBalancer": {"ingress": ingress}}})


def give_both(namespace: Namespace, nfs: str, *smb: str) -> None:
    """Addresses for both adapters."""
    give(namespace, NFS, nfs)
    give(namespace, SMB, *smb)


@pytest.fixture
def configure(cluster_world: World, served: SimulatedDittoFS, namespace: Namespace) -> Configure:
    """Write these names of both adapters into the stack, and let it run."""

    def write(dns: dict[str, object], **service: object) -> None:
        adapters = {"service": {**service, "dns": NAMED | dns}}
        cluster_world.configure(server(served, namespace=namespace.name, adapters=adapters))
        cluster_world.up()

    return write


def test_records_are_made_renamed_and_kept_through_outages_and_the_upgrade(
    cluster_world: World,
    served: SimulatedDittoFS,
    namespace: Namespace,
    configure: Configure,
    external_dns: Versions,
    zone: DnsZone,
) -> None:
    old, new = external_dns(BEFORE), external_dns(TODAY)
    configure({})
    give_both(namespace, "192.0.2.1", "192.0.2.2")
    old.sync()
    assert zone.records == FIRST

    new.sync()
    assert (zone.records, zone.deleted) == (FIRST, []), "the upgrade takes nothing away"

    served.outage()
    cluster_world.up()
    new.sync()
    served.normal()
    served.set_adapter("nfs", port=13049)
    cluster_world.up()
    new.sync()
    old.sync()
    assert (zone.records, zone.deleted) == (FIRST, []), "nor do outages, moved ports and a way back"

    configure({"hostname": "{type}.example.org", "aliases": ["{type}.example.net"], "ttl": 60})
    new.sync()
    renamed = {
        "A nfs.example.net": ["192.0.2.1"],
        "A nfs.example.org": ["192.0.2.1"],
        "A smb.example.net": ["192.0.2.2"],
        "A smb.example.org": ["192.0.2.2"],
    }
    assert zone.records == renamed
    assert sorted(zone.deleted) == ["nfs.example.com", "smb.example.com"]
    old.sync()
    assert (zone.records, len(zone.deleted)) == (renamed, 2)

    served.set_adapter("smb", enabled=False)
    cluster_world.up()
    new.sync()
    assert list(zone.records) == ["A nfs.example.net", "A nfs.example.org"]


@pytest.mark.parametrize("version", EXTERNAL_DNS_VERSIONS)
def test_a_given_address_and_a_ttl_are_those_of_the_record_also_where_there_is_no_load_balancer(
    version: str,
    configure: Configure,
    external_dns: Versions,
    zone: DnsZone,
) -> None:
    configure({"ip": "192.0.2.9", "ttl": 60}, type="NodePort")

    external_dns(version).sync()

    assert zone.records == {"A nfs.example.com": ["192.0.2.9"], "A smb.example.com": ["192.0.2.9"]}
    assert zone.ttls == {"nfs.example.com": 60, "smb.example.com": 60}


def test_the_upgrade_while_load_balancers_have_no_address_loses_no_pinned_name(
    cluster_world: World,
    namespace: Namespace,
    configure: Configure,
    external_dns: Versions,
    zone: DnsZone,
) -> None:
    old, new = external_dns(BEFORE), external_dns(TODAY)
    configure({"pin": True})
    give_both(namespace, "192.0.2.1", BALANCER)
    cluster_world.up()
    old.sync()
    made = {"A nfs.example.com": ["192.0.2.1"], "CNAME smb.example.com": [BALANCER]}
    assert zone.records == made

    give(namespace, NFS)
    give(namespace, SMB)
    cluster_world.up()
    for version in (old, new, old, new):
        version.sync()
        assert (zone.records, zone.deleted) == (made, [])

    give_both(namespace, "192.0.2.1", BALANCER)
    cluster_world.up()
    new.sync()
    assert (zone.records, zone.deleted) == (made, []), "nor does the end of it"


@pytest.mark.long
@pytest.mark.parametrize("version", EXTERNAL_DNS_VERSIONS)
def test_an_adapter_that_is_counted_as_absent_or_does_not_run_keeps_its_record(
    version: str,
    cluster_world: World,
    served: SimulatedDittoFS,
    namespace: Namespace,
    configure: Configure,
    external_dns: Versions,
    zone: DnsZone,
) -> None:
    world, dns = cluster_world, external_dns(version)
    configure({})
    give_both(namespace, "192.0.2.1", "192.0.2.2")
    dns.sync()

    served.set_adapter("nfs", running=False)
    served.remove_adapter("smb")
    for count in ("1", "2"):
        world.up()
        annotations = namespace.services()["media-adapter-smb"]["metadata"]["annotations"]
        assert annotations["dittofs.io/absence-count"] == count
        dns.sync()
        assert (zone.records, zone.deleted) == (FIRST, [])

    world.up()
    dns.sync()
    assert list(zone.records) == ["A nfs.example.com"], "the third answer removes the adapter, and its name"
    assert zone.deleted == ["smb.example.com"]


@pytest.mark.long
@pytest.mark.parametrize("version", EXTERNAL_DNS_VERSIONS)
def test_a_load_balancer_with_a_name_alone_gets_a_cname_which_follows_a_new_host_name_and_an_address(
    version: str,
    namespace: Namespace,
    configure: Configure,
    external_dns: Versions,
    zone: DnsZone,
) -> None:
    dns = external_dns(version)
    configure({})
    give_both(namespace, BALANCER, "192.0.2.2")
    dns.sync()
    assert zone.records == {"A smb.example.com": ["192.0.2.2"], "CNAME nfs.example.com": [BALANCER]}

    configure({"hostname": "{type}.example.org"})
    dns.sync()
    assert zone.records == {"A smb.example.org": ["192.0.2.2"], "CNAME nfs.example.org": [BALANCER]}
    assert sorted(zone.deleted) == ["nfs.example.com", "smb.example.com"]

    give(namespace, NFS, "192.0.2.1")
    dns.sync()
    assert zone.records == {"A nfs.example.org": ["192.0.2.1"], "A smb.example.org": ["192.0.2.2"]}


@pytest.mark.long
@pytest.mark.parametrize("version", EXTERNAL_DNS_VERSIONS)
def test_a_pinned_name_survives_a_blank_status_and_follows_another_address(
    version: str,
    cluster_world: World,
    namespace: Namespace,
    configure: Configure,
    external_dns: Versions,
    zone: DnsZone,
) -> None:
    world, dns = cluster_world, external_dns(version)

    def names() -> list[str]:
        return [line for line in world.up().lines("info", "info#err") if "nfs.example.com" in line]

    configure({"pin": True})
    give_both(namespace, "192.0.2.1", "192.0.2.2", "2001:db8::2")
    assert world.up().changes.update == 2, "the addresses are new"
    world.assert_settled()
    dns.sync()
    both = FIRST | {"AAAA smb.example.com": ["2001:db8::2"]}
    assert zone.records == both

    give(namespace, NFS)
    give(namespace, SMB)
    dns.sync()
    blank = (
        "media: HostPinned: nfs.example.com (nfs): its load balancer has no address, run {} of 3; "
        "external-dns stays asked to lead it to 192.0.2.1"
    )
    for run in (1, 2):
        report = world.preview()
        assert not report.changes.any, "nothing new"
        assert names() == [blank.format(run)], "a preview counts nothing"
        dns.sync()
        assert (zone.records, zone.deleted) == (both, [])

    give(namespace, NFS, "192.0.2.9")
    world.up()
    world.assert_settled()
    dns.sync()
    assert (zone.records["A nfs.example.com"], zone.deleted) == (["192.0.2.9"], ["smb.example.com"] * 2)


def test_without_a_pin_a_blank_status_loses_the_record_and_an_own_prefix_is_read_alone(
    cluster_world: World,
    namespace: Namespace,
    configure: Configure,
    external_dns: Versions,
    zone: DnsZone,
) -> None:
    dns = external_dns(TODAY)
    configure({"annotationPrefix": "dns.example.com/"})
    give_both(namespace, "192.0.2.1", "192.0.2.2")
    dns.sync()
    assert zone.records == {}
    dns.sync("--annotation-prefix=dns.example.com/")
    assert zone.records == FIRST

    give(namespace, NFS)
    dns.sync("--annotation-prefix=dns.example.com/")
    assert zone.deleted == ["nfs.example.com"], "what dns.pin is for"
    cluster_world.assert_settled()
