"""`dittoinfra explain`: every effective value, and who says so."""

import json

import jsonschema
import pytest

from lab.bed.kubernetes import KubernetesApi
from tests.engine.cli.cluster_bed import ClusterFleet
from tests.engine.cli.fleet_bed import Fleet
from tools.schemas import schema


@pytest.fixture
def layered(fleet: Fleet) -> Fleet:
    """A stack whose only server is spoken about in every layer."""
    fleet.add_stack(
        "prod",
        fleet.block(
            "prod",
            labels={"tier": "gold"},
            adapters={"types": {"nfs": {"servicePort": 2049}}},
            absencePolls=5,
        ),
        selectors=[
            {
                "selector": {"matchLabels": {"tier": "gold"}},
                "adapters": {"service": {"type": "NodePort", "annotations": {"team": "storage"}}},
            }
        ],
        adapters={"service": {"type": "ClusterIP", "wait": True}},
    )
    assert fleet.pulumi("stack", "init", "prod").returncode == 0
    return fleet


def lines(text: str) -> list[str]:
    """Lines with single spaces."""
    return [" ".join(line.split()) for line in text.splitlines()]


def test_an_adapter_of_a_server_that_every_layer_speaks_about(layered: Fleet) -> None:
    explained = layered.run("explain", "prod", "media", "nfs")

    assert (explained.returncode, explained.stderr) == (0, "")
    told = lines(explained.stdout)
    assert told[0] == "SETTING VALUE FROM"
    assert "type NodePort dittoinfra:selectors[0].adapters.service.type (tier=gold)" in told
    assert "wait true dittoinfra:adapters.service.wait" in told
    assert "servicePort 2049 dittoinfra:servers[0].adapters.types.nfs.servicePort" in told
    assert "splitUdp false default" in told


def test_a_whole_server_for_programs(layered: Fleet) -> None:
    explained = layered.run("explain", "prod", "media", "--json")

    document = json.loads(explained.stdout)
    jsonschema.validate(document, json.loads(schema("explain")))
    by_path = {value["path"]: value for value in document["values"]}
    assert by_path["absencePolls"] == {
        "path": "absencePolls",
        "value": 5,
        "origin": "server",
        "where": "dittoinfra:servers[0].absencePolls",
        "selector": None,
    }
    assert by_path["removal"]["origin"] == "default"


def test_wrong_names_and_wrong_settings_are_said_in_words(layered: Fleet) -> None:
    unknown = layered.run("explain", "prod", "meda")
    layered.add_stack("prod", layered.block("prod", absencePolls=0), removal="sometimes")
    wrong = layered.run("explain", "prod", "media")

    assert (unknown.returncode, unknown.stdout) == (2, "")
    assert unknown.stderr == (
        "error: prod: meda: is neither configured nor found in the cluster; did you mean media?\n"
    )
    assert wrong.returncode == 2
    assert [line.partition(":")[0] for line in wrong.stderr.splitlines()] == ["error", "error"]
    assert "dittoinfra:removal" in wrong.stderr
    assert "dittoinfra:servers[0].absencePolls" in wrong.stderr


def test_a_server_that_only_the_cluster_knows(cluster: ClusterFleet, kubernetes_api: KubernetesApi) -> None:
    namespace = kubernetes_api.namespace()
    pod = {"metadata": {"labels": {"app": "x"}}, "spec": {"containers": [{"name": "x", "image": "x"}]}}
    body = {
        "metadata": {"name": "attic", "labels": {"tier": "cold"}},
        "spec": {"serviceName": "x", "selector": {"matchLabels": {"app": "x"}}, "template": pod},
    }
    cluster.client.post(f"/apis/apps/v1/namespaces/{namespace}/statefulsets", json=body).raise_for_status()
    cold = {"matchLabels": {"tier": "cold"}}
    cluster.fleet.add_stack(
        "prod",
        serversFrom=[{"selector": cold, "namespaces": [namespace]}],
        selectors=[{"selector": cold, "removal": "never"}],
    )
    assert cluster.fleet.pulumi("stack", "init", "prod").returncode == 0

    explained = cluster.run("explain", "prod", "attic")

    assert explained.returncode == 0, explained.stderr
    lost = cluster.run("explain", "prod", "attic", KUBECONFIG=str(cluster.fleet.root / "none"))
    assert lost.returncode == 2
    assert "not every server may be known" in lost.stderr
    told = lines(explained.stdout)
    assert f"namespace {namespace} found in the cluster" in told
    assert "removal never dittoinfra:selectors[0].removal (tier=cold)" in told
