"""From what came of the stacks to what a report shows. Pure."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from datetime import datetime
from typing import Any

from dittoinfra.automation import RunReport
from dittoinfra.decide import outcome_text
from dittoinfra.fleet import FleetResult, Operation, StackResult
from dittoinfra.model import Answered, DeclaredAdapter, Reason, ServerDecision, State
from dittoinfra.naming import adapter_service
from dittoinfra.reports import outputs
from dittoinfra.reports.objects import GRAVITY, Changed, changed_objects, count, gravest, order
from dittoinfra.reports.view import (
    AdapterView,
    Change,
    ObjectView,
    RemovalView,
    Report,
    ServerView,
    StackView,
    Totals,
)

_REASONS: Mapping[Reason, str] = {
    Reason.DISABLED: "disabled on the server",
    Reason.ABSENT: "absent from several answers in a row",
    Reason.UNCONFIGURED: "its server is not configured any more",
}
_ENGINE_NOISE = frozenset({"update failed", "preview failed", "refresh failed", "destroy failed"})
"""What the engine adds to an error that it has told already."""


def build_report(result: FleetResult, made: datetime) -> Report:
    """Everything that a report shows."""
    stacks = tuple(_stack(each) for each in result.results)
    operations = [each.operation for each in result.results]
    operation = operations[0] if operations else Operation.PREVIEW
    counts = count(list(_objects(stacks)))
    servers = [server for stack in stacks for server in stack.servers]
    return Report(
        made=made,
        operation=operation.value,
        planned=operation is Operation.PREVIEW,
        ok=all(stack.ok for stack in stacks),
        exit_code=result.exit_code,
        totals=Totals(
            **counts.model_dump(),
            stacks=len(stacks),
            failed=sum(not stack.ok for stack in stacks),
            servers=len(servers),
            unanswered=sum(server.why is not None for server in servers),
            adapters=sum(a.change is not Change.DELETE for s in servers for a in s.adapters),
            warnings=sum(len(stack.warnings) for stack in stacks),
            errors=sum(len(stack.errors) for stack in stacks),
        ),
        removals=tuple(_removals(stacks)),
        stacks=stacks,
    )


def objects_of(stack: StackView) -> Iterator[ObjectView]:
    """Everything of a stack that is not left as it was."""
    for server in stack.servers:
        for adapter in server.adapters:
            if adapter.service.change is not Change.SAME:
                yield adapter.service
            yield from adapter.others
        yield from server.others
    yield from stack.others


def _objects(stacks: Iterable[StackView]) -> Iterator[ObjectView]:
    for stack in stacks:
        yield from objects_of(stack)


def _stack(result: StackResult) -> StackView:
    report = result.report
    changed = changed_objects(report.steps, planned=result.operation is Operation.PREVIEW)
    servers = tuple(_server(name, report, changed) for name in _server_names(report, changed))
    errors = report.lines("error")
    return StackView(
        name=result.stack,
        operation=result.operation.value,
        ok=report.ok,
        exit_code=report.exit_code,
        seconds=round(result.seconds, 1),
        counts=count([each.view for each in changed]),
        servers=servers,
        others=tuple(each.view for each in changed if each.server is None),
        errors=tuple([line for line in errors if line not in _ENGINE_NOISE] or errors),
        warnings=tuple(report.lines("warning")),
        notes=tuple(report.lines("info", "info#err")),
    )


def _server_names(report: RunReport, changed: Iterable[Changed]) -> tuple[str, ...]:
    decided = report.decided.decision.servers if report.decided else {}
    known = outputs.mapping(report.outputs.get("servers"))
    touched = sorted({each.server for each in changed if each.server is not None})
    return tuple(dict.fromkeys((*decided, *known, *touched)))


def _server(name: str, report: RunReport, changed: Sequence[Changed]) -> ServerView:
    decision = report.decided.decision if report.decided else None
    decided = decision.servers.get(name) if decision else None
    known = outputs.mapping(outputs.mapping(report.outputs.get("servers")).get(name))
    ours = [each for each in changed if each.server == name]
    namespace = outputs.text(known.get("namespace"))
    namespace = namespace or next((each.view.namespace for each in ours if each.view.namespace), None)
    reasons = {r.type: _REASONS[r.reason] for r in decision.removals if r.server == name} if decision else {}
    adapters = sorted(
        (
            _adapter(name, kind, namespace, declared, known, reasons.get(kind), ours)
            for kind, declared in _adapter_types(decided, known, reasons, ours).items()
        ),
        key=lambda adapter: (GRAVITY.index(adapter.change), adapter.type),
    )
    others = tuple(each.view for each in ours if each.adapter is None)
    outcome = decided.outcome if decided else None
    return ServerView(
        name=name,
        namespace=namespace,
        outcome=outcome_text(decided) if decided else None,
        why=None if outcome is None or isinstance(outcome, Answered) else outcome.why,
        change=gravest(each.view.change for each in ours),
        adapters=tuple(adapters),
        others=others,
        conditions=outputs.conditions(known),
    )


def _adapter_types(
    decided: ServerDecision | None,
    known: Mapping[str, Any],
    removed: Iterable[str],
    ours: Iterable[Changed],
) -> dict[str, DeclaredAdapter | None]:
    """Every adapter that anybody speaks of, with the decision to declare it if there is one."""
    declared = {adapter.type: adapter for adapter in decided.adapters} if decided else {}
    named = [*outputs.mapping(known.get("adapters")), *removed]
    touched = [each.adapter for each in ours if each.adapter is not None]
    return {kind: declared.get(kind) for kind in (*declared, *named, *touched)}


def _adapter(
    server: str,
    kind: str,
    namespace: str | None,
    declared: DeclaredAdapter | None,
    known_server: Mapping[str, Any],
    reason: str | None,
    ours: Iterable[Changed],
) -> AdapterView:
    known = outputs.mapping(outputs.mapping(known_server.get("adapters")).get(kind))
    mine = [each for each in ours if each.adapter == kind]
    service = next((each.view for each in mine if each.main), None) or ObjectView(
        kind="Service",
        name=adapter_service(server, kind),
        namespace=namespace,
        change=Change.SAME,
        failed=False,
        properties=(),
    )
    endpoints = outputs.mapping(known.get("endpoints"))
    port = declared.port if declared else known.get("port")
    return AdapterView(
        type=kind,
        state=_state(known, declared, service),
        port=int(port) if isinstance(port, int | float) else None,
        reason=reason,
        change=service.change,
        service=service,
        others=tuple(sorted((each.view for each in mine if not each.main), key=order)),
        internal=outputs.text(endpoints.get("internal")),
        external=outputs.texts(endpoints.get("external")),
        pending=service.change is not Change.SAME and outputs.unknown(endpoints.get("external")),
        names=outputs.names(known),
    )


def _state(known: Mapping[str, Any], declared: DeclaredAdapter | None, service: ObjectView) -> str:
    if service.change is Change.DELETE:
        return "removed"
    return outputs.text(known.get("state")) or str(declared.state if declared else State.KEPT)


def _removals(stacks: Iterable[StackView]) -> Iterator[RemovalView]:
    gone = (Change.DELETE, Change.REPLACE)
    for stack in stacks:
        for server in stack.servers:
            for adapter in server.adapters:
                for view in (adapter.service, *adapter.others):
                    if view.change in gone:
                        yield RemovalView(
                            stack=stack.name,
                            server=server.name,
                            adapter=adapter.type,
                            object=view,
                            reason=adapter.reason,
                        )
            for view in server.others:
                if view.change in gone:
                    yield RemovalView(
                        stack=stack.name, server=server.name, adapter=None, object=view, reason=None
                    )
        for view in stack.others:
            if view.change in gone:
                yield RemovalView(stack=stack.name, server=None, adapter=None, object=view, reason=None)
