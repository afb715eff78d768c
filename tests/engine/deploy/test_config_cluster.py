"""The configuration's objects in a real Kubernetes API."""

import base64
from typing import Any

from dittoinfra.decide.custom_kinds import PERCONA_CLUSTER
from lab.bed.credentials import credential
from lab.bed.kubernetes import KubernetesApi
from tests.engine.deploy.config import JWT, PASSWORD
from tests.engine.deploy.definitions import known, no_others_define_kinds
from tests.engine.deploy.workload import media
from tests.engine.namespace import Namespace
from tests.engine.world import World

CLUSTER = "apis/pgv2.percona.com/v2:perconapgclusters/media-postgres"
JWT_SECRET = "api/v1:secrets/media-jwt-secret"
OTHER_JWT = credential("another-signing-key")


def configure(world: World, block: dict[str, Any], jwt: str) -> None:
    del block["deploy"]["credentials"]
    world.configure(block)
    for key, value in {"jwt": jwt, "adminPassword": PASSWORD}.items():
        world.stack.set_config(f"dittoinfra:serverSecrets.media.{key}", value, secret=True, path=True)


def test_a_rotated_secret_stays_the_same_object(cluster_world: World, namespace: Namespace) -> None:
    configure(cluster_world, media(namespace.name, deploy={}), JWT)
    cluster_world.up()
    cluster_world.assert_settled()
    before = namespace.get(JWT_SECRET)
    assert base64.b64decode(before["data"]["jwt-secret"]).decode() == JWT

    # A tool that reloads Pods leaves its mark; it is not ours to take away.
    namespace.merge(JWT_SECRET, {"metadata": {"annotations": {"reloader.example/seen": "1"}}})
    configure(cluster_world, media(namespace.name, deploy={}), OTHER_JWT)
    cluster_world.up()

    after = namespace.get(JWT_SECRET)
    assert base64.b64decode(after["data"]["jwt-secret"]).decode() == OTHER_JWT
    assert after["metadata"]["uid"] == before["metadata"]["uid"]
    assert after["metadata"]["annotations"] == {"reloader.example/seen": "1"}
    assert namespace.get("api/v1:configmaps/media-config")["data"].keys() == {"config.yaml"}
    cluster_world.assert_settled()


def test_a_database_cluster_outlives_the_line_that_asked_for_it(
    cluster_world: World, namespace: Namespace, kubernetes_api: KubernetesApi
) -> None:
    percona = media(namespace.name, deploy={"database": {"percona": {"replicas": 3}}})
    with kubernetes_api.client() as client, known(client, PERCONA_CLUSTER):
        cluster_world.configure(percona)
        cluster_world.up()
        cluster_world.assert_settled()
        before = namespace.get(CLUSTER)
        assert before["spec"]["instances"][0]["replicas"] == 3

        # Its operator fills in what was left to it.
        namespace.merge(CLUSTER, {"spec": {"crVersion": "2.9.0"}})
        cluster_world.assert_settled()
        percona["deploy"]["database"]["percona"]["replicas"] = 1
        cluster_world.configure(percona)
        cluster_world.up()
        assert namespace.get(CLUSTER)["spec"]["crVersion"] == "2.9.0"

        cluster_world.configure(media(namespace.name, deploy={}))
        cluster_world.up()
        assert namespace.get(CLUSTER)["metadata"]["uid"] == before["metadata"]["uid"]


def test_without_perconas_operator_the_run_says_so_and_goes_on(
    cluster_world: World, namespace: Namespace
) -> None:
    cluster_world.configure(media(namespace.name, deploy={"database": {"percona": {}}}))

    with no_others_define_kinds():
        report = cluster_world.up()

    [line] = [line for line in report.lines("warning") if "PerconaPGCluster" in line]
    assert "install Percona Operator for PostgreSQL" in line
