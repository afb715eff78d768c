"""Status, history, settings and drift as text: coloured tables in a terminal, plain columns elsewhere."""

from collections.abc import Iterable, Iterator, Sequence

from rich.console import Console
from rich.padding import Padding
from rich.table import Table
from rich.text import Text

from dittoinfra.changes import Change, in_words
from dittoinfra.decide.explanation import Action, Condition
from dittoinfra.decide.readiness import stop_words
from dittoinfra.reports.result_model import HistoryEntry
from dittoinfra.reports.status.status_model import (
    AdapterStatus,
    ServerStatus,
    StackDrift,
    StackHistory,
    StackStatus,
)

Row = tuple[str | Text, ...]
"""Cells, some of them coloured; one that holds several values has them on lines of their own."""

_NONE = "-"
_INDENT = "  "
_MOST_ROWS = 10
"""Servers, adapters and problems of a stack in `status`: together they fit on a screen of 50 lines."""
_MOST_CHANGES = 3
"""Of the last run; `dittoinfra history` lists them all."""
_ACTION_COLOURS = {
    Action.CREATE: Change.CREATE.colour,
    Action.UPDATE: Change.UPDATE.colour,
    Action.REMOVE: Change.DELETE.colour,
    Action.STOP: "red",
}


def show_status(console: Console, stacks: Iterable[StackStatus]) -> None:
    """Every stack: a headline, its servers, where its adapters are mounted, and what needs a sentence."""
    for view in stacks:
        _print(console, _headline(view), style="bold")
        # Those that clients cannot connect to come first: they must not be the ones that are left out.
        servers = sorted(view.servers, key=lambda server: _is_true(server.conditions[-1:]))
        adapters = sorted(_found_adapters(servers), key=lambda each: _is_true([each.ready]))
        problems = [*_stack_lines(view), *(line for server in servers for line in _server_lines(server))]
        everything = f"`dittoinfra status {view.stack} --json`"
        if servers:
            columns = ("SERVER", "VERSION", "API REACHABLE", "ADAPTERS READY", "READY")
            _table(console, columns, [_status_row(server) for server in servers[:_MOST_ROWS]], _INDENT)
        _print_more(console, servers, everything)
        if adapters:
            rows = [_place_row(adapter) for adapter in adapters[:_MOST_ROWS]]
            _table(console, ("ADAPTER", "ADDRESS", "NODE PORT", "READY"), rows, _INDENT)
        _print_more(console, adapters, f"`dittoinfra adapters {view.stack}`")
        for line in (*_mount_lines(adapters[:_MOST_ROWS]), *problems[:_MOST_ROWS]):
            _print(console, f"{_INDENT}{line}")
        _print_more(console, problems, everything)
        for line in _last_changes(view.last_change) if view.last_change is not None else ():
            _print(console, f"{_INDENT}{line}")


def _is_true(conditions: Iterable[Condition | None]) -> bool:
    return any(found is not None and found.status == "True" for found in conditions)


def _print_more(console: Console, found: Sequence[object], command: str) -> None:
    if len(found) > _MOST_ROWS:
        _print(console, f"{_INDENT}and {len(found) - _MOST_ROWS} more: {command}")


def _mount_lines(adapters: Iterable[AdapterStatus]) -> Iterator[str]:
    """How each adapter is mounted, by the first of its commands; `--json` has those for other clients."""
    for adapter in adapters:
        for command in adapter.endpoints.mount[:1] if adapter.endpoints else ():
            yield f"{adapter.server}/{adapter.type}: {command}"


def show_history(console: Console, stacks: Iterable[StackHistory], adapter: str | None) -> None:
    """One row for every change of each stack, the newest first: when, what, why, and by which run."""
    rows = [row for each in stacks for entry in each.entries for row in _history_rows(each.stack, entry)]
    if rows:
        _table(console, ("STACK", "WHEN", "RUN", "CHANGE", "WHY"), rows)
    else:
        _print(console, f"no recorded change to {adapter}" if adapter else "nothing has changed yet")


