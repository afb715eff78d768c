"""What is declared around a server, in a real Kubernetes API."""

import secrets
from collections.abc import Iterator
from typing import Any

import httpx
import pytest

from dittoinfra.decide.custom_kinds import CERTIFICATE, HTTP_ROUTE, SERVICE_MONITOR
from tests.engine.deploy.definitions import known, no_others_define_kinds
from tests.engine.deploy.network import PINNED, server
from tests.engine.namespace import Namespace
from tests.engine.world import World

METRICS = {"enabled": True, "serviceMonitor": {"enabled": True}}
CERTIFIED = {"tls": {"secret": "tls", "certificate": {"issuer": {"name": "ca"}}}}
PEERS = [
    {"ipBlock": {"cidr": "10.0.0.0/8", "except": ["10.9.0.0/16"]}},
    {"namespaceSelector": {}, "podSelector": {"matchExpressions": [{"key": "a", "operator": "Exists"}]}},
]
UNKNOWN_MONITOR = "media: ServiceMonitor of monitoring.coreos.com/v1 is unknown to the cluster"


@pytest.fixture
def only_definer() -> Iterator[None]:
    """No other test defines a kind meanwhile."""
    with no_others_define_kinds():
        yield


def listed(namespace: Namespace, path: str) -> set[str]:
    return {item["metadata"]["name"] for item in namespace.get(path)["items"]}


def warnings(world: World) -> list[str]:
    return [line for line in world.preview().lines("warning") if "unknown to the cluster" in line]


def test_the_api_takes_every_object_and_a_second_preview_is_empty(
    cluster_world: World, namespace: Namespace, kubernetes_client: httpx.Client
) -> None:
    gateway = {"host": "a.example", "gateway": "edge", "gatewayNamespace": "edge", "section": "https"}
    deploy = {"api": {**CERTIFIED, "gateway": gateway}, "metrics": METRICS}
    adapters = {**PINNED, "service": {"preset": "operator", "networkPolicyFrom": PEERS}}
    policy = {"mode": "defaultDeny", "from": PEERS}
    with known(kubernetes_client, SERVICE_MONITOR, CERTIFICATE, HTTP_ROUTE):
        cluster_world.configure(server(namespace.name, deploy, adapters=adapters, networkPolicy=policy))
        cluster_world.run_changes()
        cluster_world.assert_settled()

        services = {"media-api", "media-metrics", "media-headless", "media-adapter-nfs", "media-adapter-smb"}
        assert listed(namespace, "api/v1:services") == services
        assert listed(namespace, "apis/networking.k8s.io/v1:networkpolicies") == {
            "media-baseline",
            "media-default-deny",
            "media-adapter-nfs",
            "media-adapter-smb",
        }
        assert listed(namespace, "apis/monitoring.coreos.com/v1:servicemonitors") == {"media-metrics"}
        assert listed(namespace, "apis/cert-manager.io/v1:certificates") == {"media-api"}
        assert listed(namespace, "apis/gateway.networking.k8s.io/v1:httproutes") == {"media-api"}

        ingress = {"host": "a.example", "ingressClass": "nginx", "tlsSecret": "edge-tls"}
        deploy["api"] = {**CERTIFIED, "ingress": ingress}
        cluster_world.configure(server(namespace.name, deploy, adapters=adapters, networkPolicy=policy))
        cluster_world.run_changes()
        assert listed(namespace, "apis/networking.k8s.io/v1:ingresses") == {"media-api"}
        assert listed(namespace, "apis/gateway.networking.k8s.io/v1:httproutes") == set()
        cluster_world.assert_settled()
        assert cluster_world.stack.destroy().ok


