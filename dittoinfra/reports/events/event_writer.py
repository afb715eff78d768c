"""Turns what the engine says about a run into events, and passes them to sinks."""

from collections.abc import Iterable, Iterator, Mapping
from copy import deepcopy
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Any, Literal

from pulumi.automation import DiagnosticEvent, EngineEvent, OpType, StepEventMetadata

from dittoinfra.naming import selector
from dittoinfra.nested_values import block
from dittoinfra.reports.events.event_sinks import Event, EventObject, Sink
from dittoinfra.reports.events.host_events import RunNames
from dittoinfra.stacks.engine_events import differences, object_of, plain
from dittoinfra.stacks.project_stack import OnEvent, Why
from dittoinfra.stacks.shown_values import ObjectReference
from dittoinfra.urns import adapter_around, server_around
from dittoinfra.visible import one_line

_Action = Literal["Create", "Update", "Delete"]
_Description = tuple[str, str]
"""Reason and message of an event."""

_Properties = Mapping[str, Any] | None

_ACTIONS: Mapping[OpType, _Action] = {
    OpType.CREATE: "Create",
    OpType.CREATE_REPLACEMENT: "Create",
    OpType.UPDATE: "Update",
    OpType.DELETE: "Delete",
    OpType.DELETE_REPLACED: "Delete",
}
"""What is done to an object. The engine's other steps are its bookkeeping."""

_DONE = {"Create": "created", "Update": "updated", "Delete": "deleted"}
_SHOWN_PROPERTIES = 3
"""Changed properties in one line; the preview and the report have all of them."""

_LONGEST_MESSAGE = 1000
"""Characters; Kubernetes takes 1,024 bytes, which is what its sink cuts to."""


class EventWriter:
    """Writes events about any number of stacks."""

    def __init__(self, *sinks: Sink, previews: bool = False) -> None:
        self._sinks = sinks
        self._previews = previews

    def listen(self, stack: str) -> OnEvent:
        """A listener for the runs of one stack."""
        return _Listener(stack, self._sinks, previews=self._previews).hear


class _Listener:
    """Remembers the steps on Kubernetes objects that have begun and not ended, and the names of the run."""

    def __init__(self, stack: str, sinks: tuple[Sink, ...], *, previews: bool) -> None:
        self._stack = stack
        self._sinks = sinks
        self._previews = previews
        self._errors: dict[tuple[str, str], str] = {}
        """The last error of each step that has begun, by operation and URN; empty without one."""
        self._names = RunNames()

    def hear(self, event: EngineEvent, why: Why) -> None:
        if event.prelude_event:
            self._errors.clear()
            self._names = RunNames()
            for sink in self._sinks:
                sink.begin(self._stack)
        if event.resource_pre_event and (self._previews or not event.resource_pre_event.planning):
            metadata = event.resource_pre_event.metadata
            if _subject(metadata, why) is not None:
                self._errors[_key(metadata)] = ""
        if event.diagnostic_event and event.diagnostic_event.severity == "error":
            self._failing(event.diagnostic_event)
        if event.res_outputs_event:
            planned = bool(event.res_outputs_event.planning)
            self._names.add(event.res_outputs_event.metadata, planned=planned)
            self._ended(event, event.res_outputs_event.metadata, why, planned=planned, failed=False)
        if event.res_op_failed_event:
            self._ended(event, event.res_op_failed_event.metadata, why, planned=False, failed=True)
        if event.summary_event and (self._previews or not self._names.planned):
            self._tell_names(event, why)

    def _failing(self, error: DiagnosticEvent) -> None:
        for key in self._errors:
            if key[1] == error.urn:
                self._errors[key] = plain(error.message)[:_LONGEST_MESSAGE]

    def _tell_names(self, event: EngineEvent, why: Why) -> None:
        # Only at the end of a run is it known what became of the Services that the names belong to.
        for service, change in self._names.changes():
            cause = why(service.urn) if service.op in _ACTIONS else None
            about = _Subject(change.action, service.object, service.server, service.adapter, cause)
            self._write(event, about, (change.reason, change.message), planned=self._names.planned)

    def _ended(
        self, event: EngineEvent, step: StepEventMetadata, why: Why, *, planned: bool, failed: bool
    ) -> None:
        error = self._errors.pop(_key(step), None)
        about = _subject(step, why)
        # A step that was not announced was not done: a refresh finds what others did.
        if error is None or about is None:
            return
        descriptions: Iterable[_Description] = _describe_step(about, step, planned=planned)
        if failed:
            descriptions = [_describe_failure(about, error or "the engine does not say why")]
        for description in descriptions:
            self._write(event, about, description, planned=planned, failed=failed)

    def _write(
        self,
        event: EngineEvent,
        about: "_Subject",
        description: _Description,
        *,
        planned: bool,
        failed: bool = False,
    ) -> None:
        reason, message = description
        written = Event(
            time=datetime.fromtimestamp(event.timestamp, UTC),
            stack=self._stack,
            server=about.server,
            adapter=about.adapter,
            reason=reason,
            type="Warning" if failed else "Normal",
            action=about.action,
            cause=about.cause,
            # It is read in a terminal, with `kubectl describe` and `tail`.
            message=one_line(message)[:_LONGEST_MESSAGE],
            planned=planned,
            object=EventObject.model_validate(about.object, from_attributes=True),
        )
        for sink in self._sinks:
            sink.write(written)