def show_adapters(console: Console, stacks: Sequence[StackStatus]) -> None:
    """One row for each adapter of all stacks."""
    columns = ("STACK", "SERVER", "ADAPTER", "API", "HELD", "NEXT", "WHY", "ENDPOINTS")
    servers = [server for view in stacks for server in view.servers]
    rows = [_adapter_row(adapter, server.outcome) for server in servers for adapter in server.adapters]
    if rows:
        _table(console, columns, rows)


def show_values(console: Console, rows: Sequence[Row]) -> None:
    """Every setting of a server: its path, its value and where that comes from."""
    _table(console, ("SETTING", "VALUE", "FROM"), rows)


def drift_lines(found: StackDrift) -> Iterator[str]:
    """The drift of a stack, one line for each finding."""
    for error in found.errors:
        yield f"{found.stack}: error: {error}"
    findings = (
        *((f"{finding.kind}", finding) for finding in found.drift),
        *(("information", finding) for finding in found.information),
        *((f"unknown ({finding.kind})", finding) for finding in found.unknown),
    )
    for label, finding in findings:
        subject = "" if finding.subject == found.stack else f"{finding.subject}: "
        then = f"; {finding.next}" if finding.next else ""
        yield f"{found.stack}: {label}: {subject}{finding.text}{then}"
    if not (found.drift or found.unknown or found.errors):
        yield f"{found.stack}: no drift"


def _table(console: Console, columns: tuple[str, ...], rows: Sequence[Row], indent: str = "") -> None:
    if not console.is_terminal:
        lines = [columns, *(tuple(str(cell).replace("\n", ", ") for cell in row) for row in rows)]
        widths = [max(map(len, cells)) for cells in zip(*lines, strict=True)]
        for line in lines:
            padded = (cell.ljust(width) for cell, width in zip(line, widths, strict=True))
            _print(console, f"{indent}{'  '.join(padded)}".rstrip())
        return
    table = Table(box=None, header_style="dim", pad_edge=False, padding=(0, 2, 0, 0))
    for column in columns:
        # An address that is cut short is no address.
        table.add_column(column, overflow="fold")
    for row in rows:
        table.add_row(*(Text(cell) if isinstance(cell, str) else cell for cell in row))
    console.print(Padding(table, (0, 0, 0, len(indent))))


def _print(console: Console, line: str, style: str = "") -> None:
    # Text of servers and clusters: never markup, and never wrapped where a user would search for it.
    console.print(Text(line, style=style), soft_wrap=True)


def _headline(view: StackStatus) -> str:
    last, changes = view.last_operation, view.next_changes
    past = f"last {last.kind} {last.result}, {last.at}" if last else "never updated"
    would = f" would {stop_words(view.holds)}"
    future = would if changes is None else f": {in_words(changes, planned=True)}"
    return f"{view.stack}: {past}; the next run{future}"


def _status_row(server: ServerStatus) -> Row:
    if server.version is None:
        return (server.name, _NONE, *(["not configured"] * 3))
    return (server.name, server.version.number, *map(_condition, server.conditions))


def _condition(found: Condition) -> Text:
    """`yes`, `no (NoReadyEndpoint)`, `unknown (ClusterUnknown)`."""
    if found.status == "True":
        return Text("yes", "green")
    word, colour = ("no", "red") if found.status == "False" else ("unknown", "yellow")
    return Text(f"{word} ({found.reason})", colour)


def _found_adapters(servers: Iterable[ServerStatus]) -> Iterator[AdapterStatus]:
    """Adapters that have a Service, or should have one."""
    for server in servers:
        yield from (each for each in server.adapters if each.endpoints is not None or each.ready is not None)


def _place_row(adapter: AdapterStatus) -> Row:
    found = adapter.endpoints
    return (
        f"{adapter.server}/{adapter.type}",
        ", ".join((*_names(adapter)[:1], found.address)) if found else _NONE,
        str(found.node_port or _NONE) if found else _NONE,
        _condition(adapter.ready) if adapter.ready else _NONE,
    )


