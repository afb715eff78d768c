"""What to do about objects that exist before the stack declares them. Pure."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from dittoinfra import naming
from dittoinfra.decide.claims import differences, planned_fields
from dittoinfra.decide.ownership import Path, changed_paths, ownership, removed_paths
from dittoinfra.decide.refusals import AdoptionImpossible, Refusal, TakeoverForbidden
from dittoinfra.model import DeclaredObject, FixedFields, Note
from dittoinfra.settings import ServerSettings

_TEMPLATE = ("spec", "template")

_REFERENCES = {
    "secretKeyRef": ("Secret", "name"),
    "secretRef": ("Secret", "name"),
    "secret": ("Secret", "secretName"),
    "configMapKeyRef": ("ConfigMap", "name"),
    "configMapRef": ("ConfigMap", "name"),
    "configMap": ("ConfigMap", "name"),
}
"""Where a Pod names what it reads: the field, the kind, and the name's place in it."""


@dataclass(frozen=True, slots=True)
class Found:
    """An object that is about to be declared and exists already."""

    declared: DeclaredObject
    live: Mapping[str, Any] = field(repr=False)
    """As the cluster has it."""
    fresh: Mapping[str, Any] = field(repr=False)
    """As the cluster would make it from nothing, with its own defaults: compared with what is there."""
    fixed: FixedFields | None = None
    """What cannot change any more, where it is a StatefulSet."""


@dataclass(frozen=True, slots=True)
class Leftover:
    """An object of a server that exists and is not declared."""

    kind: str
    name: str
    owners: tuple[str, ...]
    of_adapter: bool

    def __str__(self) -> str:
        return f"{self.kind} {self.name}"

    def note(self, server: str) -> Note:
        """What people should know of it."""
        fate = f"Kubernetes deletes it with {', '.join(self.owners)}" if self.owners else "nothing deletes it"
        return Note(server, f"{self} is of an earlier deployment and not declared: left alone; {fate}")


@dataclass(frozen=True, slots=True)
class Used:
    """An object that a server reads and the stack does not declare, owned by whoever is to leave."""

    kind: str
    live: Mapping[str, Any] = field(repr=False)

    def note(self, server: str) -> Note:
        """What people should know of it."""
        return Note(
            server,
            f"{self.kind} {self.live['metadata']['name']} is read by the server and not declared: "
            f"it loses its owner {', '.join(owners(self.live))}, and stays",
        )


@dataclass(frozen=True, slots=True)
class Adoption:
    """An object that becomes the stack's, and what that changes on it."""

    found: Found
    removed: tuple[Path, ...]
    changed: tuple[Path, ...]
    left: tuple[str, ...]
    """Annotations that nobody declares any more, and that stay: some cloud may go by them."""

    @property
    def declared(self) -> DeclaredObject:
        """What is declared over it."""
        return self.found.declared

    @property
    def remakes_pod(self) -> bool:
        """Whether the Pod that it makes would be another one."""
        return any(path[:2] == _TEMPLATE for path in (*self.removed, *self.changed))

    def note(self) -> Note:
        """What people should know of it, before it happens and when it does."""
        text = f"{self.declared} exists already (uid {self.found.live['metadata']['uid']}): adopted"
        if lost := owners(self.found.live):
            text += f"; loses its owner {', '.join(lost)}"
        if self.removed:
            text += f"; removed from it: {_listed(self.removed)}"
        if changed := _listed(_summary(self.changed)):
            text += f"; changed on it: {changed}"
        if self.left:
            text += f"; left on it: annotation {', '.join(self.left)}"
        if self.remakes_pod:
            text += f"; its Pod's template changes: {_restart(self.declared.manifest)}"
        return Note(self.declared.server, text, warning=bool(self.removed) or self.remakes_pod)


@dataclass(frozen=True, slots=True)
class Takeover:
    """Everything of one server that becomes the stack's, and everything that stands in the way."""

    server: str
    adoptions: tuple[Adoption, ...]
    used: tuple[Used, ...]
    leftovers: tuple[Leftover, ...]
    impossible: tuple[AdoptionImpossible, ...]

    def refusals(self, missing: tuple[str, ...]) -> tuple[Refusal, ...]:
        """Why it must not happen, given the provider's settings that are missing."""
        if not missing:
            return self.impossible
        count = len(self.adoptions) + len(self.impossible)
        return (*self.impossible, TakeoverForbidden(self.server, count, missing))

    def notes(self) -> tuple[Note, ...]:
        """What people should know, before it happens and when it does."""
        return (
            *(adoption.note() for adoption in self.adoptions),
            *(used.note(self.server) for used in self.used),
            *(left.note(self.server) for left in self.leftovers),
        )


