"""Every name and label dittoinfra gives to a Kubernetes object is built here."""

import re
from collections.abc import Callable, Mapping
from hashlib import sha256

NAME_LIMIT = 63
PORT_NAME_LIMIT = 15

ADAPTER_SERVICE_LABEL = "dittofs.io/adapter-service"
ADAPTER_TYPE_LABEL = "dittofs.io/adapter-type"
ADAPTER_POLICY_LABEL = "dittofs.io/adapter-networkpolicy"
BASELINE_POLICY_LABEL = "dittofs.io/baseline-networkpolicy"
METRICS_SERVICE_LABEL = "dittofs.io/metrics-service"
COMPONENT_LABEL = "app.kubernetes.io/component"
MANAGED_BY_LABEL = "app.kubernetes.io/managed-by"
ABSENCE_ANNOTATION = "dittofs.io/absence-count"
CONFIG_HASH_ANNOTATION = "dittofs.io/config-hash"
SECRETS_HASH_ANNOTATION = "dittofs.io/secrets-hash"
PATCHED_PORTS_ANNOTATION = "dittofs.io/adapter-ports"
RESTARTED_ANNOTATION = "kubectl.kubernetes.io/restartedAt"
"""What `kubectl rollout restart` writes on a Pod's template."""

SELECT_ALL = "app=dittofs-server"
"""A label selector that finds everything declared for any server."""

APP = "dittofs"
"""What a server is an instance of, in Kubernetes' recommended labels."""

CONTAINER = "dittofs"
"""The server's container in its Pod, as the operator calls it."""

POSTGRES_USER = "dittofs"
"""A server's user in the PostgreSQL cluster that is declared with it; part of a Secret's name."""


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


def port_text(name: str, port: int, protocol: str) -> str:
    """A container's port in the annotation that tells which ports the stack has added to it."""
    return f"{name}={port}/{protocol}"


def _ending(ending: str) -> Callable[[str], str]:
    """The name of an object that a server has one of, from the server's name."""
    return lambda server: f"{server}-{ending}"


headless_service = _ending("headless")
"""Name of the Service that gives a server's Pods their DNS names."""
api_service = _ending("api")
"""Name of the Service in front of a server's API, and of the routes to it."""
metrics_service = _ending("metrics")
"""Name of the Service in front of a server's metrics, and of what scrapes it."""
file_service = _ending("file")
"""Name of the Service that older deployments had in front of all protocols at once."""
baseline_policy = _ending("baseline")
"""Name of the network policy that allows API and metrics."""
default_deny_policy = _ending("default-deny")
"""Name of the network policy that allows nothing."""
config_map = _ending("config")
"""Name of the ConfigMap with the server's `config.yaml`."""
jwt_secret = _ending("jwt-secret")
"""Name of the Secret that signs the server's tokens."""
admin_secret = _ending("admin-bootstrap-credentials")
"""Name of the Secret with the first administrator's login."""
database_cluster = _ending("postgres")
"""Name of the PostgreSQL cluster that Percona's operator runs for a server."""


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


def database_secret(server: str) -> str:
    """Name of the Secret in which Percona's operator stores the login to that cluster."""
    return f"{database_cluster(server)}-pguser-{POSTGRES_USER}"


def port_name(text: str) -> str:
    """A port's name; a long one is cut exactly as the DittoFS operator cuts it."""
    return _cut(sanitize(text), PORT_NAME_LIMIT, keep=10, digits=4)


def selector(server: str) -> dict[str, str]:
    """Selects a server's Pods. Immutable on a StatefulSet, so it stays the operator's."""
    return {"app": "dittofs-server", "instance": server}


def labels_text(labels: Mapping[str, object]) -> str:
    """Labels as `kubectl -l` takes them."""
    return ",".join(f"{key}={value}" for key, value in sorted(labels.items())) or "nothing"


def recommended_labels(app: str, instance: str, managed_by: str = "pulumi") -> dict[str, str]:
    """Labels that Kubernetes recommends for every object: application, instance, and managing tool."""
    return {
        "app.kubernetes.io/name": app,
        "app.kubernetes.io/instance": instance,
        MANAGED_BY_LABEL: managed_by,
    }


def server_labels(server: str, extra: Mapping[str, str]) -> dict[str, str]:
    """Labels of everything declared for a server; what identifies it wins over what was configured."""
    return {**extra, **selector(server), **recommended_labels(APP, server), "app.kubernetes.io/part-of": APP}


def component_labels(server: str, component: str, extra: Mapping[str, str]) -> dict[str, str]:
    """Labels of an object that is for one part of a server."""
    return {**server_labels(server, extra), COMPONENT_LABEL: component}


def metrics_labels(server: str, extra: Mapping[str, str]) -> dict[str, str]:
    """Labels of what leads to a server's metrics: one of them is the operator's, which monitors select by."""
    return {**component_labels(server, "metrics", extra), METRICS_SERVICE_LABEL: "true"}


def adapter_labels(server: str, adapter_type: str, kind: str, extra: Mapping[str, str]) -> dict[str, str]:
    """Labels of an adapter's object; `kind` is the label that says what it is to the adapter."""
    labels = component_labels(server, "adapter", extra)
    return {**labels, ADAPTER_TYPE_LABEL: sanitize(adapter_type), kind: "true"}


def _cut(text: str, limit: int, *, keep: int, digits: int = 8) -> str:
    if len(text) <= limit:
        return text
    return f"{text[:keep].rstrip('-')}-{sha256(text.encode()).hexdigest()[:digits]}"
