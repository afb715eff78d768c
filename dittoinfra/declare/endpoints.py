"""Where clients outside the cluster find a Service."""

from pulumi_kubernetes.core.v1.outputs import ServiceStatus


def external_addresses(status: ServiceStatus | None) -> list[str]:
    """Every address or host name that a load balancer has given a Service, in a stable order."""
    balancer = status.load_balancer if status else None
    ingresses = (balancer.ingress if balancer else None) or ()
    return sorted(filter(None, (ingress.ip or ingress.hostname for ingress in ingresses)))
