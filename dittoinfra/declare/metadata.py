"""Metadata of declared objects."""

from collections.abc import Mapping

from pulumi_kubernetes.meta.v1 import ObjectMetaArgs

SKIP_AWAIT = "pulumi.com/skipAwait"
"""Keeps the provider from waiting until an object is ready, which without a cloud may be never."""


def metadata(
    name: str, namespace: str, labels: Mapping[str, str], annotations: Mapping[str, str] | None = None
) -> ObjectMetaArgs:
    """An object's name, place and labels; no annotations at all where there are none."""
    return ObjectMetaArgs(
        name=name, namespace=namespace, labels=dict(labels), annotations=dict(annotations or {}) or None
    )