def test_what_controllers_write_on_services_survives_updates(
    cluster_world: World, namespace: Namespace
) -> None:
    def configure(value: str, port: int) -> None:
        service = {"type": "LoadBalancer", "annotations": {"example.com/ours": value}}
        deploy = {"api": {"service": service}, "metrics": {"enabled": True, "port": port}}
        cluster_world.configure(server(namespace.name, deploy))

    def service(name: str) -> dict[str, Any]:
        return namespace.get(f"api/v1:services/{name}")

    configure("before", 9090)
    cluster_world.up()
    before = {name: service(name) for name in ("media-api", "media-metrics")}
    theirs = {
        "annotations": {"cloud.example/id": "lb-1"},
        "labels": {"cloud.example/zone": "a"},
        "finalizers": ["cloud.example/balancer"],
    }
    for name in before:
        namespace.merge(f"api/v1:services/{name}", {"metadata": theirs})
    namespace.merge(
        "api/v1:services/media-api",
        {"spec": {"externalTrafficPolicy": "Local"}},  # gives it a healthCheckNodePort
    )
    ingress = {"loadBalancer": {"ingress": [{"ip": "192.0.2.7"}]}}
    namespace.merge("api/v1:services/media-api/status", {"status": ingress})
    health = service("media-api")["spec"]["healthCheckNodePort"]
    cluster_world.assert_settled()

    configure("after", 9191)
    cluster_world.up()

    for name, old in before.items():
        new = service(name)
        for field in ("uid", "creationTimestamp"):
            assert new["metadata"][field] == old["metadata"][field]
        assert new["spec"]["clusterIP"] == old["spec"]["clusterIP"]
        assert new["metadata"]["annotations"]["cloud.example/id"] == "lb-1"
        assert new["metadata"]["labels"]["cloud.example/zone"] == "a"
        assert new["metadata"]["finalizers"] == ["cloud.example/balancer"]
    api = service("media-api")
    assert api["metadata"]["annotations"]["example.com/ours"] == "after"
    assert api["spec"]["ports"][0]["nodePort"] == before["media-api"]["spec"]["ports"][0]["nodePort"]
    assert api["spec"]["healthCheckNodePort"] == health
    assert api["status"]["loadBalancer"]["ingress"][0]["ip"] == "192.0.2.7"
    assert service("media-metrics")["spec"]["ports"][0]["port"] == 9191
    cluster_world.assert_settled()


@pytest.mark.usefixtures("only_definer")
def test_a_kind_that_is_not_installed_is_a_line_and_not_a_failed_run(
    cluster_world: World, namespace: Namespace, kubernetes_client: httpx.Client
) -> None:
    cluster_world.configure(server(namespace.name, {"metrics": METRICS}))

    report = cluster_world.up()

    [line] = [line for line in report.lines("warning") if UNKNOWN_MONITOR in line]
    assert line.endswith(
        ": left out; install Prometheus Operator, which brings the definition "
        "servicemonitors.monitoring.coreos.com, then run again"
    )
    cluster_world.assert_settled()

    with known(kubernetes_client, SERVICE_MONITOR):
        assert cluster_world.run_changes().create == 1
        assert listed(namespace, "apis/monitoring.coreos.com/v1:servicemonitors") == {"media-metrics"}
        cluster_world.assert_settled()
        assert warnings(cluster_world) == []

    [line] = warnings(cluster_world)
    assert "but this stack holds it: kept" in line
    cluster_world.assert_settled()
    assert cluster_world.up().ok


def test_a_cluster_that_cannot_be_asked_removes_nothing(
    cluster_world: World, namespace: Namespace, kubernetes_client: httpx.Client
) -> None:
    with known(kubernetes_client, SERVICE_MONITOR):
        cluster_world.configure(server(namespace.name, {"metrics": METRICS}))
        cluster_world.up()

        # The stand-in goes on reaching the API, but the program is led to a port without a listener.
        path = cluster_world.root / "stacks" / "Pulumi.world.yaml"
        reached = str(cluster_world.provider_settings["kubeconfig"])
        path.write_text(path.read_text().replace(reached, str(cluster_world.root / "nowhere")))
        report = cluster_world.preview()

        assert not report.changes.delete
        assert any("ServiceMonitor may be unknown to the cluster" in w for w in report.lines("warning"))


def test_a_namespace_is_made_first_stays_behind_and_is_used_again(
    cluster_world: World, kubernetes_client: httpx.Client
) -> None:
    name = f"made-{secrets.token_hex(4)}"
    cluster_world.configure(server(name, {"createNamespace": True}))
    namespace = Namespace(name, kubernetes_client)

    cluster_world.run_changes()
    assert "media-api" in listed(namespace, "api/v1:services")
    made = kubernetes_client.get(f"/api/v1/namespaces/{name}").json()
    assert made["metadata"]["labels"]["app.kubernetes.io/managed-by"] == "pulumi"
    cluster_world.assert_settled()

    assert cluster_world.stack.destroy().ok
    assert (
        kubernetes_client.get(f"/api/v1/namespaces/{name}").json()["metadata"]["uid"]
        == made["metadata"]["uid"]
    )
    assert listed(namespace, "api/v1:services") == set()

    report = cluster_world.up()
    told = f"media: namespace {name} exists already: used as it is, and not this stack's"
    assert told in report.lines("info", "info#err")
    assert "media-api" in listed(namespace, "api/v1:services")
    cluster_world.assert_settled()
