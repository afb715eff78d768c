"""What a run reads from the cluster that the stack's Kubernetes provider uses."""

from collections.abc import Iterable, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from typing import Any

from dittoinfra.decide.custom_kinds import HOST_MAPPING, CustomKind, Knowledge, Unasked, custom_objects
from dittoinfra.decide.image_changes import ServerImage, held_image, running_image
from dittoinfra.decide.names import NameDecision, unlocated_namespaces
from dittoinfra.decide.observations import ClusterFacts
from dittoinfra.decide.planned_objects import wanted_namespaces
from dittoinfra.kubernetes import Cluster, ClusterError
from dittoinfra.kubernetes.cluster_client import AT_ONCE, POLL_TIMEOUT, concurrently
from dittoinfra.kubernetes.cluster_errors import RefusedByClusterError
from dittoinfra.kubernetes.objects import list_objects, namespace_exists, read_object
from dittoinfra.kubernetes.rbac import Rule, role_yaml
from dittoinfra.kubernetes.server_listing import list_servers, unlisted
from dittoinfra.model import Listing, Located, Note, Permission
from dittoinfra.object_model import ObjectPlace
from dittoinfra.settings import ServerSettings, StackSettings
from dittoinfra.settings.configuration import Configuration
from dittoinfra.state import located
from dittoinfra.trouble import Trouble


class ProviderCluster(Cluster):
    """That cluster; all that one run asks shares its credentials: a plugin may be slow to give them."""

    @classmethod
    def of(cls, configuration: Configuration, environ: Mapping[str, str]) -> "ProviderCluster | None":
        """The cluster of a stack; None where its provider writes manifests into a folder."""
        if configuration.manifests is not None:
            return None
        return cls(configuration.kubeconfig(environ), configuration.context, POLL_TIMEOUT)


_NO_CLUSTER = (
    "kubernetes:renderYamlToDirectory is set, so there is no cluster to look into",
    "name the servers in dittoinfra:servers, or drop dittoinfra:serversFrom",
)

LISTING_ROLE = "dittoinfra-discovery"
"""Not the Role for reaching servers: a user may apply both, and one must not replace the other."""


def list_live_servers(settings: StackSettings, cluster: ProviderCluster | None) -> tuple[Listing, ...]:
    """What the cluster lists for each entry of `serversFrom`, with its gaps; nothing where there is none."""
    sources = settings.servers_from
    if not sources:
        return ()
    if cluster is None:
        return unlisted(sources, *_NO_CLUSTER)
    try:
        with cluster.connected():
            return list_servers(cluster, sources, settings.namespace)
    except ClusterError as error:
        return unlisted(sources, error.cause, error.next_step)


def listing_roles(lacks: Sequence[Permission]) -> tuple[Note, ...]:
    """The Roles that would allow what the listings lack, one for each namespace."""
    rules: dict[str | None, list[Rule]] = {}
    for lacking in lacks:
        rules.setdefault(lacking.namespace, []).append(Rule.allowing(lacking))
    return tuple(
        Note(
            "serversFrom",
            "this allows what the listing lacks; apply and bind it:\n"
            f"{role_yaml(namespace, needed, LISTING_ROLE)}",
        )
        for namespace, needed in rules.items()
    )


def ask_facts(
    cluster: ProviderCluster | None, servers: Sequence[ServerSettings], names: NameDecision
) -> ClusterFacts:
    """What the cluster has of everything that these servers and names depend on, requested concurrently.

    What cannot be read has no entry.
    """
    unlocated = unlocated_namespaces(names)
    wanted = dict.fromkeys(this.kind for server in servers for this in custom_objects(server))
    kinds = [*wanted, *((HOST_MAPPING,) if names.has_mappings else ())]
    namespaces = wanted_namespaces(servers)
    if cluster is None or not (kinds or namespaces or unlocated):
        return ClusterFacts()
    try:
        with cluster.connected(), ThreadPoolExecutor(AT_ONCE, "cluster-facts") as pool:
            known = pool.map(lambda kind: _knowledge(cluster, kind), kinds)
            existing = pool.map(lambda name: namespace_exists(cluster, name), namespaces)
            services = pool.map(lambda namespace: _services(cluster, namespace), unlocated)
            return ClusterFacts(
                dict(zip(kinds, known, strict=True)),
                {name: there for name, there in zip(namespaces, existing, strict=True) if there is not None},
                {name: found for name, found in zip(unlocated, services, strict=True) if found is not None},
            )
    except ClusterError as error:
        return ClusterFacts(dict.fromkeys(kinds, Unasked(str(error))))


