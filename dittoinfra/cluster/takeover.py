"""Making an object ours that others made: the one step that Kubernetes has no word for."""

from collections.abc import Callable, Mapping
from typing import Any

from dittoinfra.cluster.connection import Cluster
from dittoinfra.cluster.objects import JsonPatch, apply_object, patch_latest

MakePatch = Callable[[Mapping[str, Any]], JsonPatch]


def take_over(
    cluster: Cluster, manifest: Mapping[str, Any], manager: str, take: MakePatch, release: MakePatch
) -> None:
    """Own what the previous makers own, apply the manifest, and give it all up for the provider to own.

    Between the steps the object is whole and serves: what goes and what comes is one write. A run that breaks
    off anywhere in between finds the object again and starts over.
    """
    patch_latest(cluster, manifest, take)
    apply_object(cluster, manifest, manager)
    patch_latest(cluster, manifest, release)
