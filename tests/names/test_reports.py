"""What people are told of names: waiting, registered, deleted; once each, and with the addresses."""

from collections.abc import Iterator

import pytest

from dittoinfra.automation import RunReport
from dittoinfra.cluster import Cluster, connect
from dittoinfra.decide.hosts import hosts_data, hosts_file
from dittoinfra.program.hosts import hosts_of, state_resources
from dittoinfra.simulator import SimulatedDittoFS
from tests.bed.kubernetes import KubernetesApi
from tests.deploy.namespace import Namespace
from tests.e2e.world import World, server

NFS = "api/v1:services/media-adapter-nfs"
SMB = "api/v1:services/media-adapter-smb"
NAMED = {"hostname": "{type}.example.com", "gracePeriod": 300}


@pytest.fixture
def served(cluster_world: World) -> Iterator[SimulatedDittoFS]:
    """The server of the stack in the cluster."""
    with SimulatedDittoFS(admin_password=cluster_world.password) as simulated:
        simulated.set_adapter("nfs", port=12049)
        simulated.set_adapter("smb", port=12445)
        yield simulated


@pytest.fixture
def cluster(kubernetes_api: KubernetesApi) -> Iterator[Cluster]:
    """The cluster, as the command would reach it."""
    with connect(str(kubernetes_api.kubeconfig), None) as connected:
        yield connected


def give(namespace: Namespace, service: str, *ingress: dict[str, str]) -> None:
    """What a cloud does."""
    namespace.merge(f"{service}/status", {"status": {"loadBalancer": {"ingress": list(ingress)}}})


def hosts(world: World, cluster: Cluster | None) -> str:
    return hosts_file(hosts_of(state_resources(world.stack.export()), cluster))


def named(report: RunReport) -> list[str]:
    words = ("PendingLoadBalancer", "HostRegistered", "HostDeleted")
    return [line for line in report.lines("info", "info#err", "warning") if any(w in line for w in words)]


def test_a_name_waits_is_registered_moves_and_is_deleted(
    cluster_world: World, served: SimulatedDittoFS, namespace: Namespace, cluster: Cluster
) -> None:
    world = cluster_world

    def configure(**types: object) -> None:
        world.configure(server(served, namespace=namespace.name, adapters={"types": types}))

    def dns(report: RunReport) -> dict[str, object]:
        return dict(report.outputs["servers"]["media"]["adapters"]["nfs"]["dns"])

    configure(nfs={"dns": NAMED})
    pending = (
        "media: PendingLoadBalancer: nfs.example.com (nfs): its load balancer has no address that is known; "
        f"see `kubectl -n {namespace.name} describe service media-adapter-nfs`, or set dns.ip"
    )
    report = world.up()
    assert named(report) == [pending]
    assert (dns(report)["reason"], dns(report)["addresses"]) == ("PendingLoadBalancer", [])
    assert named(world.preview()) == [pending], "it is still so"

    # The engine's state learns nothing of it; the cluster is asked.
    give(namespace, NFS, {"ip": "192.0.2.10"}, {"ip": "2001:db8::10"})
    registered = "media: HostRegistered: nfs.example.com (nfs): 192.0.2.10, 2001:db8::10, by router-hosts"
    assert named(world.preview()) == [registered]
    report = world.up()
    assert named(report) == [registered]
    assert not report.changes.any
    assert dns(report)["reason"] == "HostRegistered"
    assert dns(report)["addresses"] == ["192.0.2.10", "2001:db8::10"]
    report = world.up()
    assert named(report) == [], "told once"
    assert dns(report)["reason"] == "HostRegistered"
    place = f"{namespace.name}/media-adapter-nfs"
    assert hosts(world, cluster) == (
        f"192.0.2.10      nfs.example.com  # {place}\n2001:db8::10    nfs.example.com  # {place}\n"
    )

    configure(nfs={"dns": {**NAMED, "hostname": "files.example.com"}})
    assert named(world.up()) == [
        "media: HostRegistered: files.example.com (nfs): 192.0.2.10, 2001:db8::10, by router-hosts",
        "media: HostDeleted: nfs.example.com (nfs): no longer declared; "
        "router-hosts removes it after a grace period of 300 s",
    ]
    assert named(world.preview()) == []

    served.set_adapter("nfs", enabled=False)
    assert named(world.up()) == [
        "media: HostDeleted: files.example.com (nfs): no longer declared; "
        "router-hosts removes it after a grace period of 300 s"
    ]
    assert named(world.preview()) == []
    assert hosts(world, cluster) == ""


