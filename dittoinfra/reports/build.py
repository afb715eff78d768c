"""Builds the report of an operation from the results of its stacks. Pure."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from functools import reduce
from typing import Any, Literal

from dittoinfra.changes import Change, Changes
from dittoinfra.decide.endpoints import Endpoints, mount_commands
from dittoinfra.decide.explanation import Condition, outcome_text
from dittoinfra.exitcodes import ExitCode
from dittoinfra.model import Answered, DeclaredAdapter, State
from dittoinfra.naming import adapter_resource, adapter_service
from dittoinfra.nested_values import UNKNOWN, block, mapped
from dittoinfra.reports.result_model import (
    AdapterReport,
    EndpointsView,
    NamesView,
    ObjectView,
    RemovalView,
    Report,
    RunSource,
    ServerReport,
    StackReport,
    StepView,
    Totals,
)
from dittoinfra.request import Operation
from dittoinfra.stacks.result import FleetResult, RunReport, StackResult, Step, whole_steps
from dittoinfra.stacks.shown_values import ObjectReference
from dittoinfra.urns import adapter_around, adapter_of


@dataclass(frozen=True, slots=True)
class _ChangedObject:
    """An object that changes, and what it is declared for."""

    view: ObjectView
    server: str | None
    adapter: str | None
    is_adapter_service: bool


_RESULTS: Mapping[int, Literal["succeeded", "unexpectedChanges", "cancelled"]] = {
    ExitCode.DONE: "succeeded",
    ExitCode.UNEXPECTED_CHANGES: "unexpectedChanges",
    ExitCode.CANCELLED: "cancelled",
}
"""By exit code; any other one is a failure."""


def build_report(
    result: FleetResult,
    made: datetime,
    source: RunSource | None = None,
    clusters: Mapping[str, str] | None = None,
) -> Report:
    """Everything that a report shows; `clusters` are the addresses of the stacks' clusters."""
    stacks = tuple(_stack(each, (clusters or {}).get(each.stack)) for each in result.results)
    operation = result.results[0].operation if result.results else Operation.PREVIEW
    servers = [server for stack in stacks for server in stack.servers]
    return Report(
        made=made,
        operation=operation.value,
        planned=operation is Operation.PREVIEW,
        ok=all(stack.ok for stack in stacks),
        exit_code=result.exit_code,
        totals=Totals(
            changes=reduce(Changes.followed_by, (stack.changes for stack in stacks), Changes()),
            stacks=len(stacks),
            failed=sum(not stack.ok for stack in stacks),
            servers=len(servers),
            unanswered=sum(server.why is not None for server in servers),
            adapters=sum(a.change is not Change.DELETE for s in servers for a in s.adapters),
            warnings=sum(len(stack.warnings) for stack in stacks),
            errors=sum(len(stack.errors) for stack in stacks),
        ),
        removals=tuple(removal for stack in stacks for removal in _removals(stack)),
        stacks=stacks,
        source=source or RunSource(),
        plugins=result.plugins,
    )


def _removals(stack: StackReport) -> Iterator[RemovalView]:
    for server, adapter, reason, view in _objects(stack):
        if view.change in (Change.DELETE, Change.REPLACE):
            yield RemovalView(stack=stack.stack, server=server, adapter=adapter, object=view, reason=reason)


def _objects(stack: StackReport) -> Iterator[tuple[str | None, str | None, str | None, ObjectView]]:
    """Every object with its server, its adapter, and why the adapter's Service is changed."""
    for server in stack.servers:
        for adapter in server.adapters:
            for view in (adapter.service, *adapter.others):
                yield server.name, adapter.type, adapter.reason, view
        for view in server.others:
            yield server.name, None, None, view
    for view in stack.others:
        yield None, None, None, view


def _stack(result: StackResult, cluster: str | None) -> StackReport:
    report = result.report
    planned = result.operation is Operation.PREVIEW
    found = (_changed(step.object, step) for step in report.objects(planned=planned) if step.object)
    changed = sorted(found, key=lambda each: order(each.view))
    decided = report.decided.decision.adapters.servers if report.decided else {}
    touched = sorted({each.server for each in changed if each.server is not None})
    names = dict.fromkeys((*decided, *block(report.outputs, "servers"), *touched))
    return StackReport(
        stack=result.stack,
        operation=result.operation.value,
        result=_RESULTS.get(report.exit_code, "failed"),
        exit_code=report.exit_code,
        seconds=round(result.seconds, 1),
        changes=report.object_changes(planned=planned),
        servers=tuple(_server(name, report, changed) for name in names),
        others=tuple(each.view for each in changed if each.server is None),
        steps=tuple(
            StepView(
                operation=step.operation,
                type=step.type,
                name=step.name,
                urn=step.urn,
                properties=step.changed,
            )
            for step in whole_steps(report.steps)
        ),
        errors=report.errors,
        warnings=tuple(report.lines("warning")),
        notes=tuple(report.lines("info", "info#err")),
        cluster=cluster,
        # What is known only after the run is null.
        outputs=mapped(
            report.outputs, lambda each: None if isinstance(each, str) and UNKNOWN in each else each
        ),
    )


