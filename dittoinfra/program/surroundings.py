"""What the cluster around the servers has and knows, asked only when a setting depends on it."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

import pulumi

from dittoinfra.cluster import Cluster, ClusterError, connect
from dittoinfra.cluster.questions import namespace_exists, serves
from dittoinfra.decide.kinds import (
    CustomKind,
    KindDecision,
    Knowledge,
    NotServed,
    Served,
    Unasked,
    custom_objects,
    decide_kinds,
)
from dittoinfra.decide.namespaces import NamespaceDecision, decide_namespaces, wanted_namespaces
from dittoinfra.model import HeldObject
from dittoinfra.settings import ServerSettings


@dataclass(frozen=True, slots=True)
class Surroundings:
    """What follows from the cluster for what is declared in it."""

    kinds: KindDecision
    namespaces: NamespaceDecision


def look_around(
    servers: Sequence[ServerSettings], held: frozenset[HeldObject], environ: Mapping[str, str]
) -> Surroundings:
    """Ask the provider's cluster; without an answer, or without a cluster, everything wanted is declared."""
    wanted = [this for server in servers for this in custom_objects(server)]
    kinds = {this.kind for this in wanted}
    namespaces = wanted_namespaces(servers)
    known: Mapping[CustomKind, Knowledge] = {}
    existing: Mapping[str, bool] = {}
    if (kinds or namespaces) and not renders_manifests():
        try:
            with provider_cluster(environ) as cluster:
                known = _known(cluster, kinds)
                existing = _existing(cluster, namespaces)
        except ClusterError as error:
            known = dict.fromkeys(kinds, Unasked(str(error)))
    return Surroundings(decide_kinds(wanted, known, held), decide_namespaces(servers, existing, held))


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
