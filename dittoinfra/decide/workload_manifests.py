"""The objects of a deployed server, and the patch of another manager's, as Kubernetes takes them. Pure.

Those of its adapters are in `adapter_manifests.py`, the Pod's template in `pod_template.py`.
"""

import base64
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from pydantic import SecretStr

from dittoinfra import naming
from dittoinfra.decide.adapter_manifests import SKIP_AWAIT, Manifest, object_metadata
from dittoinfra.decide.config_file import ADMIN
from dittoinfra.decide.custom_kinds import PERCONA_CLUSTER, CustomObject
from dittoinfra.decide.exposure import ContainerPort, ServicePort
from dittoinfra.decide.immutable_fields import planned_fields
from dittoinfra.decide.pod import CONFIG_KEY, JWT_KEY, PASSWORD_KEY, USERNAME_KEY
from dittoinfra.nested_values import UNKNOWN
from dittoinfra.object_model import VolumeClaim
from dittoinfra.settings import Deploy, ServerSecrets, ServerSettings

_READY_AT_ONCE = {"pulumi.com/waitFor": "jsonpath={.metadata.uid}"}
"""Keeps the provider from waiting until the Pod is ready. With `skipAwait` it would not wait for a deletion
either, and the successor of a StatefulSet would meet the one that is still being deleted.
"""


def api_services(server: ServerSettings, deploy: Deploy) -> Iterator[Manifest]:
    """Services of the API and of the metrics. No adapter decision ever touches them."""
    api, metrics = deploy.api, deploy.metrics
    labels = naming.component_labels(server.name, "api", server.labels)
    name = naming.api_service(server.name)
    yield _component_service(server, name, labels, api.service.annotations, "api", api.port, api.service.type)
    if metrics.enabled:
        # Prometheus finds its targets by these annotations.
        annotations = {
            "prometheus.io/scrape": "true",
            "prometheus.io/port": str(metrics.port),
            "prometheus.io/path": metrics.path,
        }
        name, labels = naming.metrics_service(server.name), naming.metrics_labels(server.name, server.labels)
        yield _component_service(server, name, labels, annotations, "metrics", metrics.port, "ClusterIP")


def api_ingress(server: ServerSettings, deploy: Deploy) -> Manifest | None:
    """The Ingress `{name}-api`, where the settings ask for one."""
    route = deploy.api.ingress
    if route is None:
        return None
    name = naming.api_service(server.name)
    backend = {"service": {"name": name, "port": {"name": "api"}}}
    paths = [{"path": "/", "pathType": "Prefix", "backend": backend}]
    return {
        "apiVersion": "networking.k8s.io/v1",
        "kind": "Ingress",
        # The engine would wait for an address, and for a server that may only just be starting.
        "metadata": object_metadata(
            name,
            server.namespace,
            naming.component_labels(server.name, "api", server.labels),
            {SKIP_AWAIT: "true", **route.annotations},
        ),
        "spec": {
            **({"ingressClassName": route.ingress_class} if route.ingress_class is not None else {}),
            "rules": [{"host": route.host, "http": {"paths": paths}}],
            **(
                {"tls": [{"hosts": [route.host], "secretName": route.tls_secret}]} if route.tls_secret else {}
            ),
        },
    }


def headless_service(server: ServerSettings, ports: Sequence[ServicePort]) -> Manifest:
    """The Service `{name}-headless`: DNS names for Pods, and no address of its own."""
    return {
        "apiVersion": "v1",
        "kind": "Service",
        # The provider would wait for a Pod behind it, which is created after it.
        "metadata": _metadata(server, naming.headless_service(server.name), {SKIP_AWAIT: "true"}),
        "spec": {
            "clusterIP": "None",
            # A Pod's name must resolve before it is ready: its readiness may depend on that.
            "publishNotReadyAddresses": True,
            "selector": naming.selector(server.name),
            "ports": [
                {"name": p.name, "port": p.port, "targetPort": p.target, "protocol": p.protocol}
                for p in ports
            ],
        },
    }


def disruption_budget(server: ServerSettings) -> Manifest:
    """A budget of no eviction at all.

    With a single Pod there is nothing between that and no budget: allowing one eviction allows every one.
    """
    return {
        "apiVersion": "policy/v1",
        "kind": "PodDisruptionBudget",
        "metadata": _metadata(server, server.name),
        "spec": {
            "maxUnavailable": 0,
            # A drain need not wait for a Pod that serves no clients.
            "unhealthyPodEvictionPolicy": "AlwaysAllow",
            "selector": {"matchLabels": naming.selector(server.name)},
        },
    }


def config_map(server: ServerSettings, config: str) -> Manifest:
    """The ConfigMap that the server starts from."""
    metadata = _metadata(server, naming.config_map(server.name))
    return {"apiVersion": "v1", "kind": "ConfigMap", "metadata": metadata, "data": {CONFIG_KEY: config}}


