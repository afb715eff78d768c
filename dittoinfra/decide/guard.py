"""Checks a run against the live objects, before anything is declared. Pure.

The provider applies a declared object even where another manager created the live one. So a run checks first:
an object that it is about to create must not exist, and an object that its state holds must still exist. The
provider also deletes by name: an object that is about to be deleted must be the one that the state holds.
"""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import groupby
from typing import Any

from dittoinfra import naming
from dittoinfra.decide.cluster_edits import Edit, edits, unapplied_ports
from dittoinfra.decide.custom_kinds import HOST_MAPPING
from dittoinfra.decide.managed_fields import is_provider, owner_names, path_text
from dittoinfra.decide.planned_objects import namespace_place
from dittoinfra.decide.refusals import (
    BeingDeleted,
    ExistsAlready,
    ForeignObject,
    HeldElsewhere,
    NamespaceMissing,
    Refusal,
    UnreadableObject,
)
from dittoinfra.decide.router_hosts import finalizer_advice
from dittoinfra.model import Note
from dittoinfra.nested_values import block
from dittoinfra.object_model import (
    HeldObject,
    LiveObject,
    LiveObjects,
    ObjectIdentity,
    ObjectPlace,
    PlannedObject,
)
from dittoinfra.settings import ServerSettings
from dittoinfra.state import Memory, ingress_addresses

_HELM_RELEASE = "meta.helm.sh/release-name"


@dataclass(frozen=True, slots=True)
class Guarded:
    """The result of the check against the live objects."""

    refusals: tuple[Refusal, ...] = ()
    taken: tuple[PlannedObject, ...] = ()
    """Objects to create that other managers have, or that could not be read, so that they may."""
    waiting: frozenset[HeldObject] = frozenset()
    """Objects of adapters that are being deleted: the first run after their deletion declares them."""
    gone: tuple[PlannedObject, ...] = ()
    """Objects that the state holds and that were deleted in the cluster."""
    edited: tuple[PlannedObject, ...] = ()
    """Objects whose declared fields have other values in the cluster."""
    readdressed: tuple[PlannedObject, ...] = ()
    """Services whose load balancer has given other addresses than the state has, which outputs come from."""
    adoptable: Mapping[str, frozenset[HeldObject]] = field(default_factory=dict)
    """Objects that exist, or may exist, of servers with `adopt: true`, by server."""
    restarts: Mapping[str, str] = field(default_factory=dict)
    """When `kubectl rollout restart` was last run on a server's workload, by server."""
    live_ports: Mapping[str, frozenset[str]] = field(default_factory=dict)
    """Ports of workloads that this stack patches, in the format of `naming.port_text`, by server."""
    unapplied: Mapping[HeldObject, Mapping[str, int]] = field(default_factory=dict)
    """Ports by name of objects that cannot be previewed with other ports before their first update."""
    notes: tuple[Note, ...] = ()


def guard(
    servers: Sequence[ServerSettings],
    planned: Sequence[PlannedObject],
    memory: Memory,
    seen: LiveObjects,
    unseen: Mapping[ObjectPlace, str] | None = None,
) -> Guarded:
    """Check every planned object against the live one; `unseen` is why some could not be read."""
    unseen = unseen or {}
    adopting = {server.name for server in servers if server.adopt}
    contents = memory.contents
    # An object that another manager deleted and created again is not the one that the state holds.
    foreign = (
        this for this in planned if _is_another(seen.get(this.place), memory.identities.get(this.held))
    )
    new = frozenset((*_to_create(planned, memory), *foreign))
    absent = frozenset(this for this in planned if _absent(this.place, seen))
    # To take over what another resource of the program owns would be to lose it with that resource.
    elsewhere = {this: memory.elsewhere[this.place] for this in new if _held_elsewhere(this, memory, seen)}
    adoptable = [
        this for this in planned if this in new - absent and this not in elsewhere and this.server in adopting
    ]
    existing = [(this, live) for this in planned if (live := seen.get(this.place)) is not None]
    judged = [(this, live) for this, live in existing if this not in adoptable]
    terminating = [(this, live) for this, live in judged if live.terminating]
    waiting = [(this, live) for this, live in terminating if _of_adapter(this)]
    taken = [
        (this, live)
        for this, live in judged
        if this in new and this not in elsewhere and not live.terminating
    ]
    unread = [
        this
        for this in planned
        if this in new and this not in elsewhere and this not in adoptable and this.place in unseen
    ]
    gone = tuple(this for this in planned if this in absent - new)
    changed = [
        (this, found)
        for this, live in existing
        if this not in new
        and not live.terminating
        and (found := edits(contents.get(this.held, {}), live.content))
    ]
    return Guarded(
        refusals=(
            *_namespaces_missing(servers, planned, new, seen),
            *(
                HeldElsewhere(this.server, str(this), elsewhere[this])
                for this in planned
                if this in elsewhere
            ),
            *_exist_already(taken),
            *(
                BeingDeleted(this.server, str(this), live.finalizers)
                for this, live in terminating
                if not _of_adapter(this)
            ),
            *_creations_unseen(unread, unseen),
            *removal_refusals(removals(planned, memory), memory, seen, unseen),
        ),
        taken=(*(this for this, _ in taken), *unread),
        waiting=frozenset(this.held for this, _ in waiting),
        gone=gone,
        edited=tuple(this for this, _ in changed),
        readdressed=tuple(
            this
            for this, live in existing
            if this not in new
            and this.held.kind == "Service"
            and ingress_addresses(live.content) != ingress_addresses(contents.get(this.held, {}))
        ),
        adoptable={
            name: frozenset(this.held for this in objects)
            for name, objects in groupby(adoptable, lambda this: this.server)
        },
        restarts=dict(_restarts(planned, memory, seen)),
        live_ports={
            server.name: live.ports
            for server in servers
            if server.patch_ports and (live := seen.get(patched_place(server))) is not None
        },
        unapplied={
            this.held: ports
            for this, live in existing
            if this not in new and live.content and (ports := unapplied_ports(live.content))
        },
        notes=(
            *(_waits(this, live) for this, live in waiting),
            *(_is_gone(this) for this in gone),
            *(_is_edited(this, found) for this, found in changed),
        ),
    )


