"""What people are told of names: waiting, requested, registered, deleted; once each, with the addresses."""

import json
from dataclasses import asdict

from dittoinfra.decide.host_records import hosts_file
from dittoinfra.kubernetes import Cluster
from dittoinfra.program.host_lookup import hosts_of
from dittoinfra.reports.events.event_writer import EventWriter
from dittoinfra.stacks.result import RunReport
from dittoinfra.state import exported_resources
from lab.simulator import SimulatedDittoFS
from tests.engine.events.conftest import Heard
from tests.engine.namespace import Namespace
from tests.engine.world import World, server

NFS = "api/v1:services/media-adapter-nfs"
SMB = "api/v1:services/media-adapter-smb"
NAMED = {"hostname": "{type}.names.invalid"}
WORDS = ("PendingLoadBalancer", "HostRequested", "HostRegistered", "HostDeleted")
HOST_IDS = "router-hosts.fzymgc.house/host-ids"


def give(namespace: Namespace, service: str, *ingress: dict[str, str]) -> None:
    """What a cloud does."""
    namespace.merge(f"{service}/status", {"status": {"loadBalancer": {"ingress": list(ingress)}}})


def register(namespace: Namespace, service: str, *names: str) -> None:
    """What router-hosts does."""
    noted = json.dumps(dict.fromkeys(names, "01J8"))
    namespace.merge(service, {"metadata": {"annotations": {HOST_IDS: noted}}})


def hosts(world: World, cluster: Cluster | None) -> str:
    return hosts_file(hosts_of(exported_resources(world.stack.export()), cluster))


def named(report: RunReport) -> list[str]:
    return [line for line in report.lines("info", "info#err", "warning") if any(w in line for w in WORDS)]


def test_a_name_waits_is_requested_registered_changed_and_deleted(
    cluster_world: World, served: SimulatedDittoFS, namespace: Namespace, cluster: Cluster
) -> None:
    world = cluster_world

    def configure(**types: object) -> None:
        world.configure(server(served, namespace=namespace.name, adapters={"types": types}))

    def dns(report: RunReport) -> dict[str, object]:
        return dict(report.outputs["servers"]["media"]["adapters"]["nfs"]["dns"])

    configure(nfs={"dns": NAMED})
    pending = (
        "media: PendingLoadBalancer: nfs.names.invalid (nfs): its load balancer has no IP address that is "
        f"known; see `kubectl -n {namespace.name} describe service media-adapter-nfs`, or set dns.ip"
    )
    report = world.up()
    assert named(report) == [pending]
    assert (dns(report)["reason"], dns(report)["addresses"]) == ("PendingLoadBalancer", [])
    assert named(world.preview()) == [pending], "it is still so"

    # The engine's state learns nothing of it; the cluster is asked.
    give(namespace, NFS, {"ip": "192.0.2.10"}, {"ip": "2001:db8::10"})
    requested = (
        "media: HostRequested: nfs.names.invalid (nfs): router-hosts is asked to lead it to 192.0.2.10"
    )
    assert named(world.preview()) == [requested]
    report = world.up()
    assert named(report) == [requested]
    assert not report.changes.any
    assert (dns(report)["reason"], dns(report)["addresses"]) == ("HostRequested", ["192.0.2.10"])
    assert named(world.up()) == [], "told once"

    register(namespace, NFS, "nfs.names.invalid")
    registered = (
        "media: HostRegistered: nfs.names.invalid (nfs): router-hosts has an entry for it, "
        "and is asked to lead it to 192.0.2.10"
    )
    assert named(world.preview()) == [registered]
    report = world.up()
    assert named(report) == [registered]
    assert not report.changes.any
    report = world.up()
    assert named(report) == [], "told once"
    assert dns(report)["reason"] == "HostRegistered"
    place = f"{namespace.name}/media-adapter-nfs"
    assert hosts(world, cluster) == (
        f"192.0.2.10      nfs.names.invalid  # {place}\n"
        f"# nfs.names.invalid: HostRegistered: {place}: router-hosts has an entry for it; "
        "does not resolve here\n"
    )

    configure(nfs={"dns": {**NAMED, "hostname": "files.names.invalid"}})
    assert named(world.up()) == [
        "media: HostRequested: files.names.invalid (nfs): router-hosts is asked to lead it to 192.0.2.10",
        "media: HostDeleted: nfs.names.invalid (nfs): no longer asked for; its removal is up to router-hosts",
    ]
    assert HOST_IDS in namespace.get(NFS)["metadata"]["annotations"], "what router-hosts noted stays"
    assert named(world.preview()) == []

    served.set_adapter("nfs", enabled=False)
    assert named(world.up()) == [
        "media: HostDeleted: files.names.invalid (nfs): no longer asked for; "
        "its removal is up to router-hosts"
    ]
    assert named(world.preview()) == []
    assert hosts(world, cluster) == ""


