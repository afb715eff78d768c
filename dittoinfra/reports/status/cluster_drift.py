"""What others did to the objects of a stack in its cluster, and what to do about it. Pure."""

import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from dittoinfra.decide.cluster_edits import additions, edits, is_taken_over, restart
from dittoinfra.decide.managed_fields import Path, Write, item_name, path_text
from dittoinfra.nested_values import block, text
from dittoinfra.object_model import ObjectPlace
from dittoinfra.reports.status.status_model import Finding, Kind
from dittoinfra.stacks.result import RunReport, Step, whole_steps
from dittoinfra.stacks.shown_values import HIDDEN, drop_secrets, short
from dittoinfra.state import exported_resources
from dittoinfra.urns import resource_text


@dataclass(frozen=True, slots=True)
class StackObject:
    """A Kubernetes object of a stack."""

    urn: str
    place: ObjectPlace
    remembered: Mapping[str, Any] = field(repr=False)
    """As the engine last saw it, with what was declared of it and without any secret."""
    live: Mapping[str, Any] = field(default_factory=dict, repr=False)
    """As it is in the cluster now; empty until it is read."""

    @property
    def subject(self) -> str:
        """The subject of findings about it."""
        return resource_text(self.urn)

    @property
    def is_terminating(self) -> bool:
        """Whether it is being deleted."""
        return "deletionTimestamp" in self.live["metadata"]


def stack_objects(deployment: Mapping[str, Any]) -> tuple[StackObject, ...]:
    """Every Kubernetes object in an exported state; the object of a patch belongs to another owner."""
    return tuple(
        StackObject(urn, place, drop_secrets(resource["outputs"]))
        for urn, resource in exported_resources(deployment).items()
        if resource["type"].startswith("kubernetes:") and not resource["type"].endswith("Patch")
        if (place := _place(resource.get("outputs") or {})) is not None
    )


def _place(outputs: Mapping[str, Any]) -> ObjectPlace | None:
    metadata = block(outputs, "metadata")
    api_version, kind, name = text(outputs, "apiVersion"), text(outputs, "kind"), text(metadata, "name")
    # An object that was never created has none of these.
    if api_version is None or kind is None or name is None:
        return None
    return ObjectPlace(api_version, kind, text(metadata, "namespace") or "", name)


def object_steps(steps: Sequence[Step]) -> Sequence[Step]:
    """Steps on Kubernetes objects; those on components only where there are no others."""
    whole = whole_steps(steps)
    return [step for step in whole if not step.type.startswith(("dittoinfra:", "pulumi:"))] or whole


def cluster_drift(stack: str, refreshed: RunReport, objects: Sequence[StackObject]) -> Iterator[Finding]:
    """Everything that is not in the cluster as the stack left it; `objects` are those that exist."""
    up = f"`dittoinfra up {stack}`"
    edited = {this.urn: edits(this.remembered, this.live) for this in objects}
    for step in object_steps(refreshed.steps):
        if step.operation == "delete":
            yield _finding(resource_text(step.urn), "deleted", f"{up} creates it again")
        # An edit of the live object is reported below, together with its author.
        elif not edited.get(step.urn):
            yield from step_findings(Kind.CLUSTER, step, "changed", f"{up} puts it back")
    for this in objects:
        if this.is_terminating:
            metadata = this.live["metadata"]
            holders = f", held by {', '.join(metadata['finalizers'])}" if metadata.get("finalizers") else ""
            text = f"being deleted since {metadata['deletionTimestamp']}{holders}"
            yield _finding(this.subject, text, f"when it is gone, {up} creates it again")
        for edit in edited[this.urn]:
            path = path_text(edit.path)
            before, after = (_value(this, edit.path, value) for value in (edit.before, edit.after))
            text = f"{path}: {_change(before, after)}{_author(edit.by)}"
            yield _finding(this.subject, text, f"{up} puts it back", path, before, after, edit.by)
        for added in additions(this.remembered, this.live):
            yield _addition(this, added)


def restarts(objects: Sequence[StackObject]) -> Iterator[Finding]:
    """Workloads that a user restarted."""
    for this in objects:
        found = restart(this.live)
        if found is not None:
            text = f"restarted by `kubectl rollout restart` at {found.value}: left as it is"
            path = path_text(found.path)
            yield _finding(this.subject, text, path=path, after=str(found.value), by=found)


def _finding(
    subject: str,
    text: str,
    then: str | None = None,
    path: str | None = None,
    before: str | None = None,
    after: str | None = None,
    by: Write | None = None,
) -> Finding:
    return Finding(
        kind=Kind.CLUSTER,
        subject=subject,
        text=text,
        path=path,
        before=before,
        after=after,
        manager=by.manager if by else None,
        at=by.at if by else None,
        next=then,
    )


def step_findings(kind: Kind, step: Step, word: str, then: str) -> Iterator[Finding]:
    """Each property that a step changes with its values; where those are unknown, its `word`."""
    subject = resource_text(step.urn)
    if not step.differences:
        text = f"{word}: {', '.join(step.changed)}" if step.changed else word
        yield Finding(kind=kind, subject=subject, text=text, next=then)
    for this in step.differences:
        text = f"{this.path}: {_change(this.before, this.after)}"
        text = f"replace: {text}" if step.operation == "replace" else text
        yield Finding(
            kind=kind,
            subject=subject,
            text=text,
            path=this.path,
            before=this.before,
            after=this.after,
            next=then,
        )


def _addition(this: StackObject, added: Write) -> Finding:
    path, after = path_text(added.path), _value(this, added.path, added.value)
    if is_taken_over(added.manager):
        then = "the next update of this object removes it unseen; to keep it, put it into the configuration"
    else:
        then = f"it stays until it is removed: {removal_command(this, added.path)}"
    text = f"{path}: added: {after}{_author(added)}"
    return _finding(this.subject, text, then, path, after=after, by=added)


def removal_command(this: StackObject, path: Path) -> str:
    """The command that removes a field from a live object."""
    place = this.place
    kubectl = f"kubectl --namespace {place.namespace}" if place.namespace else "kubectl"
    what = f"{place.kind.lower()} {place.name}"
    match path:
        case ("metadata", "labels", name):
            return f"{kubectl} label {what} {name}-"
        case ("metadata", "annotations", name):
            return f"{kubectl} annotate {what} {name}-"
    return f"{kubectl} patch {what} --type json --patch '{json.dumps(_removal(this.live, path))}'"


def _removal(live: Any, path: Path) -> list[dict[str, Any]]:  # noqa: ANN401 - JSON has no narrower type
    pointer, found = "", live
    guard: list[dict[str, Any]] = []
    for part in path:
        if isinstance(found, list):
            index = next(index for index, item in enumerate(found) if item_name(item) == part)
            pointer, found = f"{pointer}/{index}", found[index]
            # Items move: what is removed has to be what was seen.
            guard = [{"op": "test", "path": pointer, "value": found}]
        else:
            pointer, found = f"{pointer}/{part.replace('~', '~0').replace('/', '~1')}", found[part]
    return [*guard, {"op": "remove", "path": pointer}]


def _value(this: StackObject, path: Path, value: object) -> str | None:
    secret = this.place.kind == "Secret" and path[0] in ("data", "stringData")
    return HIDDEN if secret and value is not None else short(value)


def _change(before: str | None, after: str | None) -> str:
    if after is None:
        return f"{before} removed"
    return f"{'nothing' if before is None else before} → {after}"


def _author(write: Write | None) -> str:
    if write is None:
        return ""
    return f", by {write.manager}" + (f" at {write.at}" if write.at else "")