def _server(name: str, report: RunReport, all_changed: Sequence[_ChangedObject]) -> ServerReport:
    decision = report.decided.decision.adapters if report.decided else None
    decided = decision.servers.get(name) if decision else None
    outcome = decided.outcome if decided else None
    outputs = block(report.outputs, "servers", name)
    changed = [each for each in all_changed if each.server == name]
    namespace = _text(outputs.get("namespace"))
    namespace = namespace or next((each.view.namespace for each in changed if each.view.namespace), None)
    removed = [removal.type for removal in decision.removals if removal.server == name] if decision else []
    declared = {adapter.type: adapter for adapter in decided.adapters} if decided else {}
    touched = [each.adapter for each in changed if each.adapter is not None]
    adapters = (
        _adapter(
            adapter_type,
            declared.get(adapter_type),
            block(outputs, "adapters", adapter_type),
            report.reasons.get(adapter_resource(name, adapter_type)),
            [each for each in changed if each.adapter == adapter_type],
            _unchanged_service(adapter_service(name, adapter_type), namespace),
        )
        for adapter_type in dict.fromkeys((*declared, *block(outputs, "adapters"), *removed, *touched))
    )
    return ServerReport(
        name=name,
        namespace=namespace,
        outcome=outcome_text(decided) if decided else None,
        why=None if outcome is None or isinstance(outcome, Answered) else outcome.why,
        change=most_severe(each.view.change for each in changed),
        adapters=tuple(sorted(adapters, key=lambda each: (each.change.severity, each.type))),
        others=tuple(each.view for each in changed if each.adapter is None),
        conditions=_conditions(outputs),
    )


def _unchanged_service(name: str, namespace: str | None) -> ObjectView:
    return ObjectView(
        kind="Service", name=name, namespace=namespace, change=Change.SAME, failed=False, properties=()
    )


def _adapter(
    adapter_type: str,
    declared: DeclaredAdapter | None,
    outputs: Mapping[str, Any],
    reason: str | None,
    changed: Sequence[_ChangedObject],
    unchanged_service: ObjectView,
) -> AdapterReport:
    service = next((each.view for each in changed if each.is_adapter_service), unchanged_service)
    state = _text(outputs.get("state")) or str(declared.state if declared else State.KEPT)
    external = block(outputs, "endpoints").get("external")
    pending = service.change is not Change.SAME and isinstance(external, str) and UNKNOWN in external
    endpoints = stored_endpoints(adapter_type, outputs)
    if endpoints is not None and pending:
        # Until its address is known, clients outside should not be sent anywhere else.
        endpoints = endpoints.model_copy(update={"mount": ()})
    port = declared.port if declared else outputs.get("port")
    return AdapterReport(
        type=adapter_type,
        state="removed" if service.change is Change.DELETE else state,
        port=int(port) if isinstance(port, int | float) else None,
        reason=None if service.change is Change.SAME else reason,
        change=service.change,
        service=service,
        others=tuple(sorted((each.view for each in changed if not each.is_adapter_service), key=order)),
        endpoints=None if service.change is Change.DELETE else endpoints,
        pending=pending,
        names=names_view(outputs),
    )


# Outputs come from the engine: a preview does not know all of them yet, a secret is hidden in them, and a
# stack of an earlier version has others.


def stored_endpoints(adapter_type: str, adapter: Mapping[str, Any]) -> EndpointsView | None:
    """Where clients find an adapter, from the outputs of its stack; None without a Service."""
    stored = block(adapter, "endpoints")
    internal, node_port = _text(stored.get("internal")), stored.get("nodePort")
    if internal is None:
        return None
    found = Endpoints(
        _text(stored.get("type")),
        internal,
        _texts(stored.get("external")),
        int(node_port) if isinstance(node_port, int | float) else None,
    )
    return endpoints_view(adapter_type, found, live=False)


def endpoints_view(adapter_type: str, found: Endpoints, *, live: bool) -> EndpointsView:
    """Where clients find an adapter, as reports show it, with the commands that mount it."""
    return EndpointsView(
        service_type=found.service_type,
        internal=found.internal,
        external=found.external,
        awaits_address=found.awaits_address,
        node_port=found.node_port,
        mount=mount_commands(adapter_type, found),
        live=live,
    )


def _text(value: object) -> str | None:
    """A text that is known already."""
    return value if isinstance(value, str) and value and UNKNOWN not in value else None


def _texts(value: object) -> tuple[str, ...]:
    return tuple(found for each in value if (found := _text(each))) if isinstance(value, list | tuple) else ()


def _conditions(server: Mapping[str, Any]) -> tuple[Condition, ...]:
    listed = server.get("conditions")
    return tuple(
        Condition(**{key: _text(each.get(key)) or "" for key in ("type", "status", "reason", "message")})
        for each in (listed if isinstance(listed, list | tuple) else ())
        if isinstance(each, Mapping)
    )


def names_view(adapter: Mapping[str, Any]) -> NamesView | None:
    """The names of an adapter, from the outputs of its stack."""
    dns = block(adapter, "dns")
    hostname = _text(dns.get("hostname"))
    if hostname is None:
        return None
    return NamesView(
        backend=_text(dns.get("backend")) or "",
        hostname=hostname,
        aliases=_texts(dns.get("aliases")),
        addresses=_texts(dns.get("addresses")),
    )


def order(view: ObjectView) -> tuple[int, str, str]:
    """A sort key: removals first, then by kind and name."""
    return view.change.severity, view.kind, view.name


def most_severe(changes: Iterable[Change]) -> Change:
    """The change that a reader should see first."""
    return min(changes, key=lambda change: change.severity, default=Change.SAME)


def _changed(about: ObjectReference, step: Step) -> _ChangedObject:
    adapter = adapter_around(step.urn)
    return _ChangedObject(
        ObjectView(
            kind=about.kind,
            name=about.name,
            namespace=about.namespace,
            change=step.change,
            failed=step.failed,
            properties=step.differences,
        ),
        server=step.server,
        adapter=adapter[1] if adapter else None,
        is_adapter_service=adapter_of(step.urn) is not None,
    )