def decide_adoption(server: ServerSettings, found: Found) -> Adoption | AdoptionImpossible:
    """Whether an object can be adopted as it is declared, and what that means."""
    declared, live = found.declared, found.live
    why = "; ".join(_obstacles(server, found))
    if why:
        return AdoptionImpossible(server.name, str(declared), why)
    fields = ownership(live, declared.manifest)
    return Adoption(
        found,
        removed=removed_paths(fields, live, found.fresh),
        changed=changed_paths(declared.manifest, live, found.fresh),
        left=fields.left,
    )


def decide_takeover(
    server: ServerSettings,
    judged: Sequence[Adoption | AdoptionImpossible],
    left: Sequence[Leftover],
    used: Sequence[Used],
    *,
    bootstrap: bool,
) -> Takeover:
    """Everything together. While nobody knows a server's adapters, no Service of one counts as left over."""
    unknown = [this for this in left if bootstrap and this.of_adapter]
    why = "the server has not told its adapters: make its API reachable (api.url), or pin the adapter"
    return Takeover(
        server.name,
        adoptions=tuple(this for this in judged if isinstance(this, Adoption)),
        used=tuple(used),
        leftovers=tuple(this for this in left if this not in unknown),
        impossible=(
            *(this for this in judged if isinstance(this, AdoptionImpossible)),
            *(AdoptionImpossible(server.name, str(this), why) for this in unknown),
        ),
    )


def owners(live: Mapping[str, Any]) -> tuple[str, ...]:
    """The owners of an object, as people name them."""
    return tuple(f"{owner['kind']}/{owner['name']}" for owner in _owner_references(live))


def owner_ids(live: Mapping[str, Any]) -> frozenset[str]:
    """The owners of an object, as Kubernetes tells them apart."""
    return frozenset(str(owner["uid"]) for owner in _owner_references(live))


def is_leftover(server: ServerSettings, live: Mapping[str, Any], owned_by: frozenset[str]) -> bool:
    """Whether an object that is not declared is of this server: by its owner, its labels or its name."""
    metadata = live["metadata"]
    labels = metadata.get("labels") or {}
    # What a stack made goes by the engine's rules, not by these.
    return labels.get(naming.MANAGED_BY_LABEL) != "pulumi" and bool(
        owner_ids(live) & owned_by
        or naming.selector(server.name).items() <= labels.items()
        or metadata["name"] == naming.file_service(server.name)
    )


def used_objects(manifest: Mapping[str, Any]) -> frozenset[tuple[str, str]]:
    """Kind and name of every Secret and ConfigMap that a workload reads."""
    return frozenset(_used(manifest))


def _obstacles(server: ServerSettings, found: Found) -> Iterator[str]:
    metadata = found.live["metadata"]
    if "deletionTimestamp" in metadata:
        held = ", ".join(metadata.get("finalizers") or ["its own kind"])
        yield f"it is being deleted, held by {held}: see why it does not finish, then run again"
    if found.declared.kind == "Service":
        there, here = (_headed(this) for this in (found.live, found.declared.manifest))
        if there != here:
            yield (
                f"it is {there} there and {here} here, which Kubernetes does not let change: "
                "delete it, and run again"
            )
    if found.fixed is not None and server.deploy is not None:
        for change in differences(server, found.fixed, planned_fields(server, server.deploy)):
            yield (
                f"{change.field} is {change.before} there and {change.after} here, which Kubernetes does not "
                "let change: write here what is there"
            )


def _headed(service: Mapping[str, Any]) -> str:
    return "headless" if service["spec"].get("clusterIP") == "None" else "not headless"


def _owner_references(live: Mapping[str, Any]) -> Sequence[Mapping[str, Any]]:
    return live["metadata"].get("ownerReferences") or ()


def _restart(stateful_set: Mapping[str, Any]) -> str:
    if stateful_set["spec"].get("updateStrategy", {}).get("type") == "OnDelete":
        return "the Pod is another one once somebody deletes it"
    return "the Pod restarts once"


def _used(value: object) -> Iterator[tuple[str, str]]:
    match value:
        case Mapping():
            for key, below in value.items():
                kind, place = _REFERENCES.get(key, ("", ""))
                if isinstance(below, Mapping) and isinstance(name := below.get(place), str):
                    yield kind, name
                yield from _used(below)
        case list():
            for item in value:
                yield from _used(item)


def _summary(paths: Iterable[Path]) -> Iterator[Path]:
    """Paths without the details that nobody needs one by one."""
    for path in paths:
        if path[:2] != _TEMPLATE:
            yield path[:2] if path[0] == "metadata" else path


def _listed(paths: Iterable[Path]) -> str:
    # Sorted, because the SDK hands a manifest's fields over in any order.
    return ", ".join(sorted(set(map(_words, paths))))


def _words(path: Path) -> str:
    match path:
        case ("metadata", ("labels" | "annotations") as what, name):
            return f"{what.removesuffix('s')} {name}"
        case ("metadata", what):
            return what
        case ("spec", "ports", port):
            return f"port {port.strip('[]')}"
        case _:
            return ".".join(path).replace(".[", "[")
