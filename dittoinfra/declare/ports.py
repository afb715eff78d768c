"""Ports as the provider takes them."""

from collections.abc import Iterable

from pulumi_kubernetes.core.v1 import ContainerPortArgs, ContainerPortPatchArgs, ServicePortArgs

from dittoinfra.decide import ContainerPort, ServicePort


def service_port_args(ports: Iterable[ServicePort]) -> list[ServicePortArgs]:
    """Ports of a Service."""
    return [
        ServicePortArgs(name=p.name, port=p.port, target_port=p.target, protocol=p.protocol) for p in ports
    ]


def container_port_args(ports: Iterable[ContainerPort]) -> list[ContainerPortArgs]:
    """Ports of a container."""
    return [ContainerPortArgs(name=p.name, container_port=p.port, protocol=p.protocol) for p in ports]


def container_port_patch_args(ports: Iterable[ContainerPort]) -> list[ContainerPortPatchArgs]:
    """Ports that a patch adds to a container."""
    return [ContainerPortPatchArgs(name=p.name, container_port=p.port, protocol=p.protocol) for p in ports]
