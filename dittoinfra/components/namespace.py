"""Namespaces that the stack declares for its servers."""

from collections.abc import Iterable, Mapping

import pulumi
from pulumi_kubernetes.core.v1 import Namespace
from pulumi_kubernetes.meta.v1 import ObjectMetaArgs

from dittoinfra.naming import MANAGED_BY_LABEL


def declare_namespaces(names: Iterable[str]) -> Mapping[str, Namespace]:
    """Namespaces by name. They stay when the stack is destroyed: Kubernetes would delete everything in them,
    volume claims included.
    """
    return {
        name: Namespace(
            name,
            metadata=ObjectMetaArgs(name=name, labels={MANAGED_BY_LABEL: "pulumi"}),
            opts=pulumi.ResourceOptions(retain_on_delete=True),
        )
        for name in names
    }
