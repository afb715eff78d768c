"""Asking the provider's cluster for the servers in it."""

from collections.abc import Mapping

from dittoinfra.cluster import ClusterError
from dittoinfra.cluster.listing import list_servers, unlisted
from dittoinfra.model import Listing
from dittoinfra.program.surroundings import provider_cluster, renders_manifests
from dittoinfra.settings import StackSettings

_NO_CLUSTER = (
    "kubernetes:renderYamlToDirectory is set, so there is no cluster to look into; name the servers in "
    "dittoinfra:servers, or drop dittoinfra:serversFrom"
)


def list_live_servers(stack: StackSettings, environ: Mapping[str, str]) -> tuple[Listing, ...]:
    """What the cluster lists for each entry of `serversFrom`, with its gaps; nothing where there is none."""
    sources = stack.servers_from
    if not sources:
        return ()
    if renders_manifests():
        return unlisted(sources, _NO_CLUSTER)
    try:
        with provider_cluster(environ) as cluster:
            return list_servers(cluster, sources, stack.namespace)
    except ClusterError as error:
        return unlisted(sources, str(error))
