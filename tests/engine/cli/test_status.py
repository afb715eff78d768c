"""`dittoinfra status` and `dittoinfra adapters` on the real engine and a real Kubernetes API."""

import json
import re
import time
from pathlib import Path

import jsonschema
import pytest
from pulumi.automation import PulumiCommand

from dittoinfra.reports.status.queries import stack_status
from lab.bed.cluster import KubernetesCluster
from lab.bed.credentials import credential
from tests import ROOT
from tests.engine.cli.cluster_bed import ClusterFleet, cluster_fleet
from tests.engine.cli.fleet_bed import PASSWORD

NFS = "media-adapter-nfs"
ADDRESS = {"status": {"loadBalancer": {"ingress": [{"ip": "192.0.2.7"}]}}}


@pytest.fixture
def fleet(cluster: ClusterFleet) -> ClusterFleet:
    """A project in a real cluster, with the stack `prod` up."""
    cluster.configure("prod", adapters={"types": {"nfs": {"servicePort": 2049}}})
    cluster.up("prod")
    return cluster


def plain(text: str) -> list[str]:
    """Lines with single spaces, any time as TIME, and any node port as NODEPORT."""
    dated = re.sub(r"\d{4}-\d\d-\d\dT[\d:.]+Z", "TIME", text)
    dated = re.sub(r"\b3[0-2]\d{3}\b", "NODEPORT", dated)
    return [" ".join(line.split()) for line in dated.splitlines()]


def test_what_the_api_says_what_the_stack_holds_and_what_comes_next(fleet: ClusterFleet) -> None:
    fleet.edit("prod", f"{NFS}/status", ADDRESS)
    fleet.fleet.server("prod").set_adapter("smb", port=12445, enabled=True)
    place = f"{NFS}.{fleet.namespaces['prod']}.svc:2049"
    before = fleet.everything("prod")

    listed = fleet.run("adapters", "prod")

    assert plain(listed.stdout) == [
        "STACK SERVER ADAPTER API HELD NEXT WHY ENDPOINTS",
        f"prod media nfs 12049 12049 keep served 192.0.2.7:2049, node port NODEPORT, {place}",
        "prod media smb 12445 - create served, not in the stack yet -",
    ]
    assert (listed.stderr, listed.returncode) == ("", 0)

    fleet.fleet.server("prod").stop()
    shown = fleet.run("status", "prod")

    assert plain(shown.stdout)[:6] == [
        "prod: last update succeeded, TIME; the next run: nothing to change",
        "SERVER VERSION API REACHABLE ADAPTERS READY READY",
        "media unknown no (Unreachable) no (NotServed) no (Unreachable)",
        "ADAPTER ADDRESS NODE PORT READY",
        "media/nfs 192.0.2.7:2049 NODEPORT no (NoReadyEndpoint)",
        "media/nfs: mount -t nfs -o vers=4.0,port=2049 192.0.2.7:/EXPORT /mnt",
    ]
    assert re.fullmatch(r"media: unreachable: .*; answered the update of TIME", plain(shown.stdout)[6])
    assert (shown.stderr, shown.returncode) == ("", 4)
    assert fleet.everything("prod") == before


def test_the_version_of_a_server_is_shown_and_what_is_wrong_with_it(fleet: ClusterFleet) -> None:
    """Its API does not tell it, and its image does: that of its Pod, or of its StatefulSet until one runs."""
    fleet.workload("prod", "media", "marmos91c/dittofs:v0.32.0")

    shown = plain(fleet.run("status", "prod").stdout)
    (server,) = json.loads(fleet.run("status", "prod", "--json").stdout)["stacks"][0]["servers"]
    checked = fleet.run("doctor", "prod").stdout.splitlines()

    source = "image marmos91c/dittofs:v0.32.0 of its StatefulSet, without a Pod to look at"
    found = f"0.32.0 ({source})"
    wrong, step = (
        "newer than 0.31.1, the newest that was tested",
        "look for a newer dittoinfra, and preview first",
    )
    assert shown[2] == "media 0.32.0 yes yes no (PendingLoadBalancer)"
    assert f"media: DittoFS {found}: {wrong}; {step}" in shown
    assert server["version"] == {
        "number": "0.32.0",
        "source": source,
        "objection": f"{wrong}; {step}",
    }
    assert f"warning prod: DittoFS media: {found}: {wrong} -> {step}" in checked

    # The StatefulSet was upgraded, and its Pod is still the one of before.
    fleet.pod("prod", "media-0", "marmos91c/dittofs:v0.31.1")
    checked = fleet.run("doctor", "prod").stdout.splitlines()
    assert "ok prod: DittoFS media: 0.31.1 (image marmos91c/dittofs:v0.31.1 of its Pod)" in checked
    assert plain(fleet.run("status", "prod").stdout)[2].startswith("media 0.31.1 ")


