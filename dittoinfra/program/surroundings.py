"""What the cluster around the servers has and knows, asked only when a setting depends on it."""

from collections.abc import Iterable, Mapping, Sequence

import pulumi

from dittoinfra.cluster import Cluster, ClusterError, connect
from dittoinfra.cluster.questions import namespace_exists, serves
from dittoinfra.decide.kinds import CustomKind, Knowledge, NotServed, Served, Unasked, custom_objects
from dittoinfra.decide.namespaces import wanted_namespaces
from dittoinfra.settings import ServerSettings


def ask_cluster(
    servers: Sequence[ServerSettings], environ: Mapping[str, str]
) -> tuple[Mapping[CustomKind, Knowledge], Mapping[str, bool]]:
    """What the provider's cluster knows of the kinds, and has of the namespaces, that these servers need."""
    kinds = {this.kind for server in servers for this in custom_objects(server)}
    namespaces = wanted_namespaces(servers)
    if not (kinds or namespaces) or renders_manifests():
        return {}, {}
    try:
        with provider_cluster(environ) as cluster:
            return _known(cluster, kinds), _existing(cluster, namespaces)
    except ClusterError as error:
        return dict.fromkeys(kinds, Unasked(str(error))), {}


def renders_manifests() -> bool:
    """Whether the provider writes manifests into a folder, so that there is no cluster to ask."""
    return bool(pulumi.Config("kubernetes").get("renderYamlToDirectory"))


def provider_cluster(environ: Mapping[str, str]) -> Cluster:
    """The cluster that the provider uses, or `ClusterError`."""
    provider = pulumi.Config("kubernetes")
    return connect(provider.get("kubeconfig") or environ.get("KUBECONFIG"), provider.get("context"))


def _known(cluster: Cluster, kinds: Iterable[CustomKind]) -> Mapping[CustomKind, Knowledge]:
    return {kind: _knowledge(cluster, kind) for kind in kinds}


def _knowledge(cluster: Cluster, kind: CustomKind) -> Knowledge:
    try:
        return Served() if serves(cluster, kind.api_version, kind.kind) else NotServed()
    except ClusterError as error:
        return Unasked(str(error))


def _existing(cluster: Cluster, names: Iterable[str]) -> Mapping[str, bool]:
    existing = {}
    for name in names:
        try:
            existing[name] = namespace_exists(cluster, name)
        except ClusterError as error:
            pulumi.log.debug(f"namespace {name} is declared without knowing whether it exists: {error}")
    return existing
