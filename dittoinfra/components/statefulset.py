"""The StatefulSet of a server that this stack deploys, as the DittoFS operator makes it."""

from collections.abc import Mapping, Sequence
from typing import Any

import pulumi
from pulumi_kubernetes.apps.v1 import (
    StatefulSet,
    StatefulSetPersistentVolumeClaimRetentionPolicyArgs,
    StatefulSetSpecArgs,
    StatefulSetUpdateStrategyArgs,
)
from pulumi_kubernetes.core.v1 import (
    PersistentVolumeClaimArgs,
    PersistentVolumeClaimSpecArgs,
    VolumeResourceRequirementsArgs,
)
from pulumi_kubernetes.meta.v1 import LabelSelectorArgs, ObjectMetaArgs

from dittoinfra import naming
from dittoinfra.components.resource_inputs import metadata, state_name
from dittoinfra.decide.exposure import ContainerPort
from dittoinfra.decide.immutable_fields import planned_fields
from dittoinfra.decide.pod_template import pod_template
from dittoinfra.object_model import VolumeClaim
from dittoinfra.settings import Deploy, ServerSettings

_READY_AT_ONCE = {"pulumi.com/waitFor": "jsonpath={.metadata.uid}"}
"""Keeps the provider from waiting until the Pod is ready. With `skipAwait` it would not wait for a deletion
either, and the successor of a StatefulSet would meet the one that is still being deleted.
"""


def declare_statefulset(
    server: ServerSettings,
    deploy: Deploy,
    ports: Sequence[ContainerPort],
    annotations: Mapping[str, str],
    opts: pulumi.ResourceOptions,
) -> StatefulSet:
    """The StatefulSet, with these ports and annotations in its Pod's template."""
    fixed = planned_fields(server, deploy)
    labels = naming.server_labels(server.name, server.labels)
    # The SDK takes a block in Kubernetes' own words in place of a class, though its types do not say so.
    template: Any = pod_template(server, deploy, ports, annotations)
    return StatefulSet(
        state_name(server.name, opts),
        metadata=metadata(server.name, server.namespace, labels, _READY_AT_ONCE),
        spec=StatefulSetSpecArgs(
            replicas=deploy.replicas,
            service_name=fixed.service_name,
            selector=LabelSelectorArgs(match_labels=dict(fixed.selector)),
            pod_management_policy=fixed.pod_management,
            update_strategy=StatefulSetUpdateStrategyArgs(type=deploy.update_strategy),
            template=template,
            volume_claim_templates=[_claim(claim) for claim in fixed.claims],
            persistent_volume_claim_retention_policy=StatefulSetPersistentVolumeClaimRetentionPolicyArgs(
                when_deleted="Retain", when_scaled="Retain"
            ),
        ),
        opts=opts,
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
