"""What to do about objects that exist before the stack declares them. Pure."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from dittoinfra import naming
from dittoinfra.decide.immutable_fields import immutable_changes, planned_fields
from dittoinfra.decide.managed_fields import Path, owner_names
from dittoinfra.decide.ownership import changed_paths, ownership, removed_paths
from dittoinfra.decide.refusals import AdoptionImpossible
from dittoinfra.model import Note
from dittoinfra.object_model import DeclaredObject, FixedFields
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
"""Where a Pod references Secrets and ConfigMaps: the field, the kind, and the key that holds the name."""


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
        """For the user."""
        fate = f"Kubernetes deletes it with {', '.join(self.owners)}" if self.owners else "nothing deletes it"
        return Note(server, f"{self} is of an earlier deployment and not declared: left alone; {fate}")


@dataclass(frozen=True, slots=True)
class Used:
    """An object that a server reads and the stack does not declare, owned by the previous owner."""

    kind: str
    live: Mapping[str, Any] = field(repr=False)

    def note(self, server: str) -> Note:
        """For the user."""
        metadata = self.live["metadata"]
        return Note(
            server,
            f"{self.kind} {metadata['name']} is read by the server and not declared: "
            f"it loses its owner {', '.join(owner_names(metadata))}, and stays",
        )


@dataclass(frozen=True, slots=True)
class Adoption:
    """An object that becomes the stack's, and what that changes on it."""

    declared: DeclaredObject
    live: Mapping[str, Any] = field(repr=False)
    removed: tuple[Path, ...]
    changed: tuple[Path, ...]
    left: tuple[str, ...]
    """Annotations that are no longer declared, and that stay: a cloud may depend on them."""

    def note(self) -> Note:
        """For the user, before it happens and when it does."""
        metadata = self.live["metadata"]
        changes_pod = any(path[:2] == _TEMPLATE for path in (*self.removed, *self.changed))
        text = f"{self.declared} exists already (uid {metadata['uid']}): adopted"
        if lost := owner_names(metadata):
            text += f"; loses its owner {', '.join(lost)}"
        if self.removed:
            text += f"; removed from it: {_listed(self.removed)}"
        if changed := _listed(
            path[:2] if path[0] == "metadata" else path for path in self.changed if path[:2] != _TEMPLATE
        ):
            text += f"; changed on it: {changed}"
        if self.left:
            text += f"; left on it: annotation {', '.join(self.left)}"
        if changes_pod:
            strategy = self.declared.manifest["spec"].get("updateStrategy", {}).get("type")
            on_delete = strategy == "OnDelete"
            pod = "is replaced when it is deleted" if on_delete else "restarts once"
            text += f"; its Pod's template changes: the Pod {pod}"
        return Note(self.declared.server, text, warning=bool(self.removed) or changes_pod)


@dataclass(frozen=True, slots=True)
class Takeover:
    """Everything of one server that becomes the stack's, and everything that prevents it."""

    adoptions: tuple[Adoption, ...]
    used: tuple[Used, ...]
    impossible: tuple[AdoptionImpossible, ...]
    notes: tuple[Note, ...]
    """For the user, before it happens and when it does."""


def decide_adoption(
    server: ServerSettings,
    declared: DeclaredObject,
    live: Mapping[str, Any],
    fresh: Mapping[str, Any],
    fixed: FixedFields | None = None,
) -> Adoption | AdoptionImpossible:
    """Whether a live object can be adopted as it is declared, and what that changes.

    `fresh` is the object as the cluster would create it, with its own defaults; `fixed` are the immutable
    fields of a live StatefulSet.
    """
    why = "; ".join(_obstacles(server, declared, live, fixed))
    if why:
        return AdoptionImpossible(server.name, str(declared), why)
    fields = ownership(live, declared.manifest)
    return Adoption(
        declared,
        live,
        removed=removed_paths(fields, live, fresh),
        changed=changed_paths(declared.manifest, live, fresh),
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
    """The whole takeover. While a server's adapters are unknown, no adapter Service counts as left over."""
    unknown = [this for this in left if bootstrap and this.of_adapter]
    why = "the server has not told its adapters: make its API reachable (api.url), or pin the adapter"
    adoptions = tuple(this for this in judged if isinstance(this, Adoption))
    return Takeover(
        adoptions,
        tuple(used),
        impossible=(
            *(this for this in judged if isinstance(this, AdoptionImpossible)),
            *(AdoptionImpossible(server.name, str(this), why) for this in unknown),
        ),
        notes=(
            *(adoption.note() for adoption in adoptions),
            *(this.note(server.name) for this in used),
            *(this.note(server.name) for this in left if this not in unknown),
        ),
    )


def owner_ids(live: Mapping[str, Any]) -> frozenset[str]:
    """The owners of an object, as Kubernetes distinguishes them."""
    return frozenset(str(owner["uid"]) for owner in live["metadata"].get("ownerReferences") or ())


def is_leftover(server: ServerSettings, live: Mapping[str, Any], owned_by: frozenset[str]) -> bool:
    """Whether an object that is not declared is of this server: by its owner, its labels or its name."""
    metadata = live["metadata"]
    labels = metadata.get("labels") or {}
    # The engine manages the objects that a stack created; these rules do not apply to them.
    return labels.get(naming.MANAGED_BY_LABEL) != "pulumi" and bool(
        owner_ids(live) & owned_by
        or naming.selector(server.name).items() <= labels.items()
        or metadata["name"] == naming.file_service(server.name)
    )


def used_objects(value: object) -> Iterator[tuple[str, str]]:
    """Kind and name of every Secret and ConfigMap that a workload reads, from its manifest."""
    match value:
        case Mapping():
            for key, below in value.items():
                kind, place = _REFERENCES.get(key, ("", ""))
                if isinstance(below, Mapping) and isinstance(name := below.get(place), str):
                    yield kind, name
                yield from used_objects(below)
        case list():
            for item in value:
                yield from used_objects(item)


def _obstacles(
    server: ServerSettings, declared: DeclaredObject, live: Mapping[str, Any], fixed: FixedFields | None
) -> Iterator[str]:
    metadata = live["metadata"]
    if "deletionTimestamp" in metadata:
        finalizers = ", ".join(metadata.get("finalizers") or ["its own kind"])
        yield f"it is being deleted, held by {finalizers}: see why it does not finish, then run again"
    if declared.kind == "Service":
        there, here = (
            "headless" if service["spec"].get("clusterIP") == "None" else "not headless"
            for service in (live, declared.manifest)
        )
        if there != here:
            yield (
                f"it is {there} there and {here} here, which Kubernetes does not let change: "
                "delete it, and run again"
            )
    if fixed is not None and server.deploy is not None:
        for change in immutable_changes(server, fixed, planned_fields(server, server.deploy)):
            yield (
                f"{change.field} is {change.before} there and {change.after} here, which Kubernetes does not "
                "let change: write here what is there"
            )


def _listed(paths: Iterable[Path]) -> str:
    # Sorted, because the SDK passes a manifest's fields in any order.
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
