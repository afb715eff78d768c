"""Ways to a server's API from outside the cluster."""

import pulumi
from pulumi_kubernetes.apiextensions import CustomResource
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
from dittoinfra.decide.kinds import KindDecision, http_route
from dittoinfra.declare.custom import declare_custom
from dittoinfra.declare.metadata import SKIP_AWAIT, metadata
from dittoinfra.settings import Deploy, ServerSettings


def declare_ingress(server: ServerSettings, deploy: Deploy, opts: pulumi.ResourceOptions) -> Ingress | None:
    """The Ingress `{name}-api`, where the settings ask for one."""
    route = deploy.api.ingress
    if route is None:
        return None
    name = naming.api_service(server.name)
    backend = IngressServiceBackendArgs(name=name, port=ServiceBackendPortArgs(name="api"))
    path = HTTPIngressPathArgs(path="/", path_type="Prefix", backend=IngressBackendArgs(service=backend))
    certified = IngressTLSArgs(hosts=[route.host], secret_name=route.tls_secret)
    labels = naming.component_labels(server.name, "api", server.labels)
    return Ingress(
        name,
        # The engine would wait for an address, and for a server that may only just be starting.
        metadata=metadata(name, server.namespace, labels, {SKIP_AWAIT: "true", **route.annotations}),
        spec=IngressSpecArgs(
            ingress_class_name=route.ingress_class,
            rules=[IngressRuleArgs(host=route.host, http=HTTPIngressRuleValueArgs(paths=[path]))],
            tls=[certified] if route.tls_secret else None,
        ),
        opts=opts,
    )


def declare_http_route(
    server: ServerSettings, deploy: Deploy, decision: KindDecision, opts: pulumi.ResourceOptions
) -> CustomResource | None:
    """The HTTPRoute `{name}-api`, where the settings ask for one."""
    route = deploy.api.gateway
    if route is None:
        return None
    gateway = {
        "name": route.gateway,
        **({"namespace": route.gateway_namespace} if route.gateway_namespace else {}),
        **({"sectionName": route.section} if route.section else {}),
    }
    backend = {"name": naming.api_service(server.name), "port": deploy.api.port}
    return declare_custom(
        server,
        http_route(server.name),
        decision,
        naming.component_labels(server.name, "api", server.labels),
        {"parentRefs": [gateway], "hostnames": [route.host], "rules": [{"backendRefs": [backend]}]},
        opts,
        route.annotations,
    )
