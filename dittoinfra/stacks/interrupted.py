"""What a run had begun when it was interrupted, and what the cluster shows of it. Pure.

The engine marks an operation in the state before it begins, and removes the mark when it has ended. It cannot
find what it was creating by itself: the object may exist while the state does not know it.
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from dittoinfra.decide.managed_fields import is_provider, managers
from dittoinfra.nested_values import block, text
from dittoinfra.stacks.shown_values import ObjectReference
from dittoinfra.urns import resource_name

CREATING = "creating"

_PROVIDER = "kubernetes:"
_PATCH = "Patch"
_MANAGER_ANNOTATION = "pulumi.com/patchFieldManager"
"""Lets users choose the field manager of the official provider."""


@dataclass(frozen=True, slots=True)
class PendingOperation:
    """One operation whose result is unknown."""

    doing: str
    """The engine's word: creating, updating, deleting and others."""
    resource: Mapping[str, Any] = field(repr=False)
    """As the state would hold it, its secrets encrypted or left out."""

    @property
    def urn(self) -> str:
        """The resource's URN."""
        return str(self.resource["urn"])

    @property
    def name(self) -> str:
        """The resource's name as users know it."""
        return resource_name(self.urn)

    @property
    def object(self) -> ObjectReference | None:
        """What was being created, or patched, in the cluster; None where there is nothing to look for."""
        kind, inputs = str(self.resource.get("type")), block(self.resource, "inputs")
        name = text(block(inputs, "metadata"), "name")
        if self.doing != CREATING or not kind.startswith(_PROVIDER) or name is None:
            return None
        declared = text(inputs, "kind") or ""
        namespace = text(block(inputs, "metadata"), "namespace")
        return ObjectReference(text(inputs, "apiVersion") or "", declared, namespace, name)

    @property
    def is_patch(self) -> bool:
        """Whether the object belongs to another owner, and the stack only patches it."""
        declared = text(block(self.resource, "inputs"), "kind")
        return str(self.resource.get("type")).rpartition(":")[2] == f"{declared}{_PATCH}"


@dataclass(frozen=True, slots=True)
class Created:
    """The object exists, and is what the interrupted run was creating."""

    pending: PendingOperation
    live: Mapping[str, Any] = field(repr=False)
    manager: str
    """The field manager that created it."""


@dataclass(frozen=True, slots=True)
class NotCreated:
    """There is no such object, so nothing has happened."""

    pending: PendingOperation


@dataclass(frozen=True, slots=True)
class Foreign:
    """An object of that name exists, and it belongs to another owner."""

    pending: PendingOperation
    why: str


Verdict = Created | NotCreated | Foreign


def pending_operations(deployment: Mapping[str, Any]) -> tuple[PendingOperation, ...]:
    """Every operation that an exported state lists as pending."""
    listed = deployment.get("pending_operations") or ()
    return tuple(PendingOperation(str(each.get("type")), each["resource"]) for each in listed)


def judge(
    deployment: Mapping[str, Any], pending: PendingOperation, live: Mapping[str, Any] | None
) -> Verdict:
    """The result of an interrupted creation, by the live object of that name."""
    if live is None:
        return NotCreated(pending)
    if pending.is_patch:
        return _judge_patch(deployment, pending, live)
    inputs = block(pending.resource, "inputs")
    if "deletionTimestamp" in block(live, "metadata"):
        return Foreign(pending, "it is being deleted")
    writers = dict.fromkeys(str(entry.get("manager")) for entry in managers(live))
    ours = [manager for manager in writers if _may_be_ours(manager, inputs)]
    if len(ours) != 1:
        return Foreign(pending, f"it was written by {', '.join(writers) or 'an unknown manager'}")
    different = next(_differences(inputs, live), None)
    if different is not None:
        return Foreign(pending, f"its {different} is not what was declared")
    if not _has_room(deployment, pending):
        return Foreign(pending, "the state does not hold what it hangs on")
    return Created(pending, live, ours[0])


