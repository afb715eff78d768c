"""Namespaces that the stack declares for its servers."""

from collections.abc import Iterable, Mapping

import pulumi
from pulumi_kubernetes.core.v1 import Namespace
from pulumi_kubernetes.meta.v1 import ObjectMetaArgs


def declare_namespaces(names: Iterable[str]) -> Mapping[str, Namespace]:
    """Namespaces by name. They stay when the stack goes: Kubernetes would delete with one whatever is in it,
    the servers' volume claims included.
    """
    return {
        name: Namespace(
            name,
            metadata=ObjectMetaArgs(name=name, labels={"app.kubernetes.io/managed-by": "pulumi"}),
            opts=pulumi.ResourceOptions(retain_on_delete=True),
        )
        for name in names
    }


def inside(namespace: Namespace | None) -> pulumi.ResourceOptions:
    """Options of a component in a namespace: its objects are registered after it, and it after that."""
    return pulumi.ResourceOptions(depends_on=[namespace] if namespace is not None else None)
