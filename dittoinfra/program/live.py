"""The Services of a stack as they are in its cluster now."""

from collections.abc import Iterable, Mapping
from typing import Any

from dittoinfra.cluster import ClusterError
from dittoinfra.cluster.objects import list_objects
from dittoinfra.program.surroundings import provider_cluster, renders_manifests

Place = tuple[str, str]
"""Namespace and name."""


def live_services(places: Iterable[Place], environ: Mapping[str, str]) -> Mapping[Place, Mapping[str, Any]]:
    """Those of these Services that exist, or `ClusterError`. To be called while the program runs."""
    wanted = frozenset(places)
    if not wanted:
        return {}
    if renders_manifests():
        raise ClusterError("the provider writes manifests, so there is no cluster to ask")
    with provider_cluster(environ) as cluster:
        found = {
            (namespace, str(service["metadata"]["name"])): service
            for namespace in sorted({namespace for namespace, _ in wanted})
            for service in list_objects(cluster, "v1", "Service", namespace)
        }
    return {place: service for place, service in found.items() if place in wanted}
