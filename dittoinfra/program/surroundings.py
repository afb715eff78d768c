"""What the cluster around the servers has and knows, asked only when a setting depends on it."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field

import pulumi

from dittoinfra.cluster import Cluster, ClusterError, connect
from dittoinfra.cluster.objects import list_objects
from dittoinfra.cluster.questions import namespace_exists, serves
from dittoinfra.decide.kinds import CustomKind, Knowledge, NotServed, Served, Unasked, custom_objects
from dittoinfra.decide.name_notes import LiveAddresses
from dittoinfra.decide.namespaces import wanted_namespaces
from dittoinfra.memory import ingress_addresses
from dittoinfra.model import Addresses
from dittoinfra.settings import ServerSettings


@dataclass(frozen=True, slots=True)
class Surroundings:
    """What the cluster around the servers has and knows; empty of what nobody could be asked about."""

    kinds: Mapping[CustomKind, Knowledge] = field(default_factory=dict)
    namespaces: Mapping[str, bool] = field(default_factory=dict)
    """Whether a namespace exists."""
    addresses: LiveAddresses = field(default_factory=dict)
    """Where the Services of the asked namespaces are found."""


def ask_cluster(
    servers: Sequence[ServerSettings], unlocated: Sequence[str], environ: Mapping[str, str]
) -> Surroundings:
    """What the provider's cluster has of all that these servers depend on.

    `unlocated` are the namespaces with Services whose addresses are wanted.
    """
    kinds = {this.kind for server in servers for this in custom_objects(server)}
    namespaces = wanted_namespaces(servers)
    if not (kinds or namespaces or unlocated) or renders_manifests():
        return Surroundings()
    try:
        with provider_cluster(environ) as cluster:
            return Surroundings(
                _known(cluster, kinds),
                _existing(cluster, namespaces),
                _live_addresses(cluster, unlocated),
            )
    except ClusterError as error:
        pulumi.log.debug(f"the cluster is not asked about what is around the servers: {error}")
        return Surroundings(dict.fromkeys(kinds, Unasked(str(error))))


def renders_manifests() -> bool:
    """Whether the provider writes manifests into a folder, so that there is no cluster to ask."""
    return bool(pulumi.Config("kubernetes").get("renderYamlToDirectory"))


def provider_cluster(environ: Mapping[str, str]) -> Cluster:
    """The cluster that the provider uses, or `ClusterError`."""
    return connect(*provider_kubeconfig(environ))


def provider_kubeconfig(environ: Mapping[str, str]) -> tuple[str | None, str | None]:
    """The kubeconfig that the provider uses, None where it looks for one itself; and the context in it."""
    provider = pulumi.Config("kubernetes")
    return provider.get("kubeconfig") or environ.get("KUBECONFIG"), provider.get("context")


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


def _live_addresses(cluster: Cluster, namespaces: Iterable[str]) -> LiveAddresses:
    """Where the Services of some namespaces are found; one that cannot be asked is left out."""
    found: dict[str, Mapping[str, Addresses]] = {}
    for namespace in namespaces:
        try:
            services = list_objects(cluster, "v1", "Service", namespace)
        except ClusterError as error:
            pulumi.log.debug(f"addresses of Services in {namespace} are those of the state: {error}")
        else:
            found[namespace] = {s["metadata"]["name"]: ingress_addresses(s) for s in services}
    return found