def _knowledge(cluster: Cluster, kind: CustomKind) -> Knowledge:
    try:
        return cluster.resource(kind.api_version, kind.kind) is not None
    except ClusterError as error:
        return Unasked(str(error))


def _services(cluster: Cluster, namespace: str) -> Mapping[str, Located] | None:
    """What the Services of a namespace say."""
    try:
        services = list_objects(cluster, "v1", "Service", namespace)
    except ClusterError:
        return None
    return {service["metadata"]["name"]: located(service) for service in services}


def server_images(
    cluster: ProviderCluster | None, servers: Sequence[ServerSettings]
) -> Mapping[str, ServerImage | Trouble]:
    """The image of each server, by its Pod or else by its StatefulSet, or why that is not known."""
    if cluster is None:
        return {server.name: Trouble("there is no cluster to ask") for server in servers}
    try:
        with cluster.connected():
            images = concurrently(lambda server: _image(cluster, server), servers)
    except ClusterError as error:
        return {server.name: Trouble(error.cause, error.next_step) for server in servers}
    return {server.name: image for server, image in zip(servers, images, strict=True)}


def _image(cluster: Cluster, server: ServerSettings) -> ServerImage | Trouble:
    try:
        if image := _running_image(cluster, server):
            return ServerImage(image, runs=True)
        live = read_object(cluster, "apps/v1", "StatefulSet", server.namespace, server.name)
    except ClusterError as error:
        return Trouble(error.cause, error.next_step)
    if live is None:
        return Trouble(f"the cluster has no StatefulSet {server.namespace}/{server.name}")
    return ServerImage(held_image(live) or "", runs=False)


def _running_image(cluster: Cluster, server: ServerSettings) -> str | None:
    try:
        # A server has one Pod at most, which its StatefulSet numbers.
        pod = read_object(cluster, "v1", "Pod", server.namespace, f"{server.name}-0")
    except RefusedByClusterError:
        # Who may not read Pods may still read the StatefulSet.
        return None
    return running_image(pod) if pod is not None else None


def live_objects(
    cluster: ProviderCluster | None, places: Iterable[ObjectPlace]
) -> Mapping[ObjectPlace, Mapping[str, Any]]:
    """The objects that exist, or `ClusterError`; none where there is no cluster.

    Each is read separately: a user who may update an object may read it, but may not list others.
    """
    wanted = list(dict.fromkeys(places))
    if cluster is None or not wanted:
        return {}
    with cluster.connected():
        found = concurrently(
            lambda place: read_object(cluster, place.api_version, place.kind, place.namespace, place.name),
            wanted,
        )
        return {place: live for place, live in zip(wanted, found, strict=True) if live is not None}


def endpoint_slices(
    cluster: ProviderCluster | None, namespaces: Iterable[str]
) -> Mapping[str, Sequence[Mapping[str, Any]] | str]:
    """The EndpointSlices of every namespace, listed side by side, or why they cannot be listed."""
    wanted = sorted(set(namespaces))
    if cluster is None or not wanted:
        return {}

    def listed(namespace: str) -> Sequence[Mapping[str, Any]] | str:
        try:
            return list_objects(cluster, "discovery.k8s.io/v1", "EndpointSlice", namespace)
        except ClusterError as error:
            return str(error)

    with cluster:
        return dict(zip(wanted, concurrently(listed, wanted), strict=True))
