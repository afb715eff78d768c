"""Taking over what an operator, Helm or a person made, before the engine hears of it."""

from collections.abc import Callable, Mapping, Sequence
from functools import partial

import pulumi

from dittoinfra.cluster import Cluster, ClusterError
from dittoinfra.cluster.objects import patch_latest
from dittoinfra.cluster.takeover import take_over
from dittoinfra.decide.adoption import Takeover, decide_takeover, owner_ids
from dittoinfra.decide.ownership import ADOPTER, disown, release_fields, take_fields
from dittoinfra.decide.refusals import ExistsAlready, Refusal
from dittoinfra.model import DeclaredObject, HeldObject, Note, StackDecision
from dittoinfra.program.errors import RunRefused, RunStopped
from dittoinfra.program.surroundings import provider_cluster, renders_manifests
from dittoinfra.program.survey import Existing, existing_objects, judge, leftovers, used_by_workload
from dittoinfra.settings import ServerSettings

UPSERT = "upsertExistingObjects"
"""The provider's setting without which it refuses to create what exists."""

PERMISSIONS = {
    UPSERT: "PULUMI_K8S_UPSERT_EXISTING_OBJECTS",
    # Its previews apply too, and would find all that others wrote in conflict with what is declared.
    "enablePatchForce": "PULUMI_K8S_ENABLE_PATCH_FORCE",
}
"""Settings of the provider that an adopting run needs, and the variables that say the same."""


def adopt_existing(
    servers: Sequence[ServerSettings],
    decision: StackDecision,
    rehearse: Callable[[ServerSettings], Sequence[DeclaredObject]],
    held: frozenset[HeldObject],
    environ: Mapping[str, str],
) -> tuple[Note, ...]:
    """Take over what exists for servers that say so; a preview only tells. Nothing may be declared before.

    A provider that may take over what exists would do so for every server: the others are guarded from it.
    """
    missing = tuple(name for name in PERMISSIONS if not _permits(name, environ))
    concerned = [s for s in servers if s.adopt or UPSERT not in missing]
    if not concerned or renders_manifests():
        return ()
    declared = {s.name: rehearse(s) for s in concerned}
    new = {name: [o for o in objects if o.held not in held] for name, objects in declared.items()}
    if not any(new.values()):
        return ()
    try:
        with provider_cluster(environ) as cluster:
            takeovers: list[Takeover] = []
            refused: list[Refusal] = []
            for server in concerned:
                existing = existing_objects(cluster, new[server.name])
                if existing and not server.adopt:
                    refused.append(ExistsAlready(server.name, tuple(str(o) for o, _ in existing)))
                elif existing:
                    bootstrap = decision.servers[server.name].bootstrap
                    takeover = _plan(cluster, server, existing, declared[server.name], bootstrap=bootstrap)
                    refused += takeover.refusals(missing)
                    takeovers.append(takeover)
            if refused:
                raise RunRefused(refused)
            if not pulumi.runtime.is_dry_run():
                for takeover in takeovers:
                    _carry_out(cluster, takeover)
    except ClusterError as error:
        raise RunStopped([f"existing objects cannot be adopted: {error}"]) from None
    return tuple(note for takeover in takeovers for note in takeover.notes())


def _permits(setting: str, environ: Mapping[str, str]) -> bool:
    value = pulumi.Config("kubernetes").get(setting) or environ.get(PERMISSIONS[setting]) or ""
    return value.lower() in ("true", "1")


def _plan(
    cluster: Cluster,
    server: ServerSettings,
    existing: Sequence[Existing],
    declared: Sequence[DeclaredObject],
    *,
    bootstrap: bool,
) -> Takeover:
    owned_by = frozenset[str]().union(*(owner_ids(live) for _, live in existing))
    return decide_takeover(
        server,
        [judge(cluster, server, this, live) for this, live in existing],
        tuple(leftovers(cluster, server, declared, owned_by)),
        tuple(used_by_workload(cluster, server, declared, owned_by)),
        bootstrap=bootstrap,
    )


def _carry_out(cluster: Cluster, takeover: Takeover) -> None:
    for used in takeover.used:
        patch_latest(cluster, used.live, disown)
    for adoption in takeover.adoptions:
        manifest = adoption.declared.manifest
        take_over(cluster, manifest, ADOPTER, partial(take_fields, manifest=manifest), release_fields)
