"""Each setting, changed on its own, touches the objects that it is about and no others."""

from copy import deepcopy
from typing import Any

from tests.engine.deploy.network import server
from tests.engine.deploy.workload import touched
from tests.engine.world import World

OFFICE = {"ipBlock": {"cidr": "10.0.0.0/8"}}
POLICIES = {"NetworkPolicy/media-baseline", "NetworkPolicy/media/nfs", "NetworkPolicy/media/smb"}
POD = {"ConfigMap/media-config", "StatefulSet/media"}

BASE = server(
    networkPolicy={"mode": "enabled"},
    deploy={
        "api": {
            "tls": {"secret": "tls", "certificate": {"issuer": {"name": "ca"}}},
            "ingress": {"host": "a.example"},
        },
        "metrics": {"enabled": True, "serviceMonitor": {"enabled": True}},
    },
)

CHANGES: list[tuple[str, Any, set[str]]] = [
    ("deploy.api.service.type", "NodePort", {"Service/media-api"}),
    ("deploy.api.service.annotations", {"a": "b"}, {"Service/media-api"}),
    ("deploy.api.tls.certificate.dnsNames", ["a.example"], {"Certificate/media-api"}),
    ("deploy.api.tls.certificate.issuer.kind", "ClusterIssuer", {"Certificate/media-api"}),
    ("deploy.api.ingress.host", "b.example", {"Ingress/media-api"}),
    ("deploy.api.ingress.tlsSecret", "edge-tls", {"Ingress/media-api"}),
    ("deploy.api.networkPolicyFrom", [OFFICE], {"NetworkPolicy/media-baseline"}),
    ("deploy.metrics.networkPolicyFrom", [OFFICE], {"NetworkPolicy/media-baseline"}),
    ("deploy.metrics.serviceMonitor.interval", "1m", {"ServiceMonitor/media-metrics"}),
    ("deploy.metrics.serviceMonitor.labels", {"a": "b"}, {"ServiceMonitor/media-metrics"}),
    ("deploy.metrics.serviceMonitor.enabled", False, {"ServiceMonitor/media-metrics"}),
    ("deploy.metrics.path", "/m", {"Service/media-metrics", "ServiceMonitor/media-metrics", *POD}),
    ("deploy.createNamespace", True, {"Namespace/files"}),
    ("networkPolicy.from", [OFFICE], POLICIES),
    ("networkPolicy.ports", [2112], {"NetworkPolicy/media-baseline"}),
    ("networkPolicy.mode", "disabled", POLICIES),
    ("networkPolicy.mode", "defaultDeny", {"NetworkPolicy/media-default-deny"}),
    ("adapters.types", {"nfs": {"networkPolicyFrom": [OFFICE]}}, {"NetworkPolicy/media/nfs"}),
]


def changed(path: str, value: object) -> dict[str, Any]:
    block = result = deepcopy(BASE)
    *outer, last = path.split(".")
    for key in outer:
        block = block.setdefault(key, {})
    block[last] = value
    return result


def test_every_setting_touches_what_it_is_about(world: World) -> None:
    world.configure(BASE)
    world.up()
    world.assert_settled()

    for path, value, objects in CHANGES:
        world.configure(changed(path, value))
        assert set(touched(world.preview())) == objects, path
