"""The status of a stack: what its servers' APIs say, what it holds, what comes next. Pure."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from dittoinfra.changes import Changes
from dittoinfra.decide.endpoints import service_endpoints
from dittoinfra.decide.explanation import (
    Action,
    AdapterAction,
    Condition,
    adapter_actions,
    conditions,
    state_text,
    unconfigured_actions,
)
from dittoinfra.decide.image_changes import ServerImage
from dittoinfra.decide.readiness import adapter_ready, server_ready
from dittoinfra.engine.server_version import FoundVersion, find_version
from dittoinfra.model import Answered, DeclaredAdapter, Outcome
from dittoinfra.naming import adapter_resource
from dittoinfra.nested_values import block, text
from dittoinfra.object_model import HeldObject, ObjectPlace
from dittoinfra.program.survey import RunRecord
from dittoinfra.reports.build import endpoints_view, names_view
from dittoinfra.reports.result_model import HistoryEntry
from dittoinfra.reports.status.forecast import Forecast
from dittoinfra.reports.status.status_model import (
    AdapterStatus,
    Held,
    LastRun,
    Next,
    Reported,
    ServerStatus,
    StackStatus,
    Version,
)
from dittoinfra.settings import ServerSettings
from dittoinfra.state import exported_resources
from dittoinfra.trouble import Trouble
from dittoinfra.urns import STACK_TYPE, adapter_of, resource_text

_NOT_ASKED = Trouble("the cluster was not asked")

LiveManifests = Mapping[ObjectPlace, Mapping[str, Any]]
"""Objects of a stack that exist in its cluster."""

EndpointSlices = Sequence[Mapping[str, Any]] | str


@dataclass(frozen=True, slots=True)
class ExportedState:
    """What the status shows of a stack's exported state."""

    services: Mapping[tuple[str, str], Mapping[str, Any]]
    """The Service of every adapter as the engine last saw it, by server and type."""
    servers: Mapping[str, Any]
    """The stack's output of that name, from its last run."""
    pending: tuple[str, ...]
    """Operations that were interrupted."""


@dataclass(frozen=True, slots=True)
class ClusterUnknown:
    """The cluster could not be asked."""

    why: str
    exists: bool = True
    """False where the provider writes manifests, and there is none."""


@dataclass(frozen=True, slots=True)
class StackFacts:
    """Everything that the status of one stack follows from."""

    stack: str
    record: RunRecord
    """What the servers answered, and what that leads to."""
    forecast: Forecast
    """What the next run would do; nothing where it would stop."""
    state: ExportedState
    live: LiveManifests | ClusterUnknown
    history: Sequence[HistoryEntry] = ()
    """Newest first."""
    slices: Mapping[str, EndpointSlices] = field(default_factory=dict)
    """The EndpointSlices of every namespace with a Service of the stack, or why they are not known."""
    images: Mapping[str, ServerImage | Trouble] = field(default_factory=dict)
    """The image of each server in the cluster, or why it is not known."""


def exported_state(deployment: Mapping[str, Any]) -> ExportedState:
    """Read a deployment as the engine exports it."""
    resources = exported_resources(deployment)
    stack = next((each for each in resources.values() if each["type"] == STACK_TYPE), {})
    return ExportedState(
        services={
            adapter: resource.get("outputs") or {}
            for urn, resource in resources.items()
            if (adapter := adapter_of(urn)) is not None
        },
        servers=block(stack, "outputs", "servers"),
        pending=tuple(map(_interrupted, deployment.get("pending_operations") or ())),
    )


def service_place(service: Mapping[str, Any]) -> ObjectPlace:
    """Where in the cluster a Service is."""
    metadata = block(service, "metadata")
    namespace, name = text(metadata, "namespace") or "default", text(metadata, "name") or ""
    return ObjectPlace("v1", "Service", namespace, name)


def _interrupted(operation: Mapping[str, Any]) -> str:
    return f"{operation.get('type')} {resource_text(str(block(operation, 'resource').get('urn')))}"


def stack_view(facts: StackFacts) -> StackStatus:
    """The status of one stack."""
    decision = facts.record.decision
    gone = sorted(facts.record.memory.adapters.keys() - decision.adapters.servers.keys())
    changes = Changes.of(each.operation for each in facts.forecast.values())
    latest = facts.history[0] if facts.history else None
    unknown = facts.live if isinstance(facts.live, ClusterUnknown) else None
    servers = (*(_server(facts, s) for s in decision.known), *(_unconfigured(facts, n) for n in gone))
    accepted = ("True",) if unknown is None or unknown.exists else ("True", "Unknown")
    return StackStatus(
        stack=facts.stack,
        last_operation=latest,
        last_change=next((each for each in facts.history if each.resources.any), None),
        updating=latest is not None and latest.result == "in-progress",
        pending=facts.state.pending,
        next_changes=None if decision.refusals else changes,
        stopped=tuple(map(str, decision.refusals)),
        holds=holds(facts.record),
        cluster_unknown=unknown.why if unknown else None,
        servers=servers,
        ready=not decision.refusals and all(c.status in accepted for s in servers for c in s.conditions),
    )


