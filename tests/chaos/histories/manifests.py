"""What must be declared for an adapter, written down once more: an oracle must not ask the code it judges."""

from collections.abc import Iterator
from hashlib import sha256
from typing import Any

from tests.chaos.histories.events import Place
from tests.chaos.histories.wishes import Wishes

COUNT = "dittofs.io/absence-count"

Manifest = dict[str, Any]


def service_name(place: Place) -> str:
    """The Service of an adapter."""
    return f"{place.server}-adapter-{place.type}"


def data_port_name(adapter_type: str) -> str:
    """The name of an adapter's data port."""
    return _port_name(f"adapter-{adapter_type}")


def manifest(place: Place, port: int, count: int, wishes: Wishes, namespace: str) -> Manifest:
    """The whole declaration of an adapter's Service."""
    selector = {"app": "dittofs-server", "instance": place.server}
    annotations = {"pulumi.com/skipAwait": "true", **wishes.notes(place.server, place.type)}
    if count:
        annotations[COUNT] = str(count)
    spec: Manifest = {
        "type": wishes.service_type,
        "selector": selector,
        "ports": list(_ports(place.type, port, wishes)),
    }
    if wishes.traffic_policy and wishes.service_type != "ClusterIP":
        spec["externalTrafficPolicy"] = wishes.traffic_policy
    return {
        "apiVersion": "v1",
        "kind": "Service",
        "metadata": {
            "name": service_name(place),
            "namespace": namespace,
            "labels": {
                **selector,
                "dittofs.io/adapter-service": "true",
                "dittofs.io/adapter-type": place.type,
                "app.kubernetes.io/name": "dittofs",
                "app.kubernetes.io/instance": place.server,
                "app.kubernetes.io/component": "adapter",
                "app.kubernetes.io/part-of": "dittofs",
                "app.kubernetes.io/managed-by": "pulumi",
            },
            "annotations": annotations,
        },
        "spec": spec,
    }


def _ports(adapter_type: str, port: int, wishes: Wishes) -> Iterator[Manifest]:
    outside = dict(wishes.service_ports).get(adapter_type, port)
    operator = wishes.preset == "operator"
    nfs, smb = adapter_type == "nfs", adapter_type == "smb"
    yield _port(data_port_name(adapter_type), outside, port, "TCP")
    if operator and nfs:
        yield _port("portmap", 111, 10111, "TCP")
        yield _port("portmap-udp", 111, 10111, "UDP")
    if not smb and (wishes.udp or (operator and nfs)):
        yield _port(_port_name(f"adapter-{adapter_type}-udp"), outside, port, "UDP")
    if operator and (nfs or smb):
        yield _port("mdns", 5353, 5353, "UDP")
    if operator and smb:
        yield _port("wsd", 3702, 3702, "UDP")
        yield _port("wsd-meta", 5357, 5357, "TCP")


def _port(name: str, port: int, target: int, protocol: str) -> Manifest:
    return {"name": name, "port": port, "targetPort": target, "protocol": protocol}


def _port_name(text: str) -> str:
    """At most 15 characters, cut as the operator cuts them."""
    return text if len(text) <= 15 else f"{text[:10]}-{sha256(text.encode()).hexdigest()[:4]}"
