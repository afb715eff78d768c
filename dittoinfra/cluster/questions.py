"""What a run may want to know of the cluster before it declares anything."""

from urllib.parse import quote

import httpx

from dittoinfra.cluster.connection import Cluster
from dittoinfra.cluster.errors import ClusterError


def serves(cluster: Cluster, api_version: str, kind: str) -> bool:
    """Whether the cluster knows a kind, or `ClusterError`."""
    return cluster.resource(api_version, kind) is not None


def namespace_exists(cluster: Cluster, name: str) -> bool:
    """Whether there is such a namespace, or `ClusterError`."""
    response = cluster.request("GET", f"/api/v1/namespaces/{quote(name, safe='')}")
    if response.status_code == httpx.codes.NOT_FOUND:
        return False
    if response.is_error:
        raise ClusterError(
            f"the Kubernetes API at {cluster.server} answered {response.status_code} when asked for "
            f"namespace {name}; check the credentials and their permissions"
        )
    return True