def secrets(server: ServerSettings, made: ServerSecrets, *, known: bool) -> Iterator[Manifest]:
    """The Secrets that the stack makes; a preview of those that are not `known` yet shows no value."""
    if made.jwt is not None:
        yield _secret(server, naming.jwt_secret(server.name), {JWT_KEY: _encoded(made.jwt, known=known)})
    if made.admin_password is not None:
        login = {
            USERNAME_KEY: _encoded(SecretStr(ADMIN), known=True),
            PASSWORD_KEY: _encoded(made.admin_password, known=known),
        }
        yield _secret(server, naming.admin_secret(server.name), login)


def stateful_set(server: ServerSettings, deploy: Deploy, template: Mapping[str, Any]) -> Manifest:
    """The StatefulSet, as the DittoFS operator makes it."""
    fixed = planned_fields(server, deploy)
    return {
        "apiVersion": "apps/v1",
        "kind": "StatefulSet",
        "metadata": _metadata(server, server.name, _READY_AT_ONCE),
        "spec": {
            "replicas": deploy.replicas,
            "serviceName": fixed.service_name,
            "selector": {"matchLabels": dict(fixed.selector)},
            "podManagementPolicy": fixed.pod_management,
            "updateStrategy": {"type": deploy.update_strategy},
            "template": template,
            "volumeClaimTemplates": [_claim(claim) for claim in fixed.claims],
            "persistentVolumeClaimRetentionPolicy": {"whenDeleted": "Retain", "whenScaled": "Retain"},
        },
    }


def ports_text(ports: Sequence[ContainerPort]) -> str:
    """Patched ports as an annotation records them."""
    return ",".join(naming.port_text(port.name, port.port, port.protocol) for port in ports)


def port_patch(server: ServerSettings, ports: Sequence[ContainerPort]) -> Manifest:
    """The adapters' ports on a StatefulSet of another manager; everything else is left as it is."""
    container = {
        "name": naming.CONTAINER,
        "ports": [{"name": p.name, "containerPort": p.port, "protocol": p.protocol} for p in ports],
    }
    return {
        "apiVersion": "apps/v1",
        "kind": "StatefulSet",
        "metadata": {
            "name": server.name,
            "namespace": server.namespace,
            # The provider would wait until the other manager's StatefulSet is ready.
            "annotations": {naming.PATCHED_PORTS_ANNOTATION: ports_text(ports), SKIP_AWAIT: "true"},
        },
        "spec": {"template": {"spec": {"containers": [container]}}},
    }


def custom_manifest(server: ServerSettings, this: CustomObject) -> Manifest:
    """An object of a kind that is not built into Kubernetes."""
    # The server waits for its database by itself, so that `up` need not.
    annotations = {SKIP_AWAIT: "true"} if this.kind == PERCONA_CLUSTER else this.annotations
    return {
        "apiVersion": this.kind.api_version,
        "kind": this.kind.kind,
        "metadata": object_metadata(this.name, server.namespace, this.labels, annotations),
        "spec": dict(this.spec),
    }


def namespace_manifest(name: str) -> Manifest:
    """A namespace that the stack declares for its servers."""
    labels = {naming.MANAGED_BY_LABEL: "pulumi"}
    return {"apiVersion": "v1", "kind": "Namespace", "metadata": {"name": name, "labels": labels}}


def _component_service(
    server: ServerSettings,
    name: str,
    labels: Mapping[str, str],
    annotations: Mapping[str, str],
    component: str,
    port: int,
    kind: str,
) -> Manifest:
    return {
        "apiVersion": "v1",
        "kind": "Service",
        # They are ready when their Pod is, and a server that is being created must not delay the run.
        "metadata": object_metadata(name, server.namespace, labels, {SKIP_AWAIT: "true", **annotations}),
        "spec": {
            "type": kind,
            "selector": naming.selector(server.name),
            "ports": [{"name": component, "port": port, "targetPort": component, "protocol": "TCP"}],
        },
    }


def _secret(server: ServerSettings, name: str, data: Mapping[str, str]) -> Manifest:
    metadata = _metadata(server, name)
    return {"apiVersion": "v1", "kind": "Secret", "metadata": metadata, "type": "Opaque", "data": data}


def _encoded(value: SecretStr, *, known: bool) -> str:
    return base64.b64encode(value.get_secret_value().encode()).decode() if known else UNKNOWN


def _claim(claim: VolumeClaim) -> Manifest:
    storage_class = {"storageClassName": claim.storage_class} if claim.storage_class is not None else {}
    resources = {"requests": {"storage": claim.size or ""}}
    return {
        "metadata": {"name": claim.name},
        "spec": {"accessModes": ["ReadWriteOnce"], **storage_class, "resources": resources},
    }


def _metadata(
    server: ServerSettings, name: str, annotations: Mapping[str, str] | None = None
) -> dict[str, Any]:
    labels = naming.server_labels(server.name, server.labels)
    return object_metadata(name, server.namespace, labels, annotations or {})