def test_hosts_prints_what_is_known_of_each_name_from_live_services(
    cluster_world: World, served: SimulatedDittoFS, namespace: Namespace, cluster: Cluster
) -> None:
    world = cluster_world
    served.set_adapter("ftp", port=2121)
    served.set_adapter("web", port=8081)
    types = {
        "nfs": {"dns": {"backend": "external-dns"}},
        "smb": {"dns": {"backend": "external-dns", "aliases": ("files.names.invalid",)}},
        "ftp": {"type": "NodePort", "dns": {"ip": "192.0.2.99"}},
    }
    adapters = {"service": {"dns": {"hostname": "{type}.names.invalid"}}, "types": types}
    world.configure(server(served, namespace=namespace.name, adapters=adapters))
    world.up()
    give(namespace, NFS, {"hostname": "localhost"}, {"hostname": "lb.invalid"})
    give(namespace, SMB, {"hostname": "lb.invalid"})
    give(namespace, "api/v1:services/media-adapter-web", {"hostname": "localhost"})

    records = hosts_of(exported_resources(world.stack.export()), cluster)

    lines = hosts_file(records).splitlines()
    place = f"{namespace.name}/media-adapter"
    assert lines[0] == f"192.0.2.99      ftp.names.invalid  # {place}-ftp"
    assert f"127.0.0.1       nfs.names.invalid  # {place}-nfs" in lines
    unknown, here = "lb.invalid cannot be resolved: Name or service not known", "does not resolve here"
    assert [line for line in lines if line.startswith("#")] == [
        f"# ftp.names.invalid: HostRequested: {place}-ftp: requested from router-hosts; {here}",
        f"# nfs.names.invalid: HostRequested: {place}-nfs: requested from external-dns; {unknown}; {here}",
        f"# smb.names.invalid: Unresolved: {place}-smb: {unknown}; {here}",
        f"# files.names.invalid: Unresolved: {place}-smb: {unknown}; {here}",
        f"# web.names.invalid: PendingLoadBalancer: {place}-web: the load balancer has given localhost, "
        f"and router-hosts waits for an IP address; {here}",
    ]
    (smb,) = [asdict(record) for record in records if record.adapter == "smb"]
    assert smb == {
        "server": "media",
        "adapter": "smb",
        "namespace": namespace.name,
        "service": "media-adapter-smb",
        "backend": "external-dns",
        "kind": "Service",
        "hostname": "smb.names.invalid",
        "aliases": ("files.names.invalid",),
        "addresses": (),
        "reason": "Unresolved",
        "states": {"smb.names.invalid": "Unresolved", "files.names.invalid": "Unresolved"},
        "resolves": {"smb.names.invalid": (), "files.names.invalid": ()},
        "message": "lb.invalid cannot be resolved: Name or service not known",
    }
    assert f"# nfs.names.invalid: PendingLoadBalancer: {place}-nfs" in hosts(world, None), (
        "the state knows none"
    )

    namespace.delete("api/v1:services/media-adapter-web")
    assert f"# web.names.invalid: ServiceMissing: {place}-web: the Service is not in the cluster" in hosts(
        world, cluster
    )


def test_without_an_answer_from_the_cluster_what_is_known_is_what_the_state_knows(
    cluster_world: World, served: SimulatedDittoFS, namespace: Namespace
) -> None:
    world = cluster_world
    types = {"nfs": {"dns": NAMED}, "smb": {"dns": {**NAMED, "backend": "external-dns"}}}
    media = server(served, namespace=namespace.name, adapters={"types": types})
    world.configure(media)
    world.up()
    give(namespace, NFS, {"ip": "192.0.2.10"})
    register(namespace, NFS, "nfs.names.invalid")
    give(namespace, SMB, {"hostname": "lb-1.cloud.example"})
    assert world.stack.refresh().ok

    world.provider_settings = {"kubeconfig": str(world.root / "not-there")}
    world.configure(media)
    report = world.up()

    assert named(report) == [
        "media: HostRegistered: nfs.names.invalid (nfs): router-hosts has an entry for it, "
        "and is asked to lead it to 192.0.2.10",
        "media: HostRequested: smb.names.invalid (smb): "
        "external-dns is asked to lead it to lb-1.cloud.example",
    ]
    assert named(world.up()) == []


def test_events_say_what_an_updated_service_is_known_to_have(
    cluster_world: World, served: SimulatedDittoFS, namespace: Namespace
) -> None:
    world, heard = cluster_world, Heard()
    world.stack.on_event = EventWriter(heard).listen("world")
    served.set_adapter("smb", enabled=False)

    def update(note: str) -> list[tuple[str, str]]:
        service = {
            "dns": {**NAMED, "aliases": ["a.names.invalid"]},
            "annotations": {"example.com/note": note},
        }
        world.configure(server(served, namespace=namespace.name, adapters={"service": service}))
        world.up()
        return [(event.reason, event.message) for event in heard.taken() if event.reason in WORDS]

    waits = "waits for the load balancer's address"
    assert update("1") == [
        ("PendingLoadBalancer", f"a.names.invalid {waits}"),
        ("PendingLoadBalancer", f"nfs.names.invalid {waits}"),
    ]
    give(namespace, NFS, {"ip": "192.0.2.10"}, {"ip": "192.0.2.9"})
    assert update("2") == [
        ("HostRequested", "a.names.invalid → 192.0.2.10, requested from router-hosts"),
        ("HostRequested", "nfs.names.invalid → 192.0.2.10, requested from router-hosts"),
    ]
    register(namespace, NFS, "nfs.names.invalid")
    assert update("3") == [
        ("HostRegistered", "nfs.names.invalid → 192.0.2.10, router-hosts has an entry for it")
    ]
    assert update("4") == []
