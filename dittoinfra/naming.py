"""Every name and label dittoinfra gives to a Kubernetes object is built here."""

import re
from collections.abc import Mapping
from hashlib import sha256

NAME_LIMIT = 63
PORT_NAME_LIMIT = 15

ADAPTER_SERVICE_LABEL = "dittofs.io/adapter-service"
ADAPTER_TYPE_LABEL = "dittofs.io/adapter-type"
ADAPTER_POLICY_LABEL = "dittofs.io/adapter-networkpolicy"
BASELINE_POLICY_LABEL = "dittofs.io/baseline-networkpolicy"
COMPONENT_LABEL = "app.kubernetes.io/component"
MANAGED_BY_LABEL = "app.kubernetes.io/managed-by"
ABSENCE_ANNOTATION = "dittofs.io/absence-count"
CONFIG_HASH_ANNOTATION = "dittofs.io/config-hash"

APP = "dittofs"
"""What a server is an instance of, in Kubernetes' recommended labels."""

SERVER_TYPE = "dittoinfra:index:Server"
"""Type token of the component around everything of one server; part of the URNs in it."""

POSTGRES_USER = "dittofs"
"""A server's user in the PostgreSQL cluster that is declared with it; part of a Secret's name."""

ADAPTER_SERVICE_TYPE = "dittoinfra:index:AdapterService"
"""Type token of the component around an adapter's Services; part of their URNs."""


def sanitize(text: str) -> str:
    """Lower case with single dashes: safe as a part of any Kubernetes name."""
    return re.sub(r"[^a-z0-9]+", "-", text.lower()).strip("-")


def adapter_service(server: str, adapter_type: str) -> str:
    """Name of an adapter's Service, and of everything else that belongs to one adapter."""
    return _cut(f"{server}-adapter-{sanitize(adapter_type)}", NAME_LIMIT, keep=54)


def adapter_udp_service(server: str, adapter_type: str) -> str:
    """Name of the second Service where UDP ports are split off."""
    return _cut(f"{server}-adapter-{sanitize(adapter_type)}-udp", NAME_LIMIT, keep=54)


def adapter_names(server: str, adapter_type: str) -> tuple[str, ...]:
    """Every name that belongs to one adapter alone, whether its UDP ports are split off today or not."""
    return (
        adapter_service(server, adapter_type),
        adapter_udp_service(server, adapter_type),
        port_name(f"adapter-{adapter_type}"),
    )


def adapter_resource(server: str, adapter_type: str) -> str:
    """Name of an adapter in the engine's state, and of its removal in `approveRemovals`."""
    return f"{server}/{adapter_type}"


def parse_adapter_resource(name: str) -> tuple[str, str] | None:
    """Server and type from an adapter's name in the engine's state; None for any other name."""
    server, slash, adapter_type = name.partition("/")
    return (server, adapter_type) if slash and ":" not in server else None


def udp_resource(adapter: str) -> str:
    """Name of an adapter's split-off UDP Service in the engine's state: never taken for an adapter's."""
    return f"udp:{adapter}"


def headless_service(server: str) -> str:
    """Name of the Service that gives a server's Pods their DNS names."""
    return f"{server}-headless"


def api_service(server: str) -> str:
    """Name of the Service in front of a server's API, and of whatever leads to it."""
    return f"{server}-api"


def metrics_service(server: str) -> str:
    """Name of the Service in front of a server's metrics, and of what scrapes it."""
    return f"{server}-metrics"


def api_host_name(server: str, namespace: str) -> str:
    """The name under which a server's API is found from any namespace of the cluster."""
    return f"{api_service(server)}.{namespace}.svc"


def api_host_names(server: str, namespace: str) -> list[str]:
    """Every name under which a server's API is found inside the cluster."""
    service, pod = api_service(server), f"{server}-0.{headless_service(server)}"
    return [
        service,
        f"{service}.{namespace}",
        api_host_name(server, namespace),
        f"{service}.{namespace}.svc.cluster.local",
        f"{pod}.{namespace}.svc",
        f"{pod}.{namespace}.svc.cluster.local",
    ]


def file_service(server: str) -> str:
    """Name of the Service that older deployments had in front of all protocols at once."""
    return f"{server}-file"


def baseline_policy(server: str) -> str:
    """Name of the network policy that lets API and metrics in."""
    return f"{server}-baseline"


def default_deny_policy(server: str) -> str:
    """Name of the network policy that lets nothing in."""
    return f"{server}-default-deny"


def config_map(server: str) -> str:
    """Name of the ConfigMap with the server's `config.yaml`."""
    return f"{server}-config"


def jwt_secret(server: str) -> str:
    """Name of the Secret that signs the server's tokens."""
    return f"{server}-jwt-secret"


def admin_secret(server: str) -> str:
    """Name of the Secret with the first administrator's login."""
    return f"{server}-admin-bootstrap-credentials"


def database_cluster(server: str) -> str:
    """Name of the PostgreSQL cluster that Percona's operator runs for a server."""
    return f"{server}-postgres"


def database_secret(server: str) -> str:
    """Name of the Secret in which Percona's operator tells how to log in to that cluster."""
    return f"{database_cluster(server)}-pguser-{POSTGRES_USER}"


def port_name(text: str) -> str:
    """A port's name; a long one is cut exactly as the DittoFS operator cuts it."""
    return _cut(sanitize(text), PORT_NAME_LIMIT, keep=10, digits=4)


def selector(server: str) -> dict[str, str]:
    """What finds a server's Pods. Immutable on a StatefulSet, so it stays the operator's."""
    return {"app": "dittofs-server", "instance": server}


def recommended_labels(app: str, instance: str, managed_by: str = "pulumi") -> dict[str, str]:
    """Labels that Kubernetes recommends for every object: what it is, which one, and who looks after it."""
    return {
        "app.kubernetes.io/name": app,
        "app.kubernetes.io/instance": instance,
        MANAGED_BY_LABEL: managed_by,
    }


def server_labels(server: str, extra: Mapping[str, str]) -> dict[str, str]:
    """Labels of everything declared for a server; what identifies it wins over what was configured."""
    return {
        **extra,
        **selector(server),
        **recommended_labels(APP, server),
        "app.kubernetes.io/part-of": APP,
    }


def component_labels(server: str, component: str, extra: Mapping[str, str]) -> dict[str, str]:
    """Labels of an object that is for one part of a server."""
    return {**server_labels(server, extra), COMPONENT_LABEL: component}


def adapter_labels(server: str, adapter_type: str, extra: Mapping[str, str]) -> dict[str, str]:
    """Labels of an adapter's Service."""
    return {
        **_labels_of_adapter(server, adapter_type, extra),
        ADAPTER_SERVICE_LABEL: "true",
    }


def adapter_policy_labels(server: str, adapter_type: str, extra: Mapping[str, str]) -> dict[str, str]:
    """Labels of an adapter's network policy."""
    return {**_labels_of_adapter(server, adapter_type, extra), ADAPTER_POLICY_LABEL: "true"}


def _labels_of_adapter(server: str, adapter_type: str, extra: Mapping[str, str]) -> dict[str, str]:
    return {**component_labels(server, "adapter", extra), ADAPTER_TYPE_LABEL: sanitize(adapter_type)}


def _cut(text: str, limit: int, *, keep: int, digits: int = 8) -> str:
    if len(text) <= limit:
        return text
    return f"{text[:keep].rstrip('-')}-{sha256(text.encode()).hexdigest()[:digits]}"
