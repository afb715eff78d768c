"""Asking the provider's cluster for the servers in it."""

from collections.abc import Mapping, Sequence

from dittoinfra.cluster import ClusterError
from dittoinfra.cluster.listing import list_servers, unlisted
from dittoinfra.cluster.rules import Rule, role_yaml
from dittoinfra.model import Listing, Note, Permission
from dittoinfra.program.surroundings import provider_cluster, renders_manifests
from dittoinfra.settings import StackSettings

_NO_CLUSTER = (
    "kubernetes:renderYamlToDirectory is set, so there is no cluster to look into; name the servers in "
    "dittoinfra:servers, or drop dittoinfra:serversFrom"
)

LISTING_ROLE = "dittoinfra-discovery"
"""Another than the one for reaching servers: applied after each other, they must not replace each other."""


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


def listing_roles(lacks: Sequence[Permission]) -> tuple[Note, ...]:
    """The Roles that would allow what the listings lack, one for each namespace."""
    rules: dict[str | None, list[Rule]] = {}
    for lacking in lacks:
        rule = Rule(lacking.verb, lacking.resource, group=lacking.group)
        rules.setdefault(lacking.namespace, []).append(rule)
    return tuple(
        Note(
            "serversFrom",
            "this allows what the listing lacks; apply and bind it:\n"
            f"{role_yaml(namespace, needed, LISTING_ROLE)}",
        )
        for namespace, needed in rules.items()
    )
