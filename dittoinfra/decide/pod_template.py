"""The template of a deployed server's Pod, as Kubernetes takes it. Pure.

What differs in it restarts the Pod, so it is made where it can be compared with the state before anything is
declared.
"""

from collections.abc import Mapping, Sequence
from typing import Any

from dittoinfra import naming
from dittoinfra.decide.exposure import ContainerPort
from dittoinfra.decide.immutable_fields import planned_fields
from dittoinfra.decide.pod import (
    CONFIG_FILE,
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
from dittoinfra.settings import Deploy, ServerSettings
from dittoinfra.settings.deploy import KubernetesBlock


def pod_template(
    server: ServerSettings, deploy: Deploy, ports: Sequence[ContainerPort], annotations: Mapping[str, Any]
) -> dict[str, Any]:
    """The template, with these ports and annotations."""
    return {
        "metadata": {
            # Without configured labels: a changed label must not restart a file server.
            "labels": naming.server_labels(server.name, {}),
            "annotations": dict(annotations),
        },
        "spec": _pod(server, deploy, ports),
    }


def _pod(server: ServerSettings, deploy: Deploy, ports: Sequence[ContainerPort]) -> KubernetesBlock:
    wait = database_wait_command(deploy)
    return _declared(
        # The server never uses the Kubernetes API.
        automountServiceAccountToken=False,
        serviceAccountName=deploy.service_account,
        imagePullSecrets=[{"name": name} for name in deploy.image_pull_secrets],
        securityContext=pod_security_context(deploy),
        terminationGracePeriodSeconds=grace_seconds(deploy),
        nodeSelector=deploy.node_selector,
        tolerations=deploy.tolerations,
        affinity=deploy.affinity,
        topologySpreadConstraints=deploy.topology_spread_constraints,
        priorityClassName=deploy.priority_class,
        initContainers=[_wait_container(server, deploy, wait)] if wait else None,
        containers=[_server_container(server, deploy, ports)],
        volumes=pod_volumes(deploy, mounts(server, deploy)),
    )


def _server_container(
    server: ServerSettings, deploy: Deploy, ports: Sequence[ContainerPort]
) -> KubernetesBlock:
    claims = planned_fields(server, deploy).claims
    return {
        **_container(server, deploy, naming.CONTAINER),
        **_declared(
            command=["/app/dfs"],
            args=["start", "--foreground", "--config", CONFIG_FILE],
            volumeMounts=volume_mounts(deploy, mounts(server, deploy), claims),
            startupProbe=startup_probe(deploy),
            livenessProbe=liveness_probe(deploy),
            readinessProbe=readiness_probe(deploy),
            lifecycle={"preStop": {"exec": {"command": ["/bin/sh", "-c", f"sleep {PRE_STOP_SECONDS}"]}}},
        ),
        "ports": [{"name": p.name, "containerPort": p.port, "protocol": p.protocol} for p in ports],
    }


def _wait_container(server: ServerSettings, deploy: Deploy, command: Sequence[str]) -> KubernetesBlock:
    """A container that must succeed before the server's starts, under the same restrictions."""
    return {
        **_container(server, deploy, "wait-for-database"),
        **_declared(command=list(command), volumeMounts=volume_mounts(deploy, mounts(server, deploy))),
    }


def _container(server: ServerSettings, deploy: Deploy, name: str) -> KubernetesBlock:
    return _declared(
        name=name,
        image=deploy.image,
        imagePullPolicy=deploy.image_pull_policy,
        env=container_environment(deploy, secret_variables(server, deploy)),
        resources=deploy.resources,
        securityContext=container_security_context(deploy),
    )


def _declared(**fields: object) -> dict[str, Any]:
    """The fields that have a value.

    Nothing is declared for an empty block: to Kubernetes it is not the same as none, and users mean none.
    """
    return {key: value for key, value in fields.items() if value not in (None, {}, [])}