def test_hosts_prints_what_each_name_leads_to_from_live_services(
    cluster_world: World, served: SimulatedDittoFS, namespace: Namespace, cluster: Cluster
) -> None:
    world = cluster_world
    served.set_adapter("ftp", port=2121)
    served.set_adapter("web", port=8081)
    types = {
        "smb": {"dns": {"aliases": ["files.example.com"]}},
        "ftp": {"type": "NodePort", "dns": {"ip": "192.0.2.99"}},
    }
    adapters = {"service": {"dns": {"hostname": "{type}.example.com"}}, "types": types}
    world.configure(server(served, namespace=namespace.name, adapters=adapters))
    world.up()
    give(namespace, NFS, {"hostname": "localhost"}, {"hostname": "lb.invalid"})
    give(namespace, SMB, {"hostname": "lb.invalid"})

    records = hosts_of(state_resources(world.stack.export()), cluster)

    lines = hosts_file(records).splitlines()
    place = f"{namespace.name}/media-adapter"
    assert lines[0] == f"192.0.2.99      ftp.example.com  # {place}-ftp"
    assert f"127.0.0.1       nfs.example.com  # {place}-nfs" in lines
    assert [line for line in lines if line.startswith("#")] == [
        f"# nfs.example.com: HostRegistered: {place}-nfs: "
        "lb.invalid cannot be resolved: Name or service not known",
        f"# smb.example.com files.example.com: Unresolved: {place}-smb: "
        "lb.invalid cannot be resolved: Name or service not known",
        f"# web.example.com: PendingLoadBalancer: {place}-web: the load balancer has given no address yet",
    ]
    (smb,) = [record for record in hosts_data(records) if record["adapter"] == "smb"]
    assert smb == {
        "server": "media",
        "adapter": "smb",
        "namespace": namespace.name,
        "service": "media-adapter-smb",
        "backend": "router-hosts",
        "hostname": "smb.example.com",
        "aliases": ["files.example.com"],
        "addresses": [],
        "reason": "Unresolved",
        "message": "lb.invalid cannot be resolved: Name or service not known",
    }
    assert f"# nfs.example.com: PendingLoadBalancer: {place}-nfs" in hosts(world, None), (
        "the state knows none"
    )

    namespace.delete("api/v1:services/media-adapter-web")
    assert f"# web.example.com: ServiceMissing: {place}-web: the Service is not in the cluster" in hosts(
        world, cluster
    )


def test_without_an_answer_from_the_cluster_addresses_are_those_of_the_state(
    cluster_world: World, served: SimulatedDittoFS, namespace: Namespace
) -> None:
    world = cluster_world
    world.configure(server(served, namespace=namespace.name, adapters={"types": {"nfs": {"dns": NAMED}}}))
    world.up()
    give(namespace, NFS, {"hostname": "lb-1.cloud.example"})
    assert world.stack.refresh().ok

    world.provider_settings = {"kubeconfig": str(world.root / "not-there")}
    world.configure(server(served, namespace=namespace.name, adapters={"types": {"nfs": {"dns": NAMED}}}))
    report = world.up()

    assert named(report) == [
        "media: HostRegistered: nfs.example.com (nfs): lb-1.cloud.example, by router-hosts"
    ]
    assert named(world.up()) == []
