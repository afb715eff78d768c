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
    ContainerArgs,
    ContainerPortArgs,
    ExecActionArgs,
    LifecycleArgs,
    LifecycleHandlerArgs,
    LocalObjectReferenceArgs,
    PersistentVolumeClaimArgs,
    PersistentVolumeClaimSpecArgs,
    PodSpecArgs,
    PodTemplateSpecArgs,
    VolumeResourceRequirementsArgs,
)
from pulumi_kubernetes.meta.v1 import LabelSelectorArgs, ObjectMetaArgs

from dittoinfra import naming
from dittoinfra.components.resource_inputs import metadata, state_name
from dittoinfra.decide.exposure import ContainerPort
from dittoinfra.decide.immutable_fields import planned_fields
from dittoinfra.decide.pod import (
    PRE_STOP_SECONDS,
    container_environment,
    container_security_context,
    database_wait_command,
    grace_seconds,
    liveness_probe,
    mounts,
    pod_security_context,
    pod_volumes,
    readiness_probe,
    secret_variables,
    startup_probe,
    volume_mounts,
)
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
    return StatefulSet(
        state_name(server.name, opts),
        metadata=metadata(server.name, server.namespace, labels, _READY_AT_ONCE),
        spec=StatefulSetSpecArgs(
            replicas=deploy.replicas,
            service_name=fixed.service_name,
            selector=LabelSelectorArgs(match_labels=dict(fixed.selector)),
            pod_management_policy=fixed.pod_management,
            update_strategy=StatefulSetUpdateStrategyArgs(type=deploy.update_strategy),
            template=PodTemplateSpecArgs(
                metadata=ObjectMetaArgs(
                    # Without configured labels: a changed label must not restart a file server.
                    labels=naming.server_labels(server.name, {}),
                    annotations=dict(annotations),
                ),
                spec=_pod(server, deploy, ports),
            ),
            volume_claim_templates=[_claim(claim) for claim in fixed.claims],
            persistent_volume_claim_retention_policy=StatefulSetPersistentVolumeClaimRetentionPolicyArgs(
                when_deleted="Retain", when_scaled="Retain"
            ),
        ),
        opts=opts,
    )


def _pod(server: ServerSettings, deploy: Deploy, ports: Sequence[ContainerPort]) -> PodSpecArgs:
    wait = database_wait_command(deploy)
    pull_secrets = [LocalObjectReferenceArgs(name=name) for name in deploy.image_pull_secrets]
    return PodSpecArgs(
        # The server never uses the Kubernetes API.
        automount_service_account_token=False,
        service_account_name=deploy.service_account,
        image_pull_secrets=pull_secrets or None,
        security_context=_fields(pod_security_context(deploy)),
        termination_grace_period_seconds=grace_seconds(deploy),
        node_selector=deploy.node_selector or None,
        tolerations=_fields(deploy.tolerations),
        affinity=_fields(deploy.affinity),
        topology_spread_constraints=_fields(deploy.topology_spread_constraints),
        priority_class_name=deploy.priority_class,
        init_containers=[_wait_container(server, deploy, wait)] if wait else None,
        containers=[_server_container(server, deploy, ports)],
        volumes=_fields(pod_volumes(deploy, mounts(server, deploy))),
    )


def _server_container(
    server: ServerSettings, deploy: Deploy, ports: Sequence[ContainerPort]
) -> ContainerArgs:
    claims = planned_fields(server, deploy).claims
    return ContainerArgs(
        name=naming.CONTAINER,
        image=deploy.image,
        image_pull_policy=deploy.image_pull_policy,
        command=["/app/dfs"],
        args=["start", "--foreground", "--config", "/config/config.yaml"],
        env=_fields(container_environment(deploy, secret_variables(server, deploy))),
        ports=[ContainerPortArgs(name=p.name, container_port=p.port, protocol=p.protocol) for p in ports],
        resources=_fields(deploy.resources),
        security_context=_fields(container_security_context(deploy)),
        volume_mounts=_fields(volume_mounts(deploy, mounts(server, deploy), claims)),
        startup_probe=_fields(startup_probe(deploy)),
        liveness_probe=_fields(liveness_probe(deploy)),
        readiness_probe=_fields(readiness_probe(deploy)),
        lifecycle=LifecycleArgs(
            pre_stop=LifecycleHandlerArgs(
                exec_=ExecActionArgs(command=["/bin/sh", "-c", f"sleep {PRE_STOP_SECONDS}"])
            )
        ),
    )


def _wait_container(server: ServerSettings, deploy: Deploy, command: Sequence[str]) -> ContainerArgs:
    """A container that must succeed before the server's starts, under the same restrictions."""
    return ContainerArgs(
        name="wait-for-database",
        image=deploy.image,
        image_pull_policy=deploy.image_pull_policy,
        command=list(command),
        env=_fields(container_environment(deploy, secret_variables(server, deploy))),
        resources=_fields(deploy.resources),
        security_context=_fields(container_security_context(deploy)),
        volume_mounts=_fields(volume_mounts(deploy, mounts(server, deploy))),
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


def _fields(
    block: Mapping[str, Any] | Sequence[Mapping[str, Any]],
) -> Any:  # noqa: ANN401  (the SDK has no type for it)
    """A block with Kubernetes' own field names: the SDK takes it in place of a class, though its types do not
    say so.

    Nothing is declared for an empty one: to Kubernetes an empty block is not the same as none, and users mean
    none.
    """
    return block or None
