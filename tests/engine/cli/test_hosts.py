"""`dittoinfra hosts` on the real engine and a real Kubernetes API."""

import json
from pathlib import Path

import jsonschema
import pytest

from tests.engine.cli.cluster_bed import ClusterFleet
from tools.schemas import schema

pytestmark = pytest.mark.long

NFS = "media-adapter-nfs"
DNS = {"hostname": "{type}.{server}.names.invalid", "aliases": ["files.names.invalid"]}


@pytest.fixture
def fleet(cluster: ClusterFleet) -> ClusterFleet:
    """A project in a real cluster, with the stack `prod` up and a name for its nfs."""
    cluster.configure("prod", adapters={"service": {"dns": DNS}})
    cluster.up("prod")
    return cluster


def balanced(fleet: ClusterFleet, *ingress: dict[str, str]) -> None:
    """What a cloud's controller writes."""
    fleet.edit("prod", f"{NFS}/status", {"status": {"loadBalancer": {"ingress": list(ingress)}}})


def test_of_names_is_said_what_the_live_services_say(fleet: ClusterFleet) -> None:
    place = f"{fleet.namespaces['prod']}/{NFS}"
    names = "nfs.media.names.invalid files.names.invalid"

    pending = fleet.run("hosts", "prod")
    balanced(fleet, {"ip": "192.0.2.7"}, {"ip": "2001:db8::7"}, {"ip": "192.0.2.6"})
    several = fleet.run("hosts", "prod")
    balanced(fleet, {"hostname": "localhost"})
    by_name = fleet.run("hosts", "prod", "--json")

    assert (pending.returncode, pending.stderr) == (0, "")
    assert pending.stdout == (
        "".join(
            f"# {name}: PendingLoadBalancer: {place}: the load balancer has given no address yet; "
            "does not resolve here\n"
            for name in names.split()
        )
    )
    assert several.stdout.splitlines() == [
        f"192.0.2.7       {names}  # {place}",
        *(
            f"# {name}: HostRequested: {place}: requested from router-hosts; does not resolve here"
            for name in names.split()
        ),
    ]
    document = json.loads(by_name.stdout)
    jsonschema.validate(document, json.loads(schema("hosts")))
    assert document["hosts"][0]["hostname"] == "nfs.media.names.invalid"
    assert document["hosts"][0]["reason"] == "PendingLoadBalancer"
    assert document["hosts"][0]["resolves"] == {name: [] for name in names.split()}


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
