"""The Services in front of a deployed server's API and metrics. No adapter decision ever touches them."""

from collections.abc import Mapping

import pulumi
from pulumi_kubernetes.core.v1 import Service, ServicePortArgs, ServiceSpecArgs

from dittoinfra import naming
from dittoinfra.declare.metadata import SKIP_AWAIT, metadata
from dittoinfra.settings import Deploy, ServerSettings


def declare_api_service(server: ServerSettings, deploy: Deploy, opts: pulumi.ResourceOptions) -> Service:
    """The Service `{name}-api`."""
    service = deploy.api.service
    return _declare(
        server,
        "api",
        naming.api_service(server.name),
        service.type,
        deploy.api.port,
        service.annotations,
        opts,
    )


def declare_metrics_service(server: ServerSettings, deploy: Deploy, opts: pulumi.ResourceOptions) -> Service:
    """The Service `{name}-metrics`, with the annotations that Prometheus finds targets by."""
    metrics = deploy.metrics
    annotations = {
        "prometheus.io/scrape": "true",
        "prometheus.io/port": str(metrics.port),
        "prometheus.io/path": metrics.path,
    }
    name = naming.metrics_service(server.name)
    return _declare(server, "metrics", name, "ClusterIP", metrics.port, annotations, opts)


def _declare(
    server: ServerSettings,
    component: str,
    name: str,
    kind: str,
    port: int,
    annotations: Mapping[str, str],
    opts: pulumi.ResourceOptions,
) -> Service:
    labels = naming.component_labels(server.name, component, server.labels)
    return Service(
        name,
        # Ready is what their Pod is, and a server that is being created must not hold up the run.
        metadata=metadata(name, server.namespace, labels, {SKIP_AWAIT: "true", **annotations}),
        spec=ServiceSpecArgs(
            type=kind,
            selector=naming.selector(server.name),
            ports=[ServicePortArgs(name=component, port=port, target_port=component, protocol="TCP")],
        ),
        opts=opts,
    )