def _history_rows(stack: str, entry: HistoryEntry) -> Iterator[Row]:
    """A row for each change, or one that says what is known where the run did not note any."""
    head = (stack, entry.at or entry.started, _run(entry))
    noted = [
        (Text(f"{each.change} {each.object}", each.change.colour), each.reason or entry.title or _NONE)
        for each in entry.changes
    ]
    # The engine counts components and the stack too.
    counted = Text(f"resources: {in_words(entry.resources)}" if entry.resources.any else entry.result)
    for change, why in noted or [(counted, entry.title or "not noted: the run was not previewed")]:
        yield (*head, change, why)


def _run(entry: HistoryEntry) -> str:
    """`update 12, commit 1a2b3c4 by A. Writer`, and where that ran."""
    number = f" {entry.version}" if entry.version else ""
    failed = "" if entry.result == "succeeded" else f" {entry.result}"
    source = entry.source
    commit = f"commit {source.commit[:7]}" if source.commit else None
    by = " by ".join(filter(None, (commit, source.author if commit else None)))
    return ", ".join(filter(None, (f"{entry.kind}{number}{failed}", by, source.ci_url)))


def _stack_lines(view: StackStatus) -> Iterator[str]:
    if view.updating:
        yield "an operation is under way"
    for operation in view.pending:
        yield f"interrupted while {operation}: the next run checks and completes it"
    for reason in view.stopped:
        yield f"the next run would {stop_words(view.holds)}: {reason}"


def _server_lines(server: ServerStatus) -> Iterator[str]:
    if server.why is not None:
        yield f"{server.name}: {server.outcome}: {server.why}{_last_run(server)}"
    if (version := server.version) is not None and version.objection is not None:
        yield f"{server.name}: DittoFS {version.number} ({version.source}): {version.objection}"
    for adapter in server.adapters:
        name = f"{server.name}/{adapter.type}"
        if adapter.next.action.changes:
            yield f"{name}: {adapter.next.action}: {adapter.next.why}"
        # What is only missing because it is new was said just now.
        elif server.why is None and adapter.ready is not None and adapter.ready.status != "True":
            yield f"{name}: {adapter.ready.reason}: {adapter.ready.message}"


def _last_changes(entry: HistoryEntry) -> Iterator[str]:
    for each in entry.changes[:_MOST_CHANGES]:
        why = f": {each.reason}" if each.reason else ""
        yield f"last change, {entry.at}: {each.change} {each.object}{why}"


def _last_run(server: ServerStatus) -> str:
    last = server.last_run
    if last is None:
        return ""
    return f"; {'answered' if last.answered else 'no usable answer either in'} the update of {last.at}"


def _adapter_row(adapter: AdapterStatus, outcome: str | None) -> Row:
    """An adapter; `outcome` is how its server's API answered."""
    return (
        adapter.stack,
        adapter.server,
        adapter.type,
        _api(adapter, outcome),
        _held(adapter),
        Text(adapter.next.action, _ACTION_COLOURS.get(adapter.next.action, "")),
        adapter.next.why,
        "\n".join((*_names(adapter), *_endpoints(adapter))) or _NONE,
    )


def _api(adapter: AdapterStatus, outcome: str | None) -> str | Text:
    if adapter.api is None:
        known = {"answered": "missing", "unconfigured": _NONE}
        return known.get(outcome or "") or Text("no answer", "red")
    if not adapter.api.enabled:
        return "disabled"
    return str(adapter.api.port) if adapter.api.running else "not running"


def _held(adapter: AdapterStatus) -> str:
    if adapter.held is None:
        return _NONE
    port = str(adapter.held.port or "port lost")
    return f"{port}, absent {adapter.held.absences}" if adapter.held.absences else port


def _names(adapter: AdapterStatus) -> tuple[str, ...]:
    return (adapter.names.hostname, *adapter.names.aliases) if adapter.names else ()


def _endpoints(adapter: AdapterStatus) -> tuple[str, ...]:
    if adapter.endpoints is None:
        return ()
    note = "" if adapter.endpoints.live else " (from the state)"
    found = adapter.endpoints
    node = f"node port {found.node_port}" if found.node_port else None
    return tuple(f"{each}{note}" for each in (*found.external, node, found.internal) if each)
