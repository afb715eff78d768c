"""The expected manifest of an adapter's Service, written independently of the product's code."""

from collections.abc import Iterator
from hashlib import sha256
from typing import Any

from tests.chaos.histories.events import AdapterName
from tests.chaos.histories.stack_configuration import StackConfiguration

COUNT = "dittofs.io/absence-count"

Manifest = dict[str, Any]


def service_name(adapter: AdapterName) -> str:
    """The name of an adapter's Service."""
    return f"{adapter.server}-adapter-{adapter.type}"


def data_port_name(adapter_type: str) -> str:
    """The name of an adapter's data port."""
    return _port_name(f"adapter-{adapter_type}")


def manifest(
    adapter: AdapterName, port: int, count: int, configuration: StackConfiguration, namespace: str
) -> Manifest:
    """The complete manifest of an adapter's Service."""
    selector = {"app": "dittofs-server", "instance": adapter.server}
    annotations = {"pulumi.com/skipAwait": "true", **configuration.notes(adapter.server, adapter.type)}
    if count:
        annotations[COUNT] = str(count)
    spec: Manifest = {
        "type": configuration.service_type,
        "selector": selector,
        "ports": list(_ports(adapter.type, port, configuration)),
    }
    if configuration.traffic_policy and configuration.service_type != "ClusterIP":
        spec["externalTrafficPolicy"] = configuration.traffic_policy
    return {
        "apiVersion": "v1",
        "kind": "Service",
        "metadata": {
            "name": service_name(adapter),
            "namespace": namespace,
            "labels": {
                **selector,
                "dittofs.io/adapter-service": "true",
                "dittofs.io/adapter-type": adapter.type,
                "app.kubernetes.io/name": "dittofs",
                "app.kubernetes.io/instance": adapter.server,
                "app.kubernetes.io/component": "adapter",
                "app.kubernetes.io/part-of": "dittofs",
                "app.kubernetes.io/managed-by": "pulumi",
            },
            "annotations": annotations,
        },
        "spec": spec,
    }


def _ports(adapter_type: str, port: int, configuration: StackConfiguration) -> Iterator[Manifest]:
    outside = dict(configuration.service_ports).get(adapter_type, port)
    operator = configuration.preset == "operator"
    nfs, smb = adapter_type == "nfs", adapter_type == "smb"
    yield _port(data_port_name(adapter_type), outside, port, "TCP")
    if operator and nfs:
        yield _port("portmap", 111, 10111, "TCP")
        yield _port("portmap-udp", 111, 10111, "UDP")
    if not smb and (configuration.udp or (operator and nfs)):
        yield _port(_port_name(f"adapter-{adapter_type}-udp"), outside, port, "UDP")
    if operator and (nfs or smb):
        yield _port("mdns", 5353, 5353, "UDP")
    if operator and smb:
        yield _port("wsd", 3702, 3702, "UDP")
        yield _port("wsd-meta", 5357, 5357, "TCP")


def _port(name: str, port: int, target: int, protocol: str) -> Manifest:
    return {"name": name, "port": port, "targetPort": target, "protocol": protocol}


def _port_name(text: str) -> str:
    """At most 15 characters, shortened as the DittoFS operator does it."""
    return text if len(text) <= 15 else f"{text[:10]}-{sha256(text.encode()).hexdigest()[:4]}"