def removals(planned: Iterable[PlannedObject], memory: Memory) -> Mapping[HeldObject, ObjectPlace]:
    """Objects of the state that the engine would delete from the cluster that the run looks into."""
    declared = {this.held: this.place for this in planned}
    # With another cluster they are deleted from the one of the state, which is not looked into.
    held = {} if memory.replacing else memory.objects
    return {this: place for this, place in held.items() if place is not None and place != declared.get(this)}


def removal_refusals(
    removed: Mapping[HeldObject, ObjectPlace],
    memory: Memory,
    seen: LiveObjects,
    unseen: Mapping[ObjectPlace, str],
) -> tuple[Refusal, ...]:
    """Refusals of deletions that hit an object of another manager, or may do so."""
    unread = [place for place in removed.values() if place in unseen]
    return (
        *(
            ForeignObject(str(place), maker(live), memory.identities[held].urn)
            for held, place in removed.items()
            # What is being deleted already is not lost by this run.
            if (live := seen.get(place)) is not None
            and not live.terminating
            and _is_another(live, memory.identities.get(held))
        ),
        *((UnreadableObject(tuple(map(str, unread)), unseen[unread[0]]),) if unread else ()),
    )


def patched_place(server: ServerSettings) -> ObjectPlace:
    """Where the StatefulSet is that gets a server's ports by a patch."""
    return ObjectPlace("apps/v1", "StatefulSet", server.namespace, server.name)


def namespaces_to_ask(
    planned: Sequence[PlannedObject], memory: Memory, seen: LiveObjects
) -> tuple[ObjectPlace, ...]:
    """Namespaces that objects are to be created in, and that no live object in them proves to exist.

    A cluster that did not answer about the objects is not asked again.
    """
    proven = {place.namespace for place, live in seen.items() if live is not None}
    absent = (this for this in _to_create(planned, memory) if _absent(this.place, seen))
    wanted = dict.fromkeys(this.place.namespace for this in absent)
    return tuple(namespace_place(name) for name in wanted if name and name not in proven)


def maker(live: LiveObject) -> str:
    """The manager that created an object, as far as the object tells."""
    metadata = live.metadata
    managers = tuple(dict.fromkeys(_managers(metadata)))
    if owners := owner_names(metadata):
        return f"owned by {', '.join(owners)}"
    if release := block(metadata, "annotations").get(_HELM_RELEASE):
        return f"of the Helm release {release}"
    if _by_pulumi(managers):
        return "made by Pulumi, for another stack or by an interrupted run of this one"
    if manager := block(metadata, "labels").get(naming.MANAGED_BY_LABEL):
        return f"managed by {manager}"
    return f"written by {', '.join(managers)}" if managers else "of an unknown maker"


def _to_create(planned: Iterable[PlannedObject], memory: Memory) -> Iterator[PlannedObject]:
    """Objects that the engine would create: not in the state, or in the state in another place."""
    # A cluster other than the one of the state has none of its objects yet.
    held = {} if memory.replacing else memory.objects
    for this in planned:
        # Where the state does not say where an object is, assume the declared place.
        if this.held not in held or held[this.held] not in (None, this.place):
            yield this


