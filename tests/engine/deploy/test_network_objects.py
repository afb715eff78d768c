"""Services, policies, routes, certificate and monitor, field by field, under the operator's names."""

from pathlib import Path
from threading import Event
from typing import Any

from pulumi.automation import PulumiCommand

from tests.engine.deploy.network import LABELS, PINNED, SELECTOR, landed, server
from tests.engine.world import World
from tests.engine.world import world as new_world

PATIENCE_SECONDS = 3.0
"""How long something that comes too early gets to show itself."""

SKIP_AWAIT = {"pulumi.com/skipAwait": "true"}
OFFICE = {"ipBlock": {"cidr": "10.0.0.0/8", "except": ["10.9.0.0/16"]}}
SCRAPERS = {
    "namespaceSelector": {"matchLabels": {"name": "monitoring"}},
    "podSelector": {"matchExpressions": [{"key": "app", "operator": "In", "values": ["prometheus"]}]},
}
ANYBODY_HERE: dict[str, Any] = {"podSelector": {}}


def component(name: str) -> dict[str, str]:
    return {**LABELS, "app.kubernetes.io/component": name}


def test_the_api_and_metrics_services(world: World) -> None:
    service = {"type": "LoadBalancer", "annotations": {"example.com/internal": "yes"}}
    metrics = {"enabled": True, "port": 9100, "path": "/m"}
    world.configure(server(deploy={"api": {"port": 8443, "service": service}, "metrics": metrics}))
    world.up()

    services = landed(world, "Service")
    assert services["media-api"] == {
        "apiVersion": "v1",
        "kind": "Service",
        "metadata": {
            "name": "media-api",
            "namespace": "files",
            "labels": component("api"),
            "annotations": {**SKIP_AWAIT, "example.com/internal": "yes"},
        },
        "spec": {
            "type": "LoadBalancer",
            "selector": SELECTOR,
            "ports": [{"name": "api", "port": 8443, "targetPort": "api", "protocol": "TCP"}],
        },
    }
    assert services["media-metrics"] == {
        "apiVersion": "v1",
        "kind": "Service",
        "metadata": {
            "name": "media-metrics",
            "namespace": "files",
            "labels": {**component("metrics"), "dittofs.io/metrics-service": "true"},
            "annotations": {
                **SKIP_AWAIT,
                "prometheus.io/scrape": "true",
                "prometheus.io/port": "9100",
                "prometheus.io/path": "/m",
            },
        },
        "spec": {
            "type": "ClusterIP",
            "selector": SELECTOR,
            "ports": [{"name": "metrics", "port": 9100, "targetPort": "metrics", "protocol": "TCP"}],
        },
    }


def test_by_default_there_is_an_api_service_and_nothing_else_of_all_this(world: World) -> None:
    world.configure(server())
    world.up()

    assert set(landed(world, "Service")) == {
        "media-headless",
        "media-api",
        "media-adapter-nfs",
        "media-adapter-smb",
    }
    for kind in ("NetworkPolicy", "Ingress", "HTTPRoute", "Certificate", "ServiceMonitor", "Namespace"):
        assert landed(world, kind) == {}


def test_policies_open_what_is_exposed_to_whom_it_may_concern(world: World) -> None:
    adapters = {
        **PINNED,
        "service": {"preset": "operator", "splitUdp": True},
        "types": {"smb": {"servicePort": 445, "networkPolicyFrom": [ANYBODY_HERE]}},
    }
    policy = {"mode": "defaultDeny", "from": [OFFICE]}
    metrics = {"enabled": True, "networkPolicyFrom": [SCRAPERS]}
    world.configure(server(deploy={"metrics": metrics}, adapters=adapters, networkPolicy=policy))
    world.up()

    def expected(name: str, labels: dict[str, str], ingress: list[dict[str, Any]] | None) -> dict[str, Any]:
        return {
            "apiVersion": "networking.k8s.io/v1",
            "kind": "NetworkPolicy",
            "metadata": {"name": name, "namespace": "files", "labels": labels},
            "spec": {
                "podSelector": {"matchLabels": SELECTOR},
                "policyTypes": ["Ingress"],
                **({} if ingress is None else {"ingress": ingress}),
            },
        }

    def adapter(kind: str) -> dict[str, str]:
        marks = {"dittofs.io/adapter-networkpolicy": "true", "dittofs.io/adapter-type": kind}
        return {**component("adapter"), **marks}

    def ports(*wanted: str) -> list[dict[str, Any]]:
        return [
            {"port": int(port), "protocol": protocol} for port, protocol in (w.split("/") for w in wanted)
        ]

    nfs = ports("12049/TCP", "10111/TCP", "10111/UDP", "12049/UDP", "5353/UDP")
    smb = ports("12445/TCP", "5353/UDP", "3702/UDP", "5357/TCP")
    baseline = [
        {"ports": ports("8080/TCP"), "from": [OFFICE]},
        {"ports": ports("9090/TCP"), "from": [SCRAPERS]},
    ]
    assert landed(world, "NetworkPolicy") == {
        policy["metadata"]["name"]: policy
        for policy in (
            expected("media-adapter-nfs", adapter("nfs"), [{"ports": nfs, "from": [OFFICE]}]),
            expected("media-adapter-smb", adapter("smb"), [{"ports": smb, "from": [ANYBODY_HERE]}]),
            expected("media-baseline", {**LABELS, "dittofs.io/baseline-networkpolicy": "true"}, baseline),
            expected("media-default-deny", LABELS, None),
        )
    }


