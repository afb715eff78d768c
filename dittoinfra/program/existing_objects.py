"""Takes over objects that an operator, Helm or a user created, before they are registered with the engine."""

from collections.abc import Iterator, Mapping, Sequence
from functools import partial
from typing import Any

import pulumi

from dittoinfra.decide.adoption_rules import (
    Adoption,
    Leftover,
    Takeover,
    Used,
    decide_adoption,
    decide_takeover,
    is_leftover,
    owner_ids,
    used_objects,
)
from dittoinfra.decide.managed_fields import owner_names
from dittoinfra.decide.ownership import ADOPTER, disown, release_fields, take_fields
from dittoinfra.decide.refusals import AdoptionImpossible
from dittoinfra.kubernetes import Cluster, ClusterError, connect
from dittoinfra.kubernetes.cluster_errors import RefusedByClusterError
from dittoinfra.kubernetes.objects import apply_object, list_objects, patch_latest, read_object, take_over
from dittoinfra.model import Note, StackDecision
from dittoinfra.naming import ADAPTER_SERVICE_LABEL
from dittoinfra.object_model import DeclaredObject, HeldObject
from dittoinfra.program.declared_objects import server_objects
from dittoinfra.program.run_errors import RunRefused, RunStopped
from dittoinfra.program.survey import RunRecord
from dittoinfra.settings import ServerSettings
from dittoinfra.state import fixed_fields

_POLICY = ("networking.k8s.io/v1", "NetworkPolicy")
"""A leftover policy still blocks clients, even where the stack declares none."""

_PROBE = "dittoinfra-adoption"
"""Name of an object that is never created: a dry run returns what it would be."""


def adopt_existing(record: RunRecord, environ: Mapping[str, str]) -> tuple[Note, ...]:
    """Take over existing objects of servers with `adopt: true`; a preview only reports them.

    Nothing may be declared before.
    """
    decision = record.decision
    adoptable = decision.guarded.adoptable
    concerned = [server for server in decision.declared if server.name in adoptable]
    configuration = record.configuration
    if not concerned or configuration.manifests is not None:
        return ()
    try:
        with connect(configuration.kubeconfig(environ), configuration.context) as connected:
            takeovers = [
                _plan(
                    connected,
                    server,
                    server_objects(record, server),
                    adoptable[server.name],
                    decision.adapters,
                )
                for server in concerned
            ]
            refused = [why for takeover in takeovers for why in takeover.impossible]
            if refused:
                raise RunRefused(refused).of(record)
            if not pulumi.runtime.is_dry_run():
                for takeover in takeovers:
                    _carry_out(connected, takeover)
    except ClusterError as error:
        raise RunStopped([f"existing objects cannot be adopted: {error}"]) from None
    return tuple(note for takeover in takeovers for note in takeover.notes)


def _plan(
    cluster: Cluster,
    server: ServerSettings,
    declared: Sequence[DeclaredObject],
    adoptable: frozenset[HeldObject],
    decision: StackDecision,
) -> Takeover:
    existing = [
        (this, live)
        for this in declared
        if this.held in adoptable
        and (live := read_object(cluster, this.api_version, this.kind, this.namespace, this.name)) is not None
    ]
    owned_by = frozenset[str]().union(*(owner_ids(live) for _, live in existing))
    return decide_takeover(
        server,
        [_judge(cluster, server, this, live) for this, live in existing],
        tuple(_leftovers(cluster, server, declared, owned_by)),
        tuple(_used_by_workload(cluster, server, declared, owned_by)),
        bootstrap=decision.servers[server.name].bootstrap,
    )


def _carry_out(cluster: Cluster, takeover: Takeover) -> None:
    for used in takeover.used:
        patch_latest(cluster, used.live, disown)
    for adoption in takeover.adoptions:
        manifest = adoption.declared.manifest
        take_over(cluster, manifest, ADOPTER, partial(take_fields, manifest=manifest), release_fields)


def _judge(
    cluster: Cluster, server: ServerSettings, declared: DeclaredObject, live: Mapping[str, Any]
) -> Adoption | AdoptionImpossible:
    """Whether an object can be adopted, with the cluster's own validation."""
    try:
        decided = decide_adoption(
            server,
            declared,
            live,
            fresh=_created_anew(cluster, declared.manifest),
            fixed=fixed_fields(live) if declared.kind == "StatefulSet" else None,
        )
        # Two ports of one name are invalid, and before the takeover the port to remove still exists.
        if isinstance(decided, Adoption) and declared.kind != "Service":
            apply_object(cluster, declared.manifest, ADOPTER, dry_run=True)
    except RefusedByClusterError as error:
        return AdoptionImpossible(server.name, str(declared), str(error))
    return decided


def _leftovers(
    cluster: Cluster, server: ServerSettings, declared: Sequence[DeclaredObject], owned_by: frozenset[str]
) -> Iterator[Leftover]:
    """Objects of the server that are not declared, among the kinds that are declared."""
    names = {(o.kind, o.name) for o in declared}
    # Most users may not list Secrets, and a leftover Secret does no harm.
    kinds = ((o.api_version, o.kind) for o in declared if o.kind != "Secret")
    for api_version, kind in dict.fromkeys((*kinds, _POLICY)):
        for live in list_objects(cluster, api_version, kind, server.namespace):
            metadata = live["metadata"]
            if (kind, metadata["name"]) not in names and is_leftover(server, live, owned_by):
                of_adapter = ADAPTER_SERVICE_LABEL in (metadata.get("labels") or {})
                yield Leftover(kind, metadata["name"], owner_names(metadata), of_adapter)


def _used_by_workload(
    cluster: Cluster, server: ServerSettings, declared: Sequence[DeclaredObject], owned_by: frozenset[str]
) -> Iterator[Used]:
    """Objects that the server reads, that the stack does not declare, and that go with the previous owner."""
    names = {(o.kind, o.name) for o in declared}
    used = {reference for o in declared for reference in used_objects(o.manifest)}
    for kind, name in sorted(used - names):
        live = read_object(cluster, "v1", kind, server.namespace, name)
        if live is not None and owner_ids(live) & owned_by:
            yield Used(kind, live)


def _created_anew(cluster: Cluster, manifest: Mapping[str, Any]) -> Mapping[str, Any]:
    """What the cluster would make of an object that does not exist yet, with its defaults."""
    metadata = manifest["metadata"]
    probe = {**manifest, "metadata": {**metadata, "name": _PROBE}}
    created = apply_object(cluster, probe, ADOPTER, dry_run=True)
    return {**created, "metadata": {**created["metadata"], "name": metadata["name"]}}
