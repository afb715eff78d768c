"""What people read about stacks. Pure."""

from collections.abc import Iterator

from dittoinfra.insight.drift import Finding, StackDrift
from dittoinfra.insight.views import AdapterView, ConditionView, Endpoints, NextChanges, ServerView, StackView

Row = tuple[str, ...]
"""Cells; one that holds several values has them on lines of their own."""

STATUS_COLUMNS = ("SERVER", "API REACHABLE", "ADAPTERS READY", "READY")
ADAPTER_COLUMNS = ("STACK", "SERVER", "ADAPTER", "API", "HELD", "NEXT", "WHY", "ENDPOINTS")

_NONE = "-"


def headline(view: StackView) -> str:
    """A stack in one line."""
    last = view.last_operation
    past = f"last {last.kind} {last.result}, {last.at}" if last else "never updated"
    return f"{view.stack}: {past}; {_next_run(view)}"


def status_row(server: ServerView) -> Row:
    """A server's three conditions."""
    if not server.conditions:
        return (server.name, *(["not configured"] * 3))
    return (server.name, *map(_condition, server.conditions))


def status_lines(view: StackView) -> Iterator[str]:
    """Everything about a stack that needs a sentence."""
    if view.updating:
        yield "an operation is under way"
    for operation in view.pending:
        yield f"interrupted while {operation}: the next run makes sure of it"
    for reason in view.stopped:
        yield f"the next run would stop: {reason}"
    for server in view.servers:
        if server.api.why is not None:
            yield f"{server.name}: {server.api.outcome}: {server.api.why}{_since(server)}"
        for adapter in server.adapters:
            if adapter.next.action.changes:
                yield f"{server.name}/{adapter.type}: {adapter.next.action}: {adapter.next.why}"


def adapter_row(adapter: AdapterView, outcome: str) -> Row:
    """An adapter in one line; `outcome` is how its server's API answered."""
    return (
        adapter.stack,
        adapter.server,
        adapter.type,
        _api(adapter, outcome),
        _held(adapter),
        str(adapter.next.action),
        adapter.next.why,
        "\n".join((*adapter.names, *_places(adapter.endpoints))) or _NONE,
    )


def drift_lines(found: StackDrift) -> Iterator[str]:
    """A stack's verdict, one line for each difference."""
    for error in found.errors:
        yield f"{found.stack}: error: {error}"
    for finding in found.drift:
        yield f"{found.stack}: {finding.kind}: {_about(found, finding)}"
    for finding in found.unknown:
        yield f"{found.stack}: unknown ({finding.kind}): {_about(found, finding)}"
    if not (found.drift or found.unknown or found.errors):
        yield f"{found.stack}: no drift"


def _about(found: StackDrift, finding: Finding) -> str:
    return finding.text if finding.subject == found.stack else f"{finding.subject}: {finding.text}"


def _next_run(view: StackView) -> str:
    match view.next_changes:
        case None:
            return "the next run would stop"
        case NextChanges() as changes if changes.any:
            return f"the next run would {_counted(changes)}"
        case _:
            return "the next run would change nothing"


def _counted(changes: NextChanges) -> str:
    counts = changes.model_dump(by_alias=False).items()
    return ", ".join(f"{operation} {count}" for operation, count in counts if count)


def _condition(condition: ConditionView) -> str:
    return "yes" if condition.status == "True" else f"no ({condition.reason})"


def _since(server: ServerView) -> str:
    last = server.api.last_run
    if last is None:
        return ""
    return f"; {'answered' if last.answered else 'no usable answer either in'} the update of {last.at}"


def _api(adapter: AdapterView, outcome: str) -> str:
    if adapter.api is None:
        return {"answered": "missing", "unconfigured": _NONE}.get(outcome, "no answer")
    if not adapter.api.enabled:
        return "disabled"
    return str(adapter.api.port) if adapter.api.running else "not running"


def _held(adapter: AdapterView) -> str:
    if adapter.held is None:
        return _NONE
    port = str(adapter.held.port or "port lost")
    return f"{port}, absent {adapter.held.absences}" if adapter.held.absences else port


def _places(endpoints: Endpoints | None) -> tuple[str, ...]:
    if endpoints is None:
        return ()
    note = "" if endpoints.live else " (from the state)"
    return tuple(f"{place}{note}" for place in (*endpoints.external, endpoints.internal))
