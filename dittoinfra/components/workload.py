"""A server's workload: deployed by this stack, or one of another manager that gets the adapters' ports.

Imported only for servers that have one: the provider's modules for workloads are slow to import.
"""

from collections.abc import Sequence
from typing import TYPE_CHECKING

import pulumi
from pulumi.runtime.rpc import UNKNOWN
from pulumi_kubernetes.apps.v1 import StatefulSetPatch, StatefulSetSpecPatchArgs
from pulumi_kubernetes.core.v1 import (
    ContainerPatchArgs,
    ContainerPortPatchArgs,
    PodSpecPatchArgs,
    PodTemplateSpecPatchArgs,
)
from pulumi_kubernetes.meta.v1 import LabelSelectorArgs, ObjectMetaPatchArgs
from pulumi_kubernetes.policy.v1 import PodDisruptionBudget, PodDisruptionBudgetSpecArgs

from dittoinfra import naming
from dittoinfra.components.config_and_secrets import declare_config_and_secrets
from dittoinfra.components.custom_resources import declare_custom_resources
from dittoinfra.components.headless import declare_headless
from dittoinfra.components.resource_inputs import SKIP_AWAIT, deleted_promptly, metadata, moved_to, state_name
from dittoinfra.components.services import declare_services
from dittoinfra.components.statefulset import declare_statefulset
from dittoinfra.decide.config_file import config_hash, config_yaml
from dittoinfra.decide.custom_kinds import PERCONA_CLUSTER
from dittoinfra.decide.exposure import ContainerPort, headless_ports, template_ports, unnamed_by_others
from dittoinfra.settings import Deploy, ServerSettings
from dittoinfra.urns import HEADLESS_TYPE, SERVICE

if TYPE_CHECKING:
    from dittoinfra.components.server_component import ServerArgs


def declare_workload(args: "ServerArgs", ports: Sequence[ContainerPort], parent: pulumi.Resource) -> None:
    """The headless Service and the StatefulSet, or the patch of another manager's StatefulSet."""
    server = args.settings
    if server.deploy is not None:
        _declare_deployed(args, server.deploy, ports, parent)
    elif own := unnamed_by_others(ports, args.live_ports):
        _declare_port_patch(server, own, args.patched_ports, parent)


def _declare_deployed(
    args: "ServerArgs", deploy: Deploy, ports: Sequence[ContainerPort], parent: pulumi.Resource
) -> None:
    server = args.settings
    child = pulumi.ResourceOptions(parent=parent)
    declare_services(server, deploy, child)
    custom = declare_custom_resources(server, deploy, args.kinds, child)
    name = naming.headless_service(server.name)
    declare_headless(
        name,
        {
            "name": name,
            "namespace": server.namespace,
            "labels": naming.server_labels(server.name, server.labels),
            # The provider would wait for a Pod behind it, which is created after it.
            "annotations": {SKIP_AWAIT: "true"},
        },
        {
            # A Pod's name must resolve before it is ready: its readiness may depend on that.
            "publishNotReadyAddresses": True,
            "selector": naming.selector(server.name),
            "ports": [
                {"name": p.name, "port": p.port, "targetPort": p.target, "protocol": p.protocol}
                for p in headless_ports(ports, args.decision.adapters, deploy)
            ],
        },
        moved_to(parent, HEADLESS_TYPE, SERVICE, name),
    )
    if deploy.pod_disruption_budget:
        _declare_disruption_budget(server, child)
    config = config_yaml(server, deploy, args.carried_config)
    needed = declare_config_and_secrets(server, config, args.secrets, child, secrets_known=args.secrets_known)
    if PERCONA_CLUSTER in custom:
        needed.append(custom[PERCONA_CLUSTER])
    declare_statefulset(
        server,
        deploy,
        template_ports(ports, deploy),
        _template_annotations(args, config),
        pulumi.ResourceOptions(parent=parent, depends_on=needed),
    )


def _template_annotations(args: "ServerArgs", config: str) -> dict[str, str]:
    # The server reads its configuration only when it starts: another hash restarts the Pod.
    digest = config_hash(config, args.secrets.jwt if args.secrets else None)
    # A provider that creates by server-side apply previews a replacement as an update of the live object,
    # which the API refuses. It does not send an object with an unknown value in it.
    if (args.replaces and pulumi.runtime.is_dry_run()) or not args.secrets_known:
        digest = UNKNOWN
    # Without the time of the last `kubectl rollout restart` the next update would restart the Pod again.
    restarted = {naming.RESTARTED_ANNOTATION: args.restarted} if args.restarted else {}
    seen = args.secrets_seen.restart
    changed = {naming.SECRETS_HASH_ANNOTATION: seen} if seen else {}
    return {naming.CONFIG_HASH_ANNOTATION: digest, **changed, **restarted}


def _declare_disruption_budget(server: ServerSettings, opts: pulumi.ResourceOptions) -> None:
    """A budget of no eviction at all.

    With a single Pod there is nothing between that and no budget: allowing one eviction allows every one.
    """
    PodDisruptionBudget(
        state_name(server.name, opts),
        metadata=metadata(server.name, server.namespace, naming.server_labels(server.name, server.labels)),
        spec=PodDisruptionBudgetSpecArgs(
            max_unavailable=0,
            # A drain need not wait for a Pod that serves no clients.
            unhealthy_pod_eviction_policy="AlwaysAllow",
            selector=LabelSelectorArgs(match_labels=naming.selector(server.name)),
        ),
        opts=deleted_promptly(opts),
    )


def _declare_port_patch(
    server: ServerSettings, ports: Sequence[ContainerPort], patched: str | None, parent: pulumi.Resource
) -> None:
    """The adapters' ports on a StatefulSet of another manager; everything else is left as it is."""
    text = ",".join(naming.port_text(port.name, port.port, port.protocol) for port in ports)
    container = ContainerPatchArgs(
        name=naming.CONTAINER,
        ports=[
            ContainerPortPatchArgs(name=p.name, container_port=p.port, protocol=p.protocol) for p in ports
        ],
    )
    # The provider compares lists by position, and the container's list begins with ports of other
    # managers: it would find a difference in every run. So an annotation records the patched ports.
    opts = pulumi.ResourceOptions(parent=parent, ignore_changes=["spec"] if text == patched else None)
    StatefulSetPatch(
        state_name(server.name, opts),
        metadata=ObjectMetaPatchArgs(
            name=server.name,
            namespace=server.namespace,
            # The provider would wait until the other manager's StatefulSet is ready.
            annotations={naming.PATCHED_PORTS_ANNOTATION: text, SKIP_AWAIT: "true"},
        ),
        spec=StatefulSetSpecPatchArgs(
            template=PodTemplateSpecPatchArgs(spec=PodSpecPatchArgs(containers=[container]))
        ),
        opts=opts,
    )
