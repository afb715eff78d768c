"""Names on the Services that carry them, as they land in the manifests."""

from dittoinfra.changes import Changes
from lab.simulator import SimulatedDittoFS
from tests.engine.world import World, server

ROUTER_HOSTS = "router-hosts.fzymgc.house"
EXTERNAL_DNS = ("external-dns.kubernetes.io", "external-dns.alpha.kubernetes.io")
SKIP_AWAIT = {"pulumi.com/skipAwait": "true"}


def external_dns(**values: str) -> dict[str, str]:
    """What a Service says to every version of ExternalDNS."""
    return {f"{prefix}/{key}": value for prefix in EXTERNAL_DNS for key, value in values.items()}


def annotations(world: World, service: str) -> dict[str, str]:
    found: dict[str, str] = world.services()[service]["metadata"]["annotations"]
    return found


def test_router_hosts_reads_everything_that_dns_says_and_nothing_stays_when_it_goes(
    world: World, dittofs: SimulatedDittoFS
) -> None:
    named = {
        "hostname": "{type}.{server}.example.com",
        "aliases": ["{server}-{type}.{namespace}.example.com", "Bücher.{type}.example"],
        "ip": "192.0.2.7",
    }
    world.configure(server(dittofs, adapters={"service": {"dns": named}}))
    world.up()

    assert annotations(world, "media-adapter-nfs") == SKIP_AWAIT | {
        f"{ROUTER_HOSTS}/enabled": "true",
        f"{ROUTER_HOSTS}/hostname": "nfs.media.example.com",
        f"{ROUTER_HOSTS}/ip-address": "192.0.2.7",
        f"{ROUTER_HOSTS}/aliases": "media-nfs.files.example.com,xn--bcher-kva.nfs.example",
    }
    assert annotations(world, "media-adapter-smb")[f"{ROUTER_HOSTS}/hostname"] == "smb.media.example.com"
    world.assert_settled()

    world.configure(server(dittofs))
    assert world.run_changes() == Changes(update=2, same=2)
    assert annotations(world, "media-adapter-nfs") == SKIP_AWAIT
    assert annotations(world, "media-adapter-smb") == SKIP_AWAIT
    world.assert_settled()


def test_names_go_by_layers_and_null_switches_them_off(world: World, dittofs: SimulatedDittoFS) -> None:
    cold = {
        "selector": {"matchLabels": {"tier": "cold"}},
        "adapters": {"service": {"dns": {"backend": "external-dns", "ttl": 60}}},
    }
    world.configure(
        server(dittofs, adapters={"types": {"smb": {"type": "ClusterIP", "dns": None}}}),
        server(dittofs, "vault", labels={"tier": "cold"}, adapters={"types": {"smb": {"dns": {"ttl": 5}}}}),
        adapters={"service": {"dns": {"hostname": "{type}.{server}.example.com"}}},
        selectors=[cold],
    )
    world.up()

    assert annotations(world, "media-adapter-nfs") == SKIP_AWAIT | {
        f"{ROUTER_HOSTS}/enabled": "true",
        f"{ROUTER_HOSTS}/hostname": "nfs.media.example.com",
    }
    assert annotations(world, "media-adapter-smb") == SKIP_AWAIT
    assert annotations(world, "vault-adapter-nfs") == SKIP_AWAIT | external_dns(
        hostname="nfs.vault.example.com", ttl="60"
    )
    assert annotations(world, "vault-adapter-smb") == SKIP_AWAIT | external_dns(
        hostname="smb.vault.example.com", ttl="5"
    )
    world.assert_settled()


def test_external_dns_has_all_names_in_one_annotation_and_split_udp_claims_none_twice(
    world: World, dittofs: SimulatedDittoFS
) -> None:
    named = {
        "backend": "external-dns",
        "hostname": "{type}.example.com",
        "aliases": ["{type}.example.org", "{type}.example.net"],
        "ip": "2001:DB8::7",
    }
    service = {"dns": named, "preset": "operator", "splitUdp": True, "annotations": {"example.com/a": "b"}}
    world.configure(server(dittofs, adapters={"service": service}))
    world.up()

    own = SKIP_AWAIT | {"example.com/a": "b"}
    assert annotations(world, "media-adapter-nfs") == own | external_dns(
        hostname="nfs.example.com,nfs.example.org,nfs.example.net", target="2001:db8::7"
    )
    assert annotations(world, "media-adapter-nfs-udp") == own


def test_outputs_tell_the_names_and_an_absence_takes_none_away(
    world: World, dittofs: SimulatedDittoFS
) -> None:
    named = {"hostname": "{type}.example.com", "aliases": ["{type}.example.org"], "ip": "192.0.2.7"}
    world.configure(server(dittofs, adapters={"types": {"smb": {"dns": named}}}))

    adapters = world.up().outputs["servers"]["media"]["adapters"]

    assert "dns" not in adapters["nfs"]
    assert adapters["smb"]["dns"] == {
        "backend": "router-hosts",
        "hostname": "smb.example.com",
        "aliases": ["smb.example.org"],
        "addresses": ["192.0.2.7"],
        "reason": "HostRequested",
    }
    before = annotations(world, "media-adapter-smb")
    dittofs.outage()
    assert not world.up().changes.any
    assert annotations(world, "media-adapter-smb") == before