def _held_elsewhere(this: PlannedObject, memory: Memory, seen: LiveObjects) -> bool:
    """Whether another resource of the program holds the object; unless it is known to be another one."""
    other = memory.elsewhere.get(this.place)
    if other is None or _absent(this.place, seen):
        return False
    live = seen.get(this.place)
    uid = None if live is None else live.metadata.get("uid")
    # Another cluster may have another object in the same place.
    return uid is None or other.uid in (None, uid)


def _is_another(live: LiveObject | None, held: ObjectIdentity | None) -> bool:
    """Whether a live object is not the one that the state holds, nor a copy of it, restored from a backup."""
    if live is None or held is None or held.uid is None or live.metadata.get("uid") in (None, held.uid):
        return False
    managers = tuple(_managers(live.metadata))
    # Other stacks have other managers with the same prefix.
    return held.manager not in managers if held.manager is not None else not _by_pulumi(managers)


def _absent(place: ObjectPlace, seen: LiveObjects) -> bool:
    return place in seen and seen[place] is None


def _namespaces_missing(
    servers: Sequence[ServerSettings],
    planned: Sequence[PlannedObject],
    new: frozenset[PlannedObject],
    seen: LiveObjects,
) -> Iterator[NamespaceMissing]:
    created = {this.place for this in planned}
    for namespace in dict.fromkeys(this.place.namespace for this in planned if this in new):
        place = namespace_place(namespace)
        live = seen.get(place)
        if place in created or not (_absent(place, seen) or (live is not None and live.terminating)):
            continue
        yield NamespaceMissing(
            namespace,
            tuple(dict.fromkeys(t.server for t in planned if t in new and t.place.namespace == namespace)),
            terminating=live is not None,
            deployed=any(s.namespace == namespace and s.deploy is not None for s in servers),
        )


def _exist_already(found: Iterable[tuple[PlannedObject, LiveObject]]) -> Iterator[ExistsAlready]:
    for server, pairs in groupby(found, lambda pair: pair[0].server):
        objects = list(pairs)
        yield ExistsAlready(
            server,
            tuple(f"{this} ({maker(live)})" for this, live in objects),
            by_pulumi=any(_by_pulumi(_managers(live.metadata)) for _, live in objects),
        )


def _creations_unseen(
    unread: Iterable[PlannedObject], unseen: Mapping[ObjectPlace, str]
) -> Iterator[UnreadableObject]:
    for server, objects in groupby(unread, lambda this: this.server):
        places = [this.place for this in objects]
        yield UnreadableObject(tuple(map(str, places)), unseen[places[0]], server)


def _managers(metadata: Mapping[str, Any]) -> Iterator[str]:
    for entry in metadata.get("managedFields") or ():
        # A manager that writes the status, or the number of replicas, has not created the object.
        if not entry.get("subresource"):
            yield str(entry.get("manager"))


def _by_pulumi(managers: Iterable[str]) -> bool:
    return any(map(is_provider, managers))


def _of_adapter(this: PlannedObject) -> bool:
    if this.held.kind == HOST_MAPPING.kind:
        return True
    resource = this.held.name.removeprefix(naming.udp_resource(""))
    return this.held.kind == "Service" and naming.parse_adapter_resource(resource) is not None


def _restarts(
    planned: Iterable[PlannedObject], memory: Memory, seen: LiveObjects
) -> Iterator[tuple[str, str]]:
    for this in planned:
        if this.held.kind == "StatefulSet":
            live = seen.get(this.place)
            # A workload that could not be read keeps the value in the state.
            restarted = (
                live.restarted if live else None if this.place in seen else memory.restarts.get(this.server)
            )
            if restarted is not None:
                yield this.server, restarted


def _waits(this: PlannedObject, live: LiveObject) -> Note:
    finalizers = ", ".join(live.finalizers) or "its own kind"
    text = (
        f"is being deleted, held by {finalizers}: not declared in this run, and created by the first run "
        f"that finds it gone; {finalizer_advice(finalizers, 'see why its deletion does not finish')}"
    )
    return _warning(this, text)


def _is_gone(this: PlannedObject) -> Note:
    return _warning(
        this,
        "was deleted in the cluster: `dittoinfra up` creates it again, and so does `pulumi up --refresh`",
    )


def _is_edited(this: PlannedObject, found: Sequence[Edit]) -> Note:
    what = ", ".join(path_text(edit.path) for edit in found)
    managers = dict.fromkeys(edit.by.manager for edit in found if edit.by is not None)
    by = f" by {', '.join(managers)}" if managers else ""
    again = "`dittoinfra up` puts it back, and so does `pulumi up --refresh`"
    return _warning(this, f"was edited in the cluster{by} ({what}): {again}")


def _warning(this: PlannedObject, text: str) -> Note:
    return Note(this.server, f"{this} {text}", warning=True)
