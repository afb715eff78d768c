"""How a deployed server's API and metrics are reached: Services, routes, certificate and monitor."""

import pulumi

from dittoinfra.decide.kinds import KindDecision
from dittoinfra.declare.certificate import declare_certificate
from dittoinfra.declare.monitoring import declare_service_monitor
from dittoinfra.declare.routes import declare_http_route, declare_ingress
from dittoinfra.declare.services import declare_api_service, declare_metrics_service
from dittoinfra.settings import Deploy, ServerSettings


def declare_reach(
    server: ServerSettings, deploy: Deploy, kinds: KindDecision, opts: pulumi.ResourceOptions
) -> None:
    """Everything between a deployed server and whoever manages or watches it."""
    declare_api_service(server, deploy, opts)
    if deploy.metrics.enabled:
        declare_metrics_service(server, deploy, opts)
    declare_service_monitor(server, deploy, kinds, opts)
    declare_certificate(server, deploy, kinds, opts)
    declare_ingress(server, deploy, opts)
    declare_http_route(server, deploy, kinds, opts)
