"""`dittoinfra hosts` on the real engine and a real Kubernetes API."""

import json
from collections.abc import Iterator
from pathlib import Path

import jsonschema
import pytest
from pulumi.automation import PulumiCommand

from dittoinfra.cli.schemas import schema
from tests.bed.kubernetes import KubernetesApi
from tests.cli.cluster_bed import ClusterFleet, cluster_fleet

NFS = "media-adapter-nfs"
DNS = {"hostname": "{type}.{server}.example.com", "aliases": ["files.example.com"]}


@pytest.fixture
def fleet(pulumi_cli: PulumiCommand, kubernetes_api: KubernetesApi, tmp_path: Path) -> Iterator[ClusterFleet]:
    """A project in a real cluster, with the stack `prod` up and a name for its nfs."""
    with cluster_fleet(pulumi_cli, kubernetes_api, tmp_path) as made:
        made.configure("prod", adapters={"service": {"dns": DNS}})
        made.up("prod")
        yield made


def balanced(fleet: ClusterFleet, *ingress: dict[str, str]) -> None:
    """What a cloud's controller writes."""
    fleet.edit("prod", f"{NFS}/status", {"status": {"loadBalancer": {"ingress": list(ingress)}}})


def test_names_lead_to_what_the_live_services_say(fleet: ClusterFleet) -> None:
    place = f"{fleet.namespaces['prod']}/{NFS}"
    names = "nfs.media.example.com files.example.com"

    pending = fleet.run("hosts", "prod")
    balanced(fleet, {"ip": "192.0.2.7"}, {"ip": "2001:db8::7"}, {"ip": "192.0.2.6"})
    several = fleet.run("hosts", "prod")
    balanced(fleet, {"hostname": "localhost"})
    by_name = fleet.run("hosts", "prod", "--json")

    assert (pending.returncode, pending.stderr) == (0, "")
    assert pending.stdout == (
        f"# {names}: PendingLoadBalancer: {place}: the load balancer has given no address yet\n"
    )
    assert several.stdout.splitlines() == [
        f"192.0.2.6       {names}  # {place}",
        f"192.0.2.7       {names}  # {place}",
        f"2001:db8::7     {names}  # {place}",
    ]
    document = json.loads(by_name.stdout)
    jsonschema.validate(document, json.loads(schema("hosts")))
    assert document["hosts"][0]["hostname"] == "nfs.media.example.com"
    assert "127.0.0.1" in document["hosts"][0]["addresses"]


def test_without_a_cluster_or_a_stack_there_is_one_line(fleet: ClusterFleet, tmp_path: Path) -> None:
    lost = fleet.run("hosts", "prod", KUBECONFIG=str(tmp_path / "none"))
    unknown = fleet.run("hosts", "prd")
    fleet.fleet.add_stack("fresh")
    unmade = fleet.run("hosts", "fresh")

    assert (lost.returncode, lost.stdout) == (1, "")
    assert lost.stderr.count("\n") == 1
    assert "is not a file" in lost.stderr
    assert (unknown.returncode, unknown.stderr.count("\n")) == (6, 1)
    assert (unmade.returncode, unmade.stderr) == (
        6,
        "error: the backend has no stack fresh yet; `dittoinfra up fresh` makes it\n",
    )
