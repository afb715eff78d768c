"""`verify` with the real DittoFS server where its portmapper and UDP are exposed too."""

import json
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path

import pytest
from pulumi.automation import PulumiCommand

from dittoinfra.reports.verify_document import AdapterVerdict
from lab.bed.cluster import KubernetesCluster
from lab.bed.dittofs import wait_until
from lab.bed.process import free_ports
from tests.engine.verify.stage import LABELS, POD, Stage, stage

ON = {"portmapper_enabled": True, "udp_enabled": True}
PORTMAPPER_TARGET = 10111


@dataclass(frozen=True)
class Extras:
    """A stack whose NFS adapter is exposed with its portmapper and in UDP."""

    stage: Stage
    portmapper: int
    """Where the server's portmapper listens on loopback, which is also the Service's port of it."""

    @property
    def nfs(self) -> int:
        """The data port."""
        return self.stage.dfs.port_of("nfs")

    def switch(self, **settings: bool) -> None:
        """Let the server serve extras or not; all are on by default."""
        dfs = self.stage.dfs
        wanted = {**ON, **settings, "portmapper_port": self.portmapper}
        assert dfs.ask("PATCH", "/adapters/nfs/settings", wanted).is_success
        dfs.disable("nfs")
        dfs.enable("nfs")
        wait_until(lambda: dfs.listens("nfs"))

    def verify(self) -> AdapterVerdict:
        """The verdict on the NFS adapter."""
        return self.stage.verify("nfs")

    def checked(self, *hops: str) -> list[tuple[str, str, str, str]]:
        """What is found at these hops."""
        return [(hop.state, hop.side, hop.where, hop.text) for hop in self.verify().hops if hop.hop in hops]

    def give_addresses(self) -> None:
        """Let each Service be found on loopback, and the portmapper's port lead to where it listens."""
        for name in self.stage.namespace.services():
            path, namespace = f"api/v1:services/{name}", self.stage.namespace
            addresses = {"loadBalancer": {"ingress": [{"ip": "127.0.0.1"}]}}
            namespace.merge(f"{path}/status", {"status": addresses})
            ports = namespace.services()[name]["spec"]["ports"]
            patch = [
                {"op": "add", "path": f"/spec/ports/{index}/port", "value": self.portmapper}
                for index, port in enumerate(ports)
                if port["name"].startswith("portmap")
            ]
            namespace.json(path, json.dumps(patch))


@pytest.fixture(scope="module", params=[False, True], ids=["one Service", "splitUdp"])
def exposed(
    request: pytest.FixtureRequest,
    pulumi_cli: PulumiCommand,
    kubernetes_cluster: KubernetesCluster,
    dfs_binary: Path,
    tmp_path_factory: pytest.TempPathFactory,
) -> Iterator[Extras]:
    service: Mapping[str, object] = {
        "extras": {"portmapper": True, "udp": True},
        "splitUdp": request.param,
    }
    root = tmp_path_factory.mktemp("extras")
    with stage(pulumi_cli, kubernetes_cluster, dfs_binary, root, service) as fresh:
        [portmapper] = free_ports(1)
        fresh.names = {f"{kind}.media.names.invalid": ("127.0.0.1",) for kind in ("nfs", "smb")}
        extras = Extras(fresh, portmapper)
        extras.give_addresses()
        fresh.cluster.run_pod(fresh.namespace.name, POD, LABELS)
        ports = {extras.nfs: extras.nfs, PORTMAPPER_TARGET: portmapper}
        fresh.cluster.forward_all(fresh.namespace.name, POD, ports)
        fresh.wait_for_endpoints("ready")
        yield extras


@pytest.fixture
def extras(exposed: Extras) -> Extras:
    """Everything served, whatever the test before has done."""
    exposed.switch()
    return exposed


def test_the_portmapper_and_udp_are_asked_too(extras: Extras) -> None:
    nfs, portmapper = extras.nfs, extras.portmapper
    unforwarded = "a port-forward carries TCP only"
    policy = "is open to everybody by NetworkPolicy media-adapter-nfs"

    assert extras.verify().failed is None
    assert sorted(extras.checked("policy")) == sorted(
        ("ok", "inside", f"port {port} of Pod {POD}", policy)
        for port in (f"{nfs}/TCP", f"{nfs}/UDP", f"{PORTMAPPER_TARGET}/TCP", f"{PORTMAPPER_TARGET}/UDP")
    )
    assert sorted(extras.checked("port", "protocol")) == sorted(
        [
            ("ok", "inside", f"port {nfs}/TCP of Pod {POD}", "takes connections"),
            ("ok", "inside", f"port {nfs}/TCP of Pod {POD}", "speaks NFS 3 and 4"),
            ("skipped", "inside", f"port {nfs}/UDP of Pod {POD}", unforwarded),
            ("ok", "inside", f"port {PORTMAPPER_TARGET}/TCP of Pod {POD}", "takes connections"),
            ("ok", "inside", f"port {PORTMAPPER_TARGET}/TCP of Pod {POD}", f"sends clients to port {nfs}"),
            ("skipped", "inside", f"port {PORTMAPPER_TARGET}/UDP of Pod {POD}", unforwarded),
            ("ok", "outside", f"127.0.0.1:{nfs}/TCP", "takes connections"),
            ("ok", "outside", f"127.0.0.1:{nfs}/TCP", "speaks NFS 3 and 4"),
            ("ok", "outside", f"127.0.0.1:{nfs}/UDP", "speaks MOUNT 3"),
            ("ok", "outside", f"127.0.0.1:{portmapper}/TCP", "takes connections"),
            ("ok", "outside", f"127.0.0.1:{portmapper}/TCP", f"sends clients to port {nfs}"),
            ("ok", "outside", f"127.0.0.1:{portmapper}/UDP", f"sends clients to port {nfs}"),
        ]
    )


def test_a_portmapper_that_is_off(extras: Extras) -> None:
    extras.switch(portmapper_enabled=False)

    failed = extras.verify().failed

    assert failed is not None
    assert (failed.side, failed.hop) == ("inside", "port")
    assert failed.where == f"port {PORTMAPPER_TARGET}/TCP of Pod {POD}"
    assert failed.text.startswith("refuses connections (")
    assert failed.next == (
        "see that the server's nfs settings have portmapper_enabled and this portmapper_port"
    )


def test_udp_that_is_off(extras: Extras) -> None:
    extras.switch(udp_enabled=False)

    verdict = extras.verify()

    assert verdict.failed is not None
    assert [hop for hop in verdict.hops if hop.state == "failed"] == [verdict.failed]
    assert (verdict.failed.side, verdict.failed.hop) == ("outside", "port")
    assert verdict.failed.where == f"127.0.0.1:{extras.nfs}/UDP"
    assert verdict.failed.text == "refuses datagrams (connection refused)"
    assert verdict.failed.next == (
        "see that the server's nfs settings have udp_enabled and that the load balancer, or the node, "
        "passes this port on to the Service"
    )