def test_doctor_shows_the_version_of_servers_that_are_found_and_of_those_that_are_not_asked(
    fleet: ClusterFleet,
) -> None:
    namespace = fleet.namespaces["prod"]
    for name, version in (("attic", "v0.29.0"), ("vault", "v0.31.1")):
        fleet.workload("prod", name, f"marmos91c/dittofs:{version}")
    source = {"selector": {"matchLabels": {"instance": "attic"}}, "namespaces": [namespace]}
    vault = {"name": "vault", "namespace": namespace}
    media = fleet.fleet.block("prod", namespace=namespace)
    fleet.fleet.add_stack("prod", media, vault, serversFrom=[source])

    checked = fleet.run("doctor", "prod").stdout.splitlines()

    without = "of its StatefulSet, without a Pod to look at)"
    assert any(line.startswith("warning prod: API vault: no api.url is configured") for line in checked)
    assert f"ok prod: DittoFS vault: 0.31.1 (image marmos91c/dittofs:v0.31.1 {without}" in checked
    assert any(line.startswith("warning prod: API attic: ") for line in checked)
    assert f"ok prod: DittoFS attic: 0.29.0 (image marmos91c/dittofs:v0.29.0 {without}" in checked


def test_a_server_that_is_down_is_told_at_once(fleet: ClusterFleet) -> None:
    block = fleet.fleet.block("prod", namespace=fleet.namespaces["prod"])
    fleet.fleet.add_stack("prod", {**block, "api": {**block["api"], "deadline": "4m"}})
    fleet.fleet.server("prod").stop()

    for command, word in (("status", "refused"), ("adapters", "unreachable"), ("doctor", "refused")):
        begin = time.monotonic()
        done = fleet.run(command, "prod", "--json")

        # A run tries it again for a minute.
        assert time.monotonic() - begin < 45, command
        assert word in done.stdout, done.stderr


def test_documents(fleet: ClusterFleet) -> None:
    for name in ("status", "adapters"):
        # No kubeconfig: the state has to do, and says so.
        done = fleet.run(name, "prod", "--json", KUBECONFIG=str(fleet.fleet.root / "none"))

        document = json.loads(done.stdout)
        jsonschema.validate(document, json.loads((ROOT / f"docs/schemas/{name}.schema.json").read_text()))
        stacks = document.get("stacks") or [{"servers": [document], "clusterUnknown": "none is not a file"}]
        ((adapter,),) = ([a for a in s["adapters"] if a["held"]] for s in stacks[0]["servers"])
        assert adapter["endpoints"]["live"] is False
        assert "none" in stacks[0]["clusterUnknown"]
        assert PASSWORD not in done.stdout + done.stderr
        assert done.returncode == (4 if name == "status" else 0), "what cannot be told is not ready"


def test_what_would_stop_the_next_run_is_shown(fleet: ClusterFleet) -> None:
    fleet.configure("prod", absencePolls=1)
    fleet.fleet.server("prod").remove_adapter("nfs")

    done = fleet.run("status", "prod")

    lines = plain(done.stdout)
    assert lines[0] == "prod: last update succeeded, TIME; the next run would stop"
    assert lines[2] == "media unknown yes yes no (Stopped)"
    (why,) = (line for line in lines if line.startswith("the next run would stop:"))
    assert why.startswith("the next run would stop: brake: this run would remove 1 of 1 adapters")
    assert "media/nfs: remove: absent 1/1" in lines
    assert done.returncode == 4


def test_ready_means_that_a_client_can_connect(
    pulumi_cli: PulumiCommand, kubernetes_cluster: KubernetesCluster, tmp_path: Path
) -> None:
    """On a cluster whose controllers find the Pods behind a Service."""
    with cluster_fleet(pulumi_cli, kubernetes_cluster, tmp_path) as fleet:
        fleet.configure("prod")
        fleet.up("prod")
        namespace = fleet.namespaces["prod"]

        def ready() -> tuple[str, str]:
            (media,) = stack_status(fleet.stack("prod")).servers
            found = media.conditions[2]
            return found.status, found.reason

        assert ready() == ("False", "PendingLoadBalancer")
        fleet.edit("prod", f"{NFS}/status", ADDRESS)
        assert ready() == ("False", "NoReadyEndpoint")

        kubernetes_cluster.run_pod(namespace, "media-0", {"app": "dittofs-server", "instance": "media"})
        kubernetes_cluster.wait_until("a ready server", lambda: ready() == ("True", "Ready"))
        shown = fleet.run("status", "prod")
        assert plain(shown.stdout)[2:6] == [
            "media unknown yes yes yes",
            "ADAPTER ADDRESS NODE PORT READY",
            "media/nfs 192.0.2.7:12049 NODEPORT yes",
            "media/nfs: mount -t nfs -o vers=4.0,port=12049 192.0.2.7:/EXPORT /mnt",
        ]
        assert shown.returncode == 0

        fleet.fleet.server("prod").set_adapter("nfs", port=13049)
        assert ready() == ("False", "PortMoved")
        fleet.fleet.server("prod").set_adapter("nfs", port=12049)
        fleet.delete("prod", NFS)
        assert ready() == ("False", "ServiceMissing")


def test_trouble_is_one_line_and_a_fitting_code(fleet: ClusterFleet, pulumi_cli: PulumiCommand) -> None:
    fleet.fleet.stack("prod").set_config(
        'dittoinfra:passwords["*"]', credential("password"), secret=True, path=True
    )
    for command in ("status", "adapters", "drift"):
        unknown = fleet.run(command, "prdo")

        assert unknown.returncode == 6
        assert unknown.stderr == "error: there is no stack 'prdo'; did you mean 'prod'?\n"

    for command in ("status", "drift"):
        locked_out = fleet.run(command, "prod", PULUMI_CONFIG_PASSPHRASE="wrong")

        assert locked_out.returncode == 3
        said = locked_out.stdout + locked_out.stderr
        assert len(said.splitlines()) == 1
        assert "PULUMI_CONFIG_PASSPHRASE is wrong" in said
