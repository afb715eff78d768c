"""What exists in the cluster of what a server is about to declare, and what else is there of it."""

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from dittoinfra.cluster import Cluster
from dittoinfra.cluster.objects import RefusedByClusterError, apply_object, list_objects, read_object
from dittoinfra.decide.adoption import (
    Adoption,
    Found,
    Leftover,
    Used,
    decide_adoption,
    is_leftover,
    owner_ids,
    owners,
    used_objects,
)
from dittoinfra.decide.ownership import ADOPTER
from dittoinfra.decide.refusals import AdoptionImpossible
from dittoinfra.memory import fixed_fields
from dittoinfra.model import DeclaredObject
from dittoinfra.naming import ADAPTER_SERVICE_LABEL
from dittoinfra.settings import ServerSettings

Existing = tuple[DeclaredObject, Mapping[str, Any]]
"""What is declared, and the live object of that name."""

_POLICY = ("networking.k8s.io/v1", "NetworkPolicy")
"""Left behind, it goes on keeping clients out, even where nothing here declares one."""

_NOBODY = "dittoinfra-adoption"
"""Name of an object that is never made: the cluster only says what it would be."""


def existing_objects(cluster: Cluster, declared: Sequence[DeclaredObject]) -> tuple[Existing, ...]:
    """Those that exist."""
    lives = (read_object(cluster, o.api_version, o.kind, o.namespace, o.name) for o in declared)
    return tuple((o, live) for o, live in zip(declared, lives, strict=True) if live is not None)


def judge(
    cluster: Cluster, server: ServerSettings, declared: DeclaredObject, live: Mapping[str, Any]
) -> Adoption | AdoptionImpossible:
    """Whether an object can be adopted, with the cluster's own validation."""
    try:
        decided = decide_adoption(
            server,
            Found(
                declared,
                live,
                fresh=_afresh(cluster, declared.manifest),
                fixed=fixed_fields(live) if declared.kind == "StatefulSet" else None,
            ),
        )
        # Two ports of one name are invalid, and before the takeover the one that goes is still there.
        if isinstance(decided, Adoption) and declared.kind != "Service":
            apply_object(cluster, declared.manifest, ADOPTER, dry_run=True)
    except RefusedByClusterError as error:
        return AdoptionImpossible(server.name, str(declared), str(error))
    return decided


def leftovers(
    cluster: Cluster, server: ServerSettings, declared: Sequence[DeclaredObject], owned_by: frozenset[str]
) -> Iterator[Leftover]:
    """Objects of the server that nobody declares, among the kinds that are declared."""
    names = {(o.kind, o.name) for o in declared}
    # To list Secrets is more than most people are allowed, and none of them is in anybody's way.
    kinds = ((o.api_version, o.kind) for o in declared if o.kind != "Secret")
    for api_version, kind in dict.fromkeys((*kinds, _POLICY)):
        for live in list_objects(cluster, api_version, kind, server.namespace):
            metadata = live["metadata"]
            if (kind, metadata["name"]) not in names and is_leftover(server, live, owned_by):
                of_adapter = ADAPTER_SERVICE_LABEL in (metadata.get("labels") or {})
                yield Leftover(kind, metadata["name"], owners(live), of_adapter)


def used_by_workload(
    cluster: Cluster, server: ServerSettings, declared: Sequence[DeclaredObject], owned_by: frozenset[str]
) -> Iterator[Used]:
    """Objects that the server reads, the stack does not declare, and the old owner would take along."""
    names = {(o.kind, o.name) for o in declared}
    used = {reference for o in declared for reference in used_objects(o.manifest)}
    for kind, name in sorted(used - names):
        live = read_object(cluster, "v1", kind, server.namespace, name)
        if live is not None and owner_ids(live) & owned_by:
            yield Used(kind, live)


def _afresh(cluster: Cluster, manifest: Mapping[str, Any]) -> Mapping[str, Any]:
    made = apply_object(cluster, _named(manifest, _NOBODY), ADOPTER, dry_run=True)
    return _named(made, manifest["metadata"]["name"])


def _named(manifest: Mapping[str, Any], name: str) -> Mapping[str, Any]:
    return {**manifest, "metadata": {**manifest["metadata"], "name": name}}
