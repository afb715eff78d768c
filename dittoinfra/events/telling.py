"""What an ended step is told as: reasons, and lines for people. Pure."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any, Literal

from pulumi.automation import StepEventMetadata

from dittoinfra.automation.differences import differences
from dittoinfra.events.container_ports import container_ports, ports_text, without_ports
from dittoinfra.events.hosts import host_changes
from dittoinfra.events.subject import Subject

_DONE = {"Create": "created", "Update": "updated", "Delete": "deleted"}
_SHOWN = 3
"""Changed properties in one line; the preview and the report have all of them."""


@dataclass(frozen=True, slots=True)
class Told:
    """One event, less its circumstances."""

    reason: str
    message: str
    type: Literal["Normal", "Warning"] = "Normal"


def done(about: Subject, metadata: StepEventMetadata, *, planned: bool) -> Iterator[Told]:
    """What a step has done, or in a preview would do."""
    before = metadata.old.inputs if metadata.old else None
    after = metadata.new.inputs if metadata.new else None
    will = "to be " if planned else ""
    if about.only_ports or (about.object.kind == "StatefulSet" and about.action == "Update"):
        ports = container_ports(before), container_ports(after)
        if ports[0] != ports[1]:
            text = ports_text(*ports)
            yield Told("ContainerPortsUpdated", f"container ports of {_name(about)} {will}updated: {text}")
        if about.only_ports or without_ports(before) == without_ports(after):
            return
    what = f"{_name(about)}{_for_adapter(about)} {will}{_DONE[about.action]}{_detail(about, metadata)}"
    yield Told(f"{_prefix(about)}{_DONE[about.action].capitalize()}", what)
    if about.object.kind == "Service":
        old, new = (_seen(metadata, side) for side in ("old", "new"))
        yield from (Told(reason, text) for reason, text in host_changes(old, new))


def failed(about: Subject, why: str) -> Told:
    """What a step could not do."""
    verb = _DONE[about.action]
    if about.only_ports:
        reason, what = "ContainerPortsUpdateFailed", f"container ports of {_name(about)} could not be updated"
    else:
        reason = f"{_prefix(about)}{about.action}Failed"
        what = f"{_name(about)}{_for_adapter(about)} could not be {verb}"
    return Told(reason, f"{what}: {why}", "Warning")


def _prefix(about: Subject) -> str:
    return "AdapterService" if about.is_adapter_service else about.object.kind


def _name(about: Subject) -> str:
    return f"{about.object.kind} {about.object.name}"


def _for_adapter(about: Subject) -> str:
    return f" for adapter {about.adapter}" if about.adapter else ""


def _detail(about: Subject, metadata: StepEventMetadata) -> str:
    match about.action:
        case "Create" if about.object.kind == "Service" and metadata.new:
            return f": {_service(metadata.new.inputs or {})}"
        case "Update":
            return f": {_changed(metadata)}" if metadata.detailed_diff else ""
        case _:
            return ""


def _service(inputs: Mapping[str, Any]) -> str:
    spec = inputs.get("spec")
    spec = spec if isinstance(spec, Mapping) else {}
    ports = ", ".join(
        f"{port.get('port')} → {port.get('targetPort', port.get('port'))}/{port.get('protocol', 'TCP')}"
        for port in spec.get("ports") or ()
    )
    return f"{spec.get('type', 'ClusterIP')}, {ports or 'no ports'}"


def _changed(metadata: StepEventMetadata) -> str:
    found = differences(metadata)
    shown = [f"{each.path} {_value(each.before)} → {_value(each.after)}" for each in found[:_SHOWN]]
    more = len(found) - len(shown)
    return ", ".join(shown) + (f" and {more} more" if more > 0 else "")


def _value(value: str | None) -> str:
    return "(none)" if value is None else " ".join(value.split())


def _seen(metadata: StepEventMetadata, side: str) -> Mapping[str, Any]:
    """A state as the cluster knows it, with the annotations that were asked for."""
    state = metadata.old if side == "old" else metadata.new
    if state is None:
        return {}
    return {**(state.outputs or {}), "metadata": (state.inputs or {}).get("metadata")}
