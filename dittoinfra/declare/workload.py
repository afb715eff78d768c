"""The server's own workload: a StatefulSet as the DittoFS operator makes it."""

from collections.abc import Sequence
from dataclasses import dataclass

import pulumi
from pulumi_kubernetes.apps.v1 import (
    StatefulSet,
    StatefulSetPersistentVolumeClaimRetentionPolicyArgs,
    StatefulSetSpecArgs,
    StatefulSetUpdateStrategyArgs,
)
from pulumi_kubernetes.core.v1 import (
    LocalObjectReferenceArgs,
    PersistentVolumeClaimArgs,
    PersistentVolumeClaimSpecArgs,
    PodSpecArgs,
    PodTemplateSpecArgs,
    VolumeResourceRequirementsArgs,
)
from pulumi_kubernetes.meta.v1 import LabelSelectorArgs, ObjectMetaArgs

from dittoinfra import naming
from dittoinfra.decide import ContainerPort
from dittoinfra.decide.claims import planned_fields
from dittoinfra.decide.pod import grace_seconds, pod_security_context, pod_volumes
from dittoinfra.decide.server_config import init_containers, mounts
from dittoinfra.declare.container import init_container, server_container
from dittoinfra.declare.kubernetes_words import in_kubernetes_words
from dittoinfra.declare.metadata import SKIP_AWAIT, metadata
from dittoinfra.model import VolumeClaim
from dittoinfra.settings import Deploy, ServerSettings


@dataclass(frozen=True, slots=True)
class WorkloadArgs:
    """What a server's StatefulSet is made of."""

    server: ServerSettings
    deploy: Deploy
    ports: Sequence[ContainerPort]
    """Those that the Pod's template names."""
    config_hash: str
    """Changes when the configuration does: the server reads it at its start only."""


def declare_workload(args: WorkloadArgs, opts: pulumi.ResourceOptions) -> StatefulSet:
    """The StatefulSet of a server that this stack deploys."""
    server, fixed = args.server, planned_fields(args.server, args.deploy)
    labels = naming.server_labels(server.name, server.labels)
    return StatefulSet(
        server.name,
        metadata=metadata(server.name, server.namespace, labels, {SKIP_AWAIT: "true"}),
        spec=StatefulSetSpecArgs(
            replicas=args.deploy.replicas,
            service_name=fixed.service_name,
            selector=LabelSelectorArgs(match_labels=dict(fixed.selector)),
            pod_management_policy=fixed.pod_management,
            update_strategy=StatefulSetUpdateStrategyArgs(type=args.deploy.update_strategy),
            template=_template(args),
            volume_claim_templates=[_claim(claim) for claim in fixed.claims],
            persistent_volume_claim_retention_policy=StatefulSetPersistentVolumeClaimRetentionPolicyArgs(
                when_deleted="Retain", when_scaled="Retain"
            ),
        ),
        opts=opts,
    )


def _template(args: WorkloadArgs) -> PodTemplateSpecArgs:
    server, deploy = args.server, args.deploy
    return PodTemplateSpecArgs(
        metadata=ObjectMetaArgs(
            # Configured labels stay out of it: a label is no reason to restart a file server.
            labels=naming.server_labels(server.name, {}),
            annotations={naming.CONFIG_HASH_ANNOTATION: args.config_hash},
        ),
        spec=PodSpecArgs(
            # The server never speaks to the Kubernetes API.
            automount_service_account_token=False,
            service_account_name=deploy.service_account,
            image_pull_secrets=[LocalObjectReferenceArgs(name=name) for name in deploy.image_pull_secrets]
            or None,
            security_context=in_kubernetes_words(pod_security_context(deploy)),
            termination_grace_period_seconds=grace_seconds(deploy),
            node_selector=deploy.node_selector or None,
            tolerations=in_kubernetes_words(deploy.tolerations),
            affinity=in_kubernetes_words(deploy.affinity),
            topology_spread_constraints=in_kubernetes_words(deploy.topology_spread_constraints),
            priority_class_name=deploy.priority_class,
            init_containers=[init_container(deploy, first) for first in init_containers(server, deploy)]
            or None,
            containers=[server_container(server, deploy, args.ports)],
            volumes=in_kubernetes_words(pod_volumes(deploy, mounts(server, deploy))),
        ),
    )


def _claim(claim: VolumeClaim) -> PersistentVolumeClaimArgs:
    return PersistentVolumeClaimArgs(
        metadata=ObjectMetaArgs(name=claim.name),
        spec=PersistentVolumeClaimSpecArgs(
            access_modes=["ReadWriteOnce"],
            storage_class_name=claim.storage_class,
            resources=VolumeResourceRequirementsArgs(requests={"storage": claim.size or ""}),
        ),
    )
