"""Names that a HostMapping asks for, in a real Kubernetes API; what router-hosts writes, the test writes."""

import pytest

from dittoinfra.decide.custom_kinds import HOST_MAPPING
from dittoinfra.decide.host_records import hosts_file
from dittoinfra.kubernetes import connect
from dittoinfra.program.host_lookup import hosts_of
from dittoinfra.stacks.result import RunReport
from dittoinfra.state import exported_resources
from lab.bed.kubernetes import KubernetesApi
from lab.simulator import SimulatedDittoFS
from tests.engine.deploy.definitions import known
from tests.engine.namespace import Namespace
from tests.engine.world import World, server

NFS = "api/v1:services/media-adapter-nfs"
MAPPINGS = "apis/router-hosts.fzymgc.house/v1alpha1:hostmappings"
MAPPING = f"{MAPPINGS}/media-adapter-nfs"
DNS = {
    "kind": "HostMapping",
    "hostname": "{type}.names.invalid",
    "aliases": ["a.names.invalid"],
    "tags": ["files"],
}
NAMES = "nfs.names.invalid, a.names.invalid (nfs)"
FINALIZER = "router-hosts.fzymgc.house/host-cleanup"


def give(namespace: Namespace, *addresses: str) -> None:
    """What a cloud's controller writes."""
    ingress = [{"ip": address} for address in addresses]
    namespace.merge(f"{NFS}/status", {"status": {"loadBalancer": {"ingress": ingress}}})


def sync(namespace: Namespace, status: str, reason: str, message: str) -> None:
    """What router-hosts writes."""
    generation = namespace.get(MAPPING)["metadata"]["generation"]
    condition = {
        "type": "Synced",
        "status": status,
        "reason": reason,
        "message": message,
        "observedGeneration": generation,
    }
    namespace.merge(f"{MAPPING}/status", {"status": {"conditions": [condition]}})


def said(report: RunReport) -> list[str]:
    lines = report.lines("info", "info#err", "warning")
    return [
        line.removeprefix("media: ") for line in lines if "names.invalid" in line or "HostMapping" in line
    ]


@pytest.mark.long
def test_a_host_mapping_is_declared_kept_believed_and_waited_for(
    cluster_world: World, served: SimulatedDittoFS, namespace: Namespace, kubernetes_api: KubernetesApi
) -> None:
    world, place = cluster_world, f"{namespace.name}/media-adapter-nfs"
    served.set_adapter("smb", enabled=False)

    def configure(dns: object) -> None:
        service = {"dns": dns, "removalTimeout": "1s"}
        world.configure(server(served, namespace=namespace.name, adapters={"service": service}))

    def comments() -> list[str]:
        with connect(str(kubernetes_api.kubeconfig), None) as cluster:
            text = hosts_file(hosts_of(exported_resources(world.stack.export()), cluster))
        return [line for line in text.splitlines() if "# nfs.names.invalid" in line]

    def spec() -> dict[str, object]:
        return dict(namespace.get(MAPPING)["spec"])

    configure(DNS)
    world.up()
    give(namespace, "192.0.2.1", "192.0.2.2")
    [unknown] = said(world.up())
    assert unknown.startswith(
        "HostMapping of router-hosts.fzymgc.house/v1alpha1 is unknown to the cluster: left out"
    )
    world.assert_settled()

    with kubernetes_api.client() as client, known(client, HOST_MAPPING):
        assert world.run_changes().create == 1
        assert spec() == {
            "hostname": "nfs.names.invalid",
            "aliases": ["a.names.invalid"],
            "ip": "192.0.2.1",
            "tags": ["files"],
        }
        world.assert_settled()
        asked = f"# nfs.names.invalid: HostRequested: {place}: requested from router-hosts by a HostMapping; "
        assert comments() == [f"{asked}does not resolve here"]
        sync(namespace, "False", "CreateFailed", "no\nserver")
        assert comments() == [f"{asked}router-hosts says CreateFailed: no server; does not resolve here"]

        sync(namespace, "True", "Created", "made")
        registered = f"HostRegistered: {NAMES}: router-hosts has an entry for it, and is asked to lead it to"
        assert said(world.up()) == [f"{registered} 192.0.2.1"]
        assert said(world.up()) == [], "told once"
        known_now = f"# nfs.names.invalid: HostRegistered: {place}: router-hosts has an entry for it; "
        assert comments() == [f"{known_now}does not resolve here"]

        give(namespace)
        report = world.up()
        assert not report.changes.any
        assert said(report) == [
            f"HostPinned: {NAMES}: its load balancer has no address, run 1 of 3; "
            "router-hosts stays asked to lead it to 192.0.2.1"
        ]
        give(namespace, "192.0.2.9")
        assert world.run_changes().update == 1
        assert spec()["ip"] == "192.0.2.9"
        assert comments() == [f"{asked}does not resolve here"], "not yet synced"

        # What router-hosts does with every HostMapping, so that it can clean up before it goes.
        namespace.merge(MAPPING, {"metadata": {"finalizers": [FINALIZER]}})
        configure(None)
        report = world.stack.up()
        assert not report.ok
        [held] = [line for line in report.lines("error") if FINALIZER in line]
        assert held.endswith(
            f"its deletion is held by the finalizer {FINALIZER}; router-hosts lets it go when its operator "
            "has reached its server: see that both run, then run again"
        )
        configure(DNS)
        [waiting] = [line for line in world.stack.up().lines("warning") if "is being deleted" in line]
        assert waiting.startswith(f"media: HostMapping media-adapter-nfs in namespace {namespace.name}")

        namespace.merge(MAPPING, {"metadata": {"finalizers": None}})
        configure(None)
        world.up()
        assert namespace.get(MAPPINGS)["items"] == []
