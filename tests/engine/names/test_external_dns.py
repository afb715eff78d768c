"""Records that the real ExternalDNS makes of what is declared, in both versions: none is ever lost."""

from collections.abc import Callable

import pytest

from lab.bed.external_dns import ExternalDns, FakeDnsProvider
from lab.bed.tools import EXTERNAL_DNS_VERSIONS
from lab.simulator import SimulatedDittoFS
from tests.engine.namespace import Namespace
from tests.engine.world import World, server

BEFORE, TODAY = EXTERNAL_DNS_VERSIONS
NFS = "api/v1:services/media-adapter-nfs"
SMB = "api/v1:services/media-adapter-smb"
NAMED = {"backend": "external-dns", "hostname": "{type}.example.com"}
FIRST = {"A nfs.example.com": ["192.0.2.1"], "A smb.example.com": ["192.0.2.2"]}

Versions = Callable[[str], ExternalDns]


def give(namespace: Namespace, service: str, *addresses: str) -> None:
    """What a cloud's controller writes; nothing, while it begins anew."""
    ingress = [{"ip": address} for address in addresses]
    namespace.merge(f"{service}/status", {"status": {"loadBalancer": {"ingress": ingress}}})


@pytest.fixture
def configure(
    cluster_world: World, served: SimulatedDittoFS, namespace: Namespace
) -> Callable[[dict[str, object]], None]:
    """Write these names of both adapters into the stack, and let it run."""

    def write(dns: dict[str, object]) -> None:
        media = server(served, namespace=namespace.name, adapters={"service": {"dns": NAMED | dns}})
        cluster_world.configure(media)
        cluster_world.up()

    return write


def test_records_are_made_renamed_and_kept_through_outages_and_the_upgrade(
    cluster_world: World,
    served: SimulatedDittoFS,
    namespace: Namespace,
    configure: Callable[[dict[str, object]], None],
    external_dns: Versions,
    zone: FakeDnsProvider,
) -> None:
    old, new = external_dns(BEFORE), external_dns(TODAY)
    configure({})
    give(namespace, NFS, "192.0.2.1")
    give(namespace, SMB, "192.0.2.2")
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


@pytest.mark.long
@pytest.mark.parametrize("version", EXTERNAL_DNS_VERSIONS)
def test_a_pinned_name_survives_a_blank_status_and_follows_another_address(
    version: str,
    cluster_world: World,
    namespace: Namespace,
    configure: Callable[[dict[str, object]], None],
    external_dns: Versions,
    zone: FakeDnsProvider,
) -> None:
    world, dns = cluster_world, external_dns(version)

    def names() -> list[str]:
        return [line for line in world.up().lines("info", "info#err") if "nfs.example.com" in line]

    configure({"pin": True})
    give(namespace, NFS, "192.0.2.1")
    give(namespace, SMB, "192.0.2.2", "2001:db8::2")
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
    configure: Callable[[dict[str, object]], None],
    external_dns: Versions,
    zone: FakeDnsProvider,
) -> None:
    dns = external_dns(TODAY)
    configure({"annotationPrefix": "dns.example.com/"})
    give(namespace, NFS, "192.0.2.1")
    give(namespace, SMB, "192.0.2.2")
    dns.sync()
    assert zone.records == {}
    dns.sync("--annotation-prefix=dns.example.com/")
    assert zone.records == FIRST

    give(namespace, NFS)
    dns.sync("--annotation-prefix=dns.example.com/")
    assert zone.deleted == ["nfs.example.com"], "what dns.pin is for"
    cluster_world.assert_settled()