def test_a_server_that_exists_already_has_policies_for_its_adapters_and_named_ports(world: World) -> None:
    existing = {"name": "media", "namespace": "files", "adapters": PINNED}
    world.configure(existing, networkPolicy={"mode": "enabled", "ports": [8080]})
    world.up()

    policies = landed(world, "NetworkPolicy")
    assert set(policies) == {"media-adapter-nfs", "media-adapter-smb", "media-baseline"}
    assert policies["media-baseline"]["spec"]["ingress"] == [{"ports": [{"port": 8080, "protocol": "TCP"}]}]

    existing["adapters"] = {"pinned": PINNED["pinned"][:1]}
    world.configure(existing, networkPolicy={"mode": "enabled", "ports": [8080]}, removal="never")
    world.up()
    assert "media-adapter-smb" in landed(world, "NetworkPolicy"), "as long as its Service"


def test_an_ingress_to_the_api(world: World) -> None:
    route = {
        "host": "files.example.com",
        "ingressClass": "nginx",
        "tlsSecret": "files-tls",
        "annotations": {"example.com/backend": "HTTPS"},
    }
    world.configure(server(deploy={"api": {"ingress": route}}))
    world.up()

    backend = {"service": {"name": "media-api", "port": {"name": "api"}}}
    assert landed(world, "Ingress")["media-api"] == {
        "apiVersion": "networking.k8s.io/v1",
        "kind": "Ingress",
        "metadata": {
            "name": "media-api",
            "namespace": "files",
            "labels": component("api"),
            "annotations": {**SKIP_AWAIT, "example.com/backend": "HTTPS"},
        },
        "spec": {
            "ingressClassName": "nginx",
            "rules": [
                {
                    "host": "files.example.com",
                    "http": {"paths": [{"path": "/", "pathType": "Prefix", "backend": backend}]},
                }
            ],
            "tls": [{"hosts": ["files.example.com"], "secretName": "files-tls"}],
        },
    }


def test_kinds_of_others_are_declared_without_asking_where_manifests_are_rendered(world: World) -> None:
    certificate = {"issuer": {"name": "ca", "kind": "ClusterIssuer"}, "dnsNames": ["files.example.com"]}
    gateway = {
        "host": "files.example.com",
        "gateway": "edge",
        "gatewayNamespace": "edge-system",
        "section": "https",
        "annotations": {"example.com/a": "b"},
    }
    labels = {"release": "prometheus", "dittofs.io/metrics-service": "mine"}
    monitor = {"enabled": True, "interval": "90s", "labels": labels}
    token = {"secret": "scrape", "key": "token"}
    metrics = {"enabled": True, "bearerToken": token, "serviceMonitor": monitor}
    api = {"tls": {"secret": "media-tls", "certificate": certificate}, "gateway": gateway}
    world.configure(server(deploy={"api": api, "metrics": metrics}))

    report = world.up()

    assert not [line for line in report.lines("warning") if "unknown to the cluster" in line]
    assert landed(world, "ServiceMonitor")["media-metrics"] == {
        "apiVersion": "monitoring.coreos.com/v1",
        "kind": "ServiceMonitor",
        "metadata": {
            "name": "media-metrics",
            "namespace": "files",
            "labels": {
                **component("metrics"),
                "release": "prometheus",
                "dittofs.io/metrics-service": "true",
            },
        },
        "spec": {
            "selector": {"matchLabels": {**SELECTOR, "app.kubernetes.io/component": "metrics"}},
            "endpoints": [
                {
                    "port": "metrics",
                    "path": "/metrics",
                    "interval": "90s",
                    "authorization": {"type": "Bearer", "credentials": {"name": "scrape", "key": "token"}},
                }
            ],
        },
    }
    assert landed(world, "Certificate")["media-api"]["spec"] == {
        "secretName": "media-tls",
        "dnsNames": [
            "media-api",
            "media-api.files",
            "media-api.files.svc",
            "media-api.files.svc.cluster.local",
            "media-0.media-headless.files.svc",
            "media-0.media-headless.files.svc.cluster.local",
            "files.example.com",
        ],
        "usages": ["digital signature", "key encipherment", "server auth"],
        "issuerRef": {"name": "ca", "kind": "ClusterIssuer", "group": "cert-manager.io"},
    }
    route = landed(world, "HTTPRoute")["media-api"]
    assert route["apiVersion"] == "gateway.networking.k8s.io/v1"
    assert route["metadata"]["annotations"] == {"example.com/a": "b"}
    assert route["spec"] == {
        "parentRefs": [{"name": "edge", "namespace": "edge-system", "sectionName": "https"}],
        "hostnames": ["files.example.com"],
        "rules": [{"backendRefs": [{"name": "media-api", "port": 8080}]}],
    }


def test_nothing_is_made_before_its_namespace(pulumi_cli: PulumiCommand, tmp_path: Path) -> None:
    something_else = Event()

    def refuse(operation: str, urn: str) -> str | None:
        if urn.endswith("Namespace::files"):
            something_else.wait(PATIENCE_SECONDS)
            return "no namespaces today"
        something_else.set()
        return None

    with new_world(pulumi_cli, tmp_path, fail_on=refuse) as world:
        world.configure(server(deploy={"createNamespace": True}))
        report = world.stack.up()

    assert not report.ok
    assert any("no namespaces today" in line for line in report.lines("error"))
    assert not something_else.is_set()