def _key(metadata: StepEventMetadata) -> tuple[str, str]:
    return metadata.op.value, metadata.urn


@dataclass(frozen=True, slots=True)
class _Subject:
    """The object of a step, and the server and the adapter that it is declared for."""

    action: _Action
    object: ObjectReference
    server: str | None
    adapter: str | None
    cause: str | None
    """Why it is done, where the run had a reason of its own."""
    only_ports: bool = False
    """Whether only container ports of another owner's StatefulSet are declared."""

    @property
    def name(self) -> str:
        return f"{self.object.kind} {self.object.name}"

    @property
    def name_and_adapter(self) -> str:
        return f"{self.name} for adapter {self.adapter}" if self.adapter else self.name

    @property
    def reason_prefix(self) -> str:
        # The operator's word for the Service of an adapter.
        is_adapter_service = self.adapter is not None and self.object.kind == "Service"
        return "AdapterService" if is_adapter_service else self.object.kind


def _subject(metadata: StepEventMetadata, why: Why) -> _Subject | None:
    """The subject of a step; None where nothing is done to a Kubernetes object."""
    action, about = _ACTIONS.get(metadata.op), object_of(metadata)
    state = metadata.new or metadata.old
    if action is None or about is None or state is None:
        return None
    adapter = adapter_around(metadata.urn)
    return _Subject(
        action,
        about,
        server=(server_around(state.parent) if state.parent else None) or _labelled(state.inputs),
        adapter=adapter[1] if adapter else None,
        cause=why(metadata.urn),
        only_ports=metadata.type == "kubernetes:apps/v1:StatefulSetPatch",
    )


def _labelled(inputs: _Properties) -> str | None:
    # In states of earlier versions the headless Service is inside a component of its own.
    labels = block(inputs or {}, "metadata", "labels")
    key = list(selector(""))[-1]
    return str(labels[key]) if key in labels else None


def _describe_step(about: _Subject, metadata: StepEventMetadata, *, planned: bool) -> Iterator[_Description]:
    """What a step has done, or in a preview would do."""
    before = metadata.old.inputs if metadata.old else None
    after = metadata.new.inputs if metadata.new else None
    will = "to be " if planned else ""
    if about.only_ports or (about.object.kind == "StatefulSet" and about.action == "Update"):
        old_ports, new_ports = _container_ports(before), _container_ports(after)
        if old_ports != new_ports:
            changes = ", ".join(_port_changes(old_ports, new_ports))
            yield "ContainerPortsUpdated", f"container ports of {about.name} {will}updated: {changes}"
        if about.only_ports or _without_ports(before) == _without_ports(after):
            return
    verb = _DONE[about.action]
    detail = "; ".join(filter(None, (about.cause, _detail(about, metadata))))
    message = f"{about.name_and_adapter} {will}{verb}{f': {detail}' if detail else ''}"
    yield f"{about.reason_prefix}{verb.capitalize()}", message


def _describe_failure(about: _Subject, why: str) -> _Description:
    """What a step could not do."""
    if about.only_ports:
        return "ContainerPortsUpdateFailed", f"container ports of {about.name} could not be updated: {why}"
    message = f"{about.name_and_adapter} could not be {_DONE[about.action]}: {why}"
    return f"{about.reason_prefix}{about.action}Failed", message


def _detail(about: _Subject, metadata: StepEventMetadata) -> str:
    if about.action == "Create" and about.object.kind == "Service" and metadata.new:
        spec = block(metadata.new.inputs or {}, "spec")
        ports = ", ".join(
            f"{port.get('port')} → {port.get('targetPort', port.get('port'))}/{port.get('protocol', 'TCP')}"
            for port in spec.get("ports") or ()
        )
        return f"{spec.get('type', 'ClusterIP')}, {ports or 'no ports'}"
    if about.action == "Update" and metadata.detailed_diff:
        found = differences(metadata)
        shown = ", ".join(
            f"{each.path} {_value(each.before)} → {_value(each.after)}" for each in found[:_SHOWN_PROPERTIES]
        )
        more = len(found) - _SHOWN_PROPERTIES
        return shown + (f" and {more} more" if more > 0 else "")
    return ""


def _value(value: str | None) -> str:
    return "(none)" if value is None else " ".join(value.split())


def _container_ports(properties: _Properties) -> dict[str, str]:
    """Number and protocol of every named port in a StatefulSet's Pod template, by name."""
    return {
        str(port["name"]): f"{port.get('containerPort')}/{port.get('protocol', 'TCP')}"
        for container in _containers(properties)
        for port in container.get("ports") or ()
        if "name" in port
    }


def _without_ports(properties: _Properties) -> Mapping[str, Any]:
    rest = deepcopy(dict(properties or {}))
    for container in _containers(rest):
        container.pop("ports", None)
    return rest


def _containers(properties: _Properties) -> list[dict[str, Any]]:
    found = block(properties or {}, "spec", "template", "spec").get("containers")
    return [each for each in found or () if isinstance(each, dict)]


def _port_changes(before: Mapping[str, str], after: Mapping[str, str]) -> Iterator[str]:
    for name in sorted({*before, *after}):
        old, new = before.get(name), after.get(name)
        if old is None:
            yield f"+ {name} {new}"
        elif new is None:
            yield f"- {name} {old}"
        elif old != new:
            yield f"~ {name} {old} → {new}"