def _judge_patch(
    deployment: Mapping[str, Any], pending: PendingOperation, live: Mapping[str, Any]
) -> Verdict:
    """A patch was made by the manager that owns its annotations.

    Made again under another manager, it would have two owners, and its fields would stay when it is deleted.
    """
    inputs = block(pending.resource, "inputs")
    declared = {f"f:{key}" for key in block(inputs, "metadata", "annotations")}
    makers = [
        str(entry.get("manager"))
        for entry in managers(live)
        if declared and declared <= block(entry, "fieldsV1", "f:metadata", "f:annotations").keys()
        if _may_be_ours(str(entry.get("manager")), inputs)
    ]
    if not makers:
        return NotCreated(pending)
    if len(makers) > 1 or not _has_room(deployment, pending):
        return Foreign(pending, f"it was patched by {', '.join(makers)}")
    return Created(pending, live, makers[0])


def with_created(deployment: Mapping[str, Any], created: Sequence[Created]) -> dict[str, Any]:
    """The state as the engine would have left it, had it finished what it was creating."""
    urns = {this.pending.urn for this in created}
    held = [
        resource
        for resource in deployment.get("resources") or ()
        # A resource that was deleted for its replacement waits until that exists, as it does here.
        if not (resource["urn"] in urns and resource.get("pendingReplacement"))
    ]
    after = {**deployment, "resources": [*held, *map(_resource, created)]}
    after.pop("pending_operations", None)
    return after


def holds(deployment: Mapping[str, Any], pending: PendingOperation) -> bool:
    """Whether a state already holds a resource, and not only one that this resource was to replace."""
    return any(
        resource["urn"] == pending.urn and not (resource.get("pendingReplacement") or resource.get("delete"))
        for resource in deployment.get("resources") or ()
    )


def _has_room(deployment: Mapping[str, Any], pending: PendingOperation) -> bool:
    """Whether a state holds everything that a resource depends on: without that the state is invalid."""
    resource = pending.resource
    provider = str(resource.get("provider") or "").rpartition("::")[0]
    needed = {provider, str(resource.get("parent") or ""), *(resource.get("dependencies") or ())}
    return needed - {""} <= {held["urn"] for held in deployment.get("resources") or ()}


def _may_be_ours(manager: str, inputs: Mapping[str, Any]) -> bool:
    chosen = text(block(inputs, "metadata", "annotations"), _MANAGER_ANNOTATION)
    return manager == chosen or is_provider(manager)


def _differences(inputs: Mapping[str, Any], live: Mapping[str, Any]) -> Iterator[str]:
    for key, value in block(inputs, "metadata", "labels").items():
        if block(live, "metadata", "labels").get(key) != value:
            yield f"label {key}"
    # Values may have been edited since, or the API normalizes them; an object that lacks a field is not ours.
    # The values of a Secret are not compared.
    skipped = {"data", "stringData"} if text(inputs, "kind") == "Secret" else set()
    yield from _missing({key: value for key, value in inputs.items() if key not in skipped}, live, "")


def _missing(declared: object, live: object, path: str) -> Iterator[str]:
    match declared:
        case Mapping():
            for key, value in declared.items():
                inner = f"{path}.{key}".removeprefix(".")
                # The API omits fields that are empty, false or zero.
                if not value:
                    continue
                if not isinstance(live, Mapping) or key not in live:
                    yield inner
                else:
                    yield from _missing(value, live[key], inner)
        case list() if not isinstance(live, list) or len(live) < len(declared):
            yield path


def _resource(created: Created) -> dict[str, Any]:
    """The resource as the engine would have written it into the state."""
    live, resource = created.live, created.pending.resource
    metadata = {key: value for key, value in block(live, "metadata").items() if key != "managedFields"}
    outputs = {**live, "metadata": metadata}
    if live.get("kind") == "Secret":
        # The cluster returns them in plain text, and plain text must not get into a state.
        for key in ("data", "stringData"):
            outputs.pop(key, None)
    # The provider keeps the field manager that it created the object with, and compares with these inputs.
    outputs["__inputs"] = resource["inputs"]
    outputs["__initialApiVersion"] = live["apiVersion"]
    outputs["__fieldManager"] = created.manager
    namespace, name = metadata.get("namespace"), metadata["name"]
    return {**resource, "id": f"{namespace}/{name}" if namespace else name, "outputs": outputs}
