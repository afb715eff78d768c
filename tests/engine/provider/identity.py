"""What must outlive every update of an object: the API's own choices."""

from typing import Any

from tests.engine.namespace import Namespace

SERVICES, STATEFUL_SETS = "api/v1:services", "apis/apps/v1:statefulsets"


def identities(namespace: Namespace) -> dict[str, dict[str, Any]]:
    """Of every Service: its uid, its address, and the node port that each of its ports has by name."""
    return {
        service["metadata"]["name"]: {
            "uid": service["metadata"]["uid"],
            "clusterIP": service["spec"]["clusterIP"],
            "nodePorts": {
                port["name"]: port["nodePort"] for port in service["spec"]["ports"] if "nodePort" in port
            },
        }
        for service in namespace.get(SERVICES)["items"]
    }


def pod_template(namespace: Namespace, name: str = "media") -> int:
    """How often the spec of a StatefulSet was written: another number is another Pod."""
    return int(namespace.get(f"{STATEFUL_SETS}/{name}")["metadata"]["generation"])


def container_ports(namespace: Namespace, name: str = "media") -> dict[str, int]:
    """Ports of the first container, by name."""
    container = namespace.get(f"{STATEFUL_SETS}/{name}")["spec"]["template"]["spec"]["containers"][0]
    return {port.get("name", ""): port["containerPort"] for port in container.get("ports", [])}
