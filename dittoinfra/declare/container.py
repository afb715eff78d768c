"""The container that the server runs in, and what runs before it."""

from collections.abc import Sequence

from pulumi_kubernetes.core.v1 import ContainerArgs, ExecActionArgs, LifecycleArgs, LifecycleHandlerArgs

from dittoinfra.decide import ContainerPort
from dittoinfra.decide.claims import planned_fields
from dittoinfra.decide.pod import (
    PRE_STOP_SECONDS,
    container_environment,
    container_security_context,
    liveness_probe,
    readiness_probe,
    startup_probe,
    volume_mounts,
)
from dittoinfra.decide.server_config import InitContainer, environment, mounts
from dittoinfra.declare.kubernetes_words import in_kubernetes_words
from dittoinfra.declare.ports import container_port_args
from dittoinfra.settings import Deploy, ServerSettings

CONTAINER = "dittofs"


def server_container(server: ServerSettings, deploy: Deploy, ports: Sequence[ContainerPort]) -> ContainerArgs:
    """The server's container, as the DittoFS operator has it."""
    claims = planned_fields(server, deploy).claims
    return ContainerArgs(
        name=CONTAINER,
        image=deploy.image,
        image_pull_policy=deploy.image_pull_policy,
        command=["/app/dfs"],
        args=["start", "--foreground", "--config", "/config/config.yaml"],
        env=in_kubernetes_words(container_environment(deploy, environment(server, deploy))),
        ports=container_port_args(ports),
        resources=in_kubernetes_words(deploy.resources),
        security_context=in_kubernetes_words(container_security_context(deploy)),
        volume_mounts=in_kubernetes_words(volume_mounts(deploy, mounts(server, deploy), claims)),
        startup_probe=in_kubernetes_words(startup_probe(deploy)),
        liveness_probe=in_kubernetes_words(liveness_probe(deploy)),
        readiness_probe=in_kubernetes_words(readiness_probe(deploy)),
        lifecycle=LifecycleArgs(
            pre_stop=LifecycleHandlerArgs(
                exec_=ExecActionArgs(command=["/bin/sh", "-c", f"sleep {PRE_STOP_SECONDS}"])
            )
        ),
    )


def init_container(deploy: Deploy, container: InitContainer) -> ContainerArgs:
    """A container that must end well before the server's starts, under the same restrictions."""
    return ContainerArgs(
        name=container.name,
        image=container.image,
        image_pull_policy=deploy.image_pull_policy,
        command=list(container.command),
        env=in_kubernetes_words(container_environment(deploy, container.env)),
        resources=in_kubernetes_words(deploy.resources),
        security_context=in_kubernetes_words(container_security_context(deploy)),
        volume_mounts=in_kubernetes_words(volume_mounts(deploy, container.mounts)),
    )
