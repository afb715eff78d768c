"""How a deployed server's API and metrics are reached. No adapter decision ever touches these objects."""

from collections.abc import Mapping

import pulumi
from pulumi_kubernetes.core.v1 import Service, ServicePortArgs, ServiceSpecArgs
from pulumi_kubernetes.networking.v1 import (
    HTTPIngressPathArgs,
    HTTPIngressRuleValueArgs,
    Ingress,
    IngressBackendArgs,
    IngressRuleArgs,
    IngressServiceBackendArgs,
    IngressSpecArgs,
    IngressTLSArgs,
    ServiceBackendPortArgs,
)

from dittoinfra import naming
from dittoinfra.components.resource_inputs import SKIP_AWAIT, deleted_promptly, metadata, state_name
from dittoinfra.settings import Deploy, ServerSettings


def declare_services(server: ServerSettings, deploy: Deploy, opts: pulumi.ResourceOptions) -> None:
    """Services of a deployed server's API and metrics, and an Ingress to the API."""
    api, metrics = deploy.api, deploy.metrics
    _declare_service(
        server,
        "api",
        naming.api_service(server.name),
        naming.component_labels(server.name, "api", server.labels),
        api.service.type,
        api.port,
        api.service.annotations,
        opts,
    )
    if metrics.enabled:
        # Prometheus finds its targets by these annotations.
        annotations = {
            "prometheus.io/scrape": "true",
            "prometheus.io/port": str(metrics.port),
            "prometheus.io/path": metrics.path,
        }
        name, labels = naming.metrics_service(server.name), naming.metrics_labels(server.name, server.labels)
        _declare_service(server, "metrics", name, labels, "ClusterIP", metrics.port, annotations, opts)
    _declare_ingress(server, deploy, opts)


def _declare_service(
    server: ServerSettings,
    component: str,
    name: str,
    labels: Mapping[str, str],
    kind: str,
    port: int,
    annotations: Mapping[str, str],
    opts: pulumi.ResourceOptions,
) -> None:
    Service(
        state_name(name, opts),
        # They are ready when their Pod is, and a server that is being created must not delay the run.
        metadata=metadata(name, server.namespace, labels, {SKIP_AWAIT: "true", **annotations}),
        spec=ServiceSpecArgs(
            type=kind,
            selector=naming.selector(server.name),
            ports=[ServicePortArgs(name=component, port=port, target_port=component, protocol="TCP")],
        ),
        opts=deleted_promptly(opts),
    )


def _declare_ingress(server: ServerSettings, deploy: Deploy, opts: pulumi.ResourceOptions) -> None:
    """The Ingress `{name}-api`, where the settings ask for one."""
    route = deploy.api.ingress
    if route is None:
        return
    name = naming.api_service(server.name)
    backend = IngressServiceBackendArgs(name=name, port=ServiceBackendPortArgs(name="api"))
    path = HTTPIngressPathArgs(path="/", path_type="Prefix", backend=IngressBackendArgs(service=backend))
    tls = IngressTLSArgs(hosts=[route.host], secret_name=route.tls_secret)
    labels = naming.component_labels(server.name, "api", server.labels)
    Ingress(
        state_name(name, opts),
        # The engine would wait for an address, and for a server that may only just be starting.
        metadata=metadata(name, server.namespace, labels, {SKIP_AWAIT: "true", **route.annotations}),
        spec=IngressSpecArgs(
            ingress_class_name=route.ingress_class,
            rules=[IngressRuleArgs(host=route.host, http=HTTPIngressRuleValueArgs(paths=[path]))],
            tls=[tls] if route.tls_secret else None,
        ),
        opts=opts,
    )
