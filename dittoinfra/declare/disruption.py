"""Whether a drain of its node may evict the server's Pod."""

import pulumi
from pulumi_kubernetes.meta.v1 import LabelSelectorArgs
from pulumi_kubernetes.policy.v1 import PodDisruptionBudget, PodDisruptionBudgetSpecArgs

from dittoinfra import naming
from dittoinfra.declare.metadata import metadata
from dittoinfra.settings import Deploy, ServerSettings


def declare_disruption_budget(
    server: ServerSettings, deploy: Deploy, opts: pulumi.ResourceOptions
) -> PodDisruptionBudget | None:
    """A budget of no eviction at all, where one is asked for.

    With a single Pod there is nothing between that and no budget: allowing one eviction allows every one.
    """
    if not deploy.pod_disruption_budget:
        return None
    return PodDisruptionBudget(
        server.name,
        metadata=metadata(server.name, server.namespace, naming.server_labels(server.name, server.labels)),
        spec=PodDisruptionBudgetSpecArgs(
            max_unavailable=0,
            # A Pod that serves nobody is not worth a drain's waiting.
            unhealthy_pod_eviction_policy="AlwaysAllow",
            selector=LabelSelectorArgs(match_labels=naming.selector(server.name)),
        ),
        opts=opts,
    )