def holds(record: RunRecord) -> bool:
    """Whether a run would be refused, and hold everything as it is instead of failing."""
    can = record.settings.on_refusal == "hold" and record.memory.held is not None
    return bool(record.decision.refusals) and can


def _server(facts: StackFacts, server: ServerSettings) -> ServerStatus:
    decision = facts.record.decision.adapters.servers[server.name]
    outcome = decision.outcome
    memory = facts.record.memory.adapters.get(server.name, {})
    declared = {adapter.type: adapter for adapter in decision.adapters}
    adapters = tuple(
        _adapter(facts, server, this, declared.get(this.type), outcome)
        for this in adapter_actions(server, memory, decision)
    )
    stopped = [
        str(refusal)
        for refusal in facts.record.decision.refusals
        # Most are about one server; the others stop them all.
        if getattr(refusal, "server", server.name) == server.name
    ]
    connected = server_ready(
        {a.type: a.ready for a in adapters if a.ready is not None}, stopped, holds=holds(facts.record)
    )
    return ServerStatus(
        name=server.name,
        namespace=server.namespace,
        version=_version(find_version(facts.images.get(server.name, _NOT_ASKED), outcome)),
        outcome=outcome.name,
        why=None if isinstance(outcome, Answered) else outcome.why,
        last_run=_last_run(facts, server.name),
        conditions=conditions(server, decision, connected),
        adapters=adapters,
    )


def _unconfigured(facts: StackFacts, name: str) -> ServerStatus:
    memory = facts.record.memory.adapters[name]
    return ServerStatus(
        name=name,
        namespace=None,
        version=None,
        outcome="unconfigured",
        why=None,
        last_run=None,
        conditions=(),
        adapters=tuple(_adapter(facts, name, this, None, None) for this in unconfigured_actions(memory)),
    )


def _version(found: FoundVersion) -> Version:
    objection = None if found.trouble is None else found.trouble.why
    return Version(number=found.number, source=found.source, objection=objection)


def _last_run(facts: StackFacts, server: str) -> LastRun | None:
    """What the last update found, where the state can only be that update's."""
    latest = next((entry for entry in facts.history if entry.kind == "update"), None)
    found = block(facts.state.servers, server).get("conditions") or ()
    reachable = next((c for c in found if c.get("type") == "APIReachable"), None)
    # An update that failed may or may not have written its outputs.
    if latest is None or latest.result != "succeeded" or reachable is None:
        return None
    return LastRun(at=latest.at, answered=reachable.get("status") == "True")


def _adapter(
    facts: StackFacts,
    server: ServerSettings | str,
    this: AdapterAction,
    declared: DeclaredAdapter | None,
    outcome: Outcome | None,
) -> AdapterStatus:
    """An adapter; of a server that is not configured any more only the name is known."""
    name = server if isinstance(server, str) else server.name
    answer = outcome.adapters if isinstance(outcome, Answered) else ()
    reported = next((a for a in answer if a.type == this.type), None)
    held = facts.record.memory.adapters.get(name, {}).get(this.type)
    service = _service(facts, name, this.type)
    found = service_endpoints(service, this.type) if service is not None else None
    live = not isinstance(facts.live, ClusterUnknown)
    return AdapterStatus(
        stack=facts.stack,
        server=name,
        type=this.type,
        api=Reported.model_validate(reported, from_attributes=True) if reported else None,
        held=Held(port=held.port, absences=held.absences) if held else None,
        state=None
        if declared is None or isinstance(server, str)
        else state_text(declared, server.absence_polls),
        next=_next(facts, name, this),
        ready=_ready(facts, declared, service) if declared else None,
        endpoints=endpoints_view(this.type, found, live=live) if found else None,
        names=names_view(block(facts.state.servers, name, "adapters", this.type)),
    )


def _ready(facts: StackFacts, adapter: DeclaredAdapter, service: Mapping[str, Any] | None) -> Condition:
    if isinstance(facts.live, ClusterUnknown) and service is not None:
        return Condition("Ready", "Unknown", "ClusterUnknown", facts.live.why)
    namespace = service_place(service).namespace if service is not None else ""
    return adapter_ready(adapter.type, adapter.port, service, facts.slices.get(namespace, ()))


def _service(facts: StackFacts, server: str, adapter_type: str) -> Mapping[str, Any] | None:
    """The Service of an adapter in the cluster, or else in the state; None where there is none."""
    service = facts.state.services.get((server, adapter_type))
    if service is None or isinstance(facts.live, ClusterUnknown):
        return service
    return facts.live.get(service_place(service))


def _next(facts: StackFacts, server: str, this: AdapterAction) -> Next:
    change = facts.forecast.get(HeldObject("v1", "Service", adapter_resource(server, this.type)))
    # Where the decision keeps a Service that the next run changes, the configuration must have changed.
    if this.action is Action.KEEP and change is not None:
        what = ", ".join(change.changed) or change.operation
        return Next(action=Action.UPDATE, why=f"{this.why}, the configuration changed: {what}")
    return Next(action=this.action, why=this.why)
