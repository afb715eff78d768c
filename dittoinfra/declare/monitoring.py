"""How Prometheus Operator finds a server's metrics."""

import pulumi
from pulumi_kubernetes.apiextensions import CustomResource

from dittoinfra import naming
from dittoinfra.decide.kinds import KindDecision, service_monitor
from dittoinfra.declare.custom import declare_custom
from dittoinfra.settings import Deploy, ServerSettings
from dittoinfra.settings.base import duration_text


def declare_service_monitor(
    server: ServerSettings, deploy: Deploy, decision: KindDecision, opts: pulumi.ResourceOptions
) -> CustomResource | None:
    """The ServiceMonitor `{name}-metrics`, where the settings ask for one."""
    metrics, monitor = deploy.metrics, deploy.metrics.service_monitor
    if not (metrics.enabled and monitor.enabled):
        return None
    endpoint = {"port": "metrics", "path": metrics.path}
    if monitor.interval is not None:
        endpoint["interval"] = duration_text(monitor.interval)
    selector = {**naming.selector(server.name), naming.COMPONENT_LABEL: "metrics"}
    return declare_custom(
        server,
        service_monitor(server.name),
        decision,
        naming.component_labels(server.name, "metrics", {**server.labels, **monitor.labels}),
        {"selector": {"matchLabels": selector}, "endpoints": [endpoint]},
        opts,
    )
