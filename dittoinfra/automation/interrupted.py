"""What a run had begun when it died, and what the cluster shows of it. Pure.

The engine marks an operation in the state before it begins, and takes the mark away when it has ended. What
it was creating it cannot find again by itself: the object may be there, and the state does not know it.
"""

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from dittoinfra.automation.objects import ObjectReference, metadata_of
from dittoinfra.blocks import block, text

CREATING = "creating"

_PROVIDER = "kubernetes:"
_PATCH = "Patch"
_OFFICIAL = re.compile(r"pulumi-kubernetes(-[0-9a-f]+)?")
_STAND_IN = "dittoinfra-standin"
_MANAGER_ANNOTATION = "pulumi.com/patchFieldManager"
"""Lets people choose the name that the official provider writes under."""


@dataclass(frozen=True, slots=True)
class Mark:
    """One operation whose end nobody knows."""

    doing: str
    """The engine's word: creating, updating, deleting and others."""
    resource: Mapping[str, Any] = field(repr=False)
    """As the state would hold it, its secrets encrypted or left out."""

    @property
    def urn(self) -> str:
        """The resource's."""
        return str(self.resource["urn"])

    @property
    def name(self) -> str:
        """What people call it."""
        return self.urn.rpartition("::")[2]

    @property
    def object(self) -> ObjectReference | None:
        """What was being created in the cluster; None where there is nothing to look for.

        A patch is none: what it patches is somebody else's, and to patch it again changes nothing.
        """
        kind, inputs = str(self.resource.get("type")), block(self.resource, "inputs")
        name = text(metadata_of(inputs), "name")
        if self.doing != CREATING or not kind.startswith(_PROVIDER) or name is None:
            return None
        declared = text(inputs, "kind") or ""
        if kind.endswith(_PATCH) and kind.rpartition(":")[2] != declared:
            return None
        namespace = text(metadata_of(inputs), "namespace")
        return ObjectReference(text(inputs, "apiVersion") or "", declared, namespace, name)


@dataclass(frozen=True, slots=True)
class Made:
    """The object is there, and is what the interrupted run was creating."""

    mark: Mark
    live: Mapping[str, Any] = field(repr=False)
    manager: str
    """The name that its maker goes by in the cluster."""


@dataclass(frozen=True, slots=True)
class NotMade:
    """There is no such object, so nothing has happened."""

    mark: Mark


@dataclass(frozen=True, slots=True)
class NotOurs:
    """An object of that name is there, and it is somebody else's."""

    mark: Mark
    why: str


Verdict = Made | NotMade | NotOurs


def marks_in(deployment: Mapping[str, Any]) -> tuple[Mark, ...]:
    """Every operation that an exported state calls unfinished."""
    pending = deployment.get("pending_operations") or ()
    return tuple(Mark(str(operation.get("type")), operation["resource"]) for operation in pending)


def judge(deployment: Mapping[str, Any], mark: Mark, live: Mapping[str, Any] | None) -> Verdict:
    """What became of a creation, by the live object of that name."""
    if live is None:
        return NotMade(mark)
    inputs = block(mark.resource, "inputs")
    if "deletionTimestamp" in metadata_of(live):
        return NotOurs(mark, "it is being deleted")
    managers = dict.fromkeys(str(e.get("manager")) for e in metadata_of(live).get("managedFields") or ())
    ours = [manager for manager in managers if _is_provider(manager, inputs)]
    if len(ours) != 1:
        return NotOurs(mark, f"it was written by {', '.join(managers) or 'nobody knows whom'}")
    different = next(_differences(inputs, live), None)
    if different is not None:
        return NotOurs(mark, f"its {different} is not what was declared")
    if not _has_room(deployment, mark):
        return NotOurs(mark, "the state does not hold what it hangs on")
    return Made(mark, live, ours[0])


def with_what_was_made(deployment: Mapping[str, Any], made: Sequence[Made]) -> dict[str, Any]:
    """The state as the engine would have left it, had it come to the end of what it was creating."""
    urns = {this.mark.urn for this in made}
    held = [
        resource
        for resource in deployment.get("resources") or ()
        # What was deleted to be replaced waits for its successor, and here that is.
        if not (resource["urn"] in urns and resource.get("pendingReplacement"))
    ]
    after = {**deployment, "resources": [*held, *map(_resource, made)]}
    after.pop("pending_operations", None)
    return after


def holds(deployment: Mapping[str, Any], mark: Mark) -> bool:
    """Whether a state knows a resource already, and not only one that this was to replace."""
    return any(
        resource["urn"] == mark.urn and not (resource.get("pendingReplacement") or resource.get("delete"))
        for resource in deployment.get("resources") or ()
    )


def _has_room(deployment: Mapping[str, Any], mark: Mark) -> bool:
    """Whether a state holds everything that a resource hangs on: one without the other breaks it."""
    provider = str(mark.resource.get("provider") or "").rpartition("::")[0]
    needed = {provider, str(mark.resource.get("parent") or ""), *(mark.resource.get("dependencies") or ())}
    return needed - {""} <= {resource["urn"] for resource in deployment.get("resources") or ()}


def _is_provider(manager: str, inputs: Mapping[str, Any]) -> bool:
    chosen = text(block(inputs, "metadata", "annotations"), _MANAGER_ANNOTATION)
    return manager in (_STAND_IN, chosen) or _OFFICIAL.fullmatch(manager) is not None


def _differences(inputs: Mapping[str, Any], live: Mapping[str, Any]) -> Iterator[str]:
    for key, value in block(inputs, "metadata", "labels").items():
        if block(live, "metadata", "labels").get(key) != value:
            yield f"label {key}"
    # Values may have been edited since, or the API spells them differently; what lacks a field is not ours.
    # A Secret's values are nobody's business here.
    skipped = {"data", "stringData"} if text(inputs, "kind") == "Secret" else set()
    yield from _missing({key: value for key, value in inputs.items() if key not in skipped}, live, "")


def _missing(declared: object, live: object, path: str) -> Iterator[str]:
    match declared:
        case Mapping():
            for key, value in declared.items():
                inner = f"{path}.{key}".removeprefix(".")
                # The API leaves out what is empty, false or zero.
                if not value:
                    continue
                if not isinstance(live, Mapping) or key not in live:
                    yield inner
                else:
                    yield from _missing(value, live[key], inner)
        case list() if not isinstance(live, list) or len(live) < len(declared):
            yield path


def _resource(made: Made) -> dict[str, Any]:
    metadata = metadata_of(made.live)
    namespace, name = metadata.get("namespace"), metadata["name"]
    return {
        **made.mark.resource,
        "id": f"{namespace}/{name}" if namespace else name,
        "outputs": _outputs(made),
    }


def _outputs(made: Made) -> dict[str, Any]:
    metadata = {key: value for key, value in metadata_of(made.live).items() if key != "managedFields"}
    outputs = {**made.live, "metadata": metadata}
    if made.live.get("kind") == "Secret":
        # In the clear, as the cluster gives them, they must not get into a state.
        for key in ("data", "stringData"):
            outputs.pop(key, None)
    if made.manager == _STAND_IN:
        return outputs
    # The official provider goes on under the name that it has made the object under, and compares with these.
    inputs = made.mark.resource["inputs"]
    own = {"__inputs": inputs, "__initialApiVersion": made.live["apiVersion"], "__fieldManager": made.manager}
    return {**outputs, **own}
