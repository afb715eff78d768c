"""Adapter ports on the StatefulSet of a server that somebody else deployed."""

from collections.abc import Sequence

import pulumi
from pulumi_kubernetes.apps.v1 import StatefulSetPatch, StatefulSetSpecPatchArgs
from pulumi_kubernetes.core.v1 import ContainerPatchArgs, PodSpecPatchArgs, PodTemplateSpecPatchArgs
from pulumi_kubernetes.meta.v1 import ObjectMetaPatchArgs

from dittoinfra.decide import ContainerPort
from dittoinfra.declare.container import CONTAINER
from dittoinfra.declare.ports import container_port_patch_args
from dittoinfra.settings import ServerSettings


def declare_port_patch(
    server: ServerSettings, ports: Sequence[ContainerPort], opts: pulumi.ResourceOptions
) -> StatefulSetPatch:
    """The ports alone; everything else is left as it is."""
    return StatefulSetPatch(
        server.name,
        metadata=ObjectMetaPatchArgs(name=server.name, namespace=server.namespace),
        spec=StatefulSetSpecPatchArgs(
            template=PodTemplateSpecPatchArgs(
                spec=PodSpecPatchArgs(
                    containers=[ContainerPatchArgs(name=CONTAINER, ports=container_port_patch_args(ports))]
                )
            )
        ),
        opts=opts,
    )
