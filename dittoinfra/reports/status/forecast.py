"""What the next run would do to the objects of a stack, from its state and its decision. Pure.

Like the engine, this compares what is declared with what was declared last, so that no engine is needed.
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from dittoinfra.decide.decision import Decision
from dittoinfra.nested_values import block
from dittoinfra.object_model import DeclaredObject, HeldObject
from dittoinfra.stacks.shown_values import drop_secrets
from dittoinfra.state import exported_resources, held_object

_IDENTITY = {"metadata.name", "metadata.namespace"}
"""What makes an object another one."""


@dataclass(frozen=True, slots=True)
class ObjectChange:
    """What the next run would do to one object."""

    operation: str
    """The engine's word for it."""
    changed: tuple[str, ...] = ()
    """Paths of what differs."""


Forecast = Mapping[HeldObject, ObjectChange]
"""Every object that the next run would change."""


def forecast(
    declared: Sequence[DeclaredObject], deployment: Mapping[str, Any], decision: Decision
) -> Forecast:
    """What differs between what would be declared and the inputs in an exported state."""
    wanted = {this.held: _comparable(this.held, this.manifest) for this in declared}
    known = {
        held: _comparable(held, drop_secrets(resource.get("inputs") or {}))
        for urn, resource in exported_resources(deployment).items()
        if (held := held_object(urn)) is not None
    }
    gone = {this.held for this in decision.guarded.gone}
    edited = {this.held for this in decision.guarded.edited}
    kept = wanted.keys() | decision.guarded.waiting | {this for _, this in decision.held.objects}
    found = {held: ObjectChange("delete") for held in known if held not in kept}
    for held, values in wanted.items():
        if held not in known or held in gone:
            found[held] = ObjectChange("create")
            continue
        paths = tuple(sorted(_differences(known[held], values)))
        if _IDENTITY.intersection(paths) or (held.kind == "StatefulSet" and held.name in decision.replaced):
            found[held] = ObjectChange("replace", paths)
        elif paths or held in edited:
            found[held] = ObjectChange("update", paths)
    return found


def _comparable(held: HeldObject, values: Mapping[str, Any]) -> object:
    if held.kind == "Secret":
        # Its content is encrypted in the state.
        return {"metadata": values.get("metadata")}
    if held.kind.endswith("Patch"):
        # Positions in the lists of the patched object mean nothing, its annotations describe the patch.
        return {"metadata": {"annotations": block(values, "metadata", "annotations")}}
    return values


def _differences(before: object, after: object, path: str = "") -> Iterator[str]:
    match before, after:
        case Mapping(), Mapping():
            for key in before.keys() | after.keys():
                name = f"{path}.{key}" if path else str(key)
                yield from _differences(before.get(key), after.get(key), name)
        case list(), list() if len(before) == len(after):
            for index, (old, new) in enumerate(zip(before, after, strict=True)):
                yield from _differences(old, new, f"{path}[{index}]")
        case _ if before != after:
            yield path
