"""The result of an operation: every change, every stack in one row, and all of them in one line."""

from collections import Counter
from collections.abc import Container, Iterable
from enum import StrEnum

from rich.console import Console
from rich.table import Table
from rich.text import Text

from dittoinfra.changes import count_text, in_words
from dittoinfra.exitcodes import ExitCode
from dittoinfra.nested_values import block
from dittoinfra.request import Operation
from dittoinfra.stacks.result import FleetResult, StackResult, Step
from dittoinfra.urns import adapter_of, resource_text


class Ending(StrEnum):
    """How an operation on a stack ended."""

    PREVIEWED = "previewed"
    UPDATED = "updated"
    REFRESHED = "refreshed"
    DESTROYED = "destroyed"
    UNCHANGED = "unchanged"
    CANCELLED = "cancelled"
    WOULD_CHANGE = "would change"
    """It was to change nothing (`--expect-no-changes`)."""
    FAILED = "failed"


_DONE = {
    Operation.PREVIEW: Ending.PREVIEWED,
    Operation.UP: Ending.UPDATED,
    Operation.REFRESH: Ending.REFRESHED,
    Operation.DESTROY: Ending.DESTROYED,
}
_MOST_MOUNTS = 10
"""The most that `up` prints at its end; `status` prints all of them."""


def show_summary(
    console: Console, result: FleetResult, *, previewed: bool, told: Container[tuple[str, str]] = ()
) -> None:
    """A row for every stack, why it failed, and a line for all; `told` are errors that were shown before."""
    if console.is_terminal:
        _table(console, result, previewed=previewed)
    else:
        for each in result.results:
            console.print(_line(each, previewed=previewed), soft_wrap=True)
    for stack, error in errors_of(result):
        if (stack, error) not in told:
            why = Text.assemble((f"{stack}: ", "bold"), ("error: ", "bold red"), error)
            console.print(why, soft_wrap=True)
    words = Counter(ending(each, previewed=previewed) for each in result.results)
    if len(result.results) > 1:
        counts = ", ".join(f"{n} {word}" for word, n in words.items())
        console.print(f"{count_text(len(result.results), 'stack')}: {counts}", style="bold", soft_wrap=True)
    elif result.results and not previewed:
        _show_mounts(console, result.results[0])
    # Last, and once: it is about this machine, and never why a stack failed.
    for line in result.plugins:
        console.print(Text(f"engine: {line}", style="dim"), soft_wrap=True)


def errors_of(result: FleetResult) -> list[tuple[str, str]]:
    """Every error with its stack."""
    return [(each.stack, error) for each in result.results for error in each.report.errors]


def show_changes(console: Console, results: Iterable[StackResult], *, previewed: bool) -> None:
    """Every object that changes, deletions first: why, and each property with its old and its new value."""
    for result in results:
        steps = result.report.objects(planned=previewed)
        if not steps or (previewed and ending(result) in (Ending.FAILED, Ending.CANCELLED)):
            continue
        console.print(Text(result.stack, style="bold"), soft_wrap=True)
        for step in sorted(steps, key=_rank):
            why = result.report.reasons.get(step.name) if adapter_of(step.urn) else None
            line = Text(f"  {step.change.sign} {resource_text(step.urn)}", style=step.change.colour)
            line.append(" failed" if step.failed else "", "bold red")
            console.print(line.append(f": {why}" if why else "", "default"), soft_wrap=True)
            for each in step.differences:
                values = (value if value is not None else "(none)" for value in (each.before, each.after))
                console.print(Text(f"      {each.path}: {' → '.join(values)}", style="dim"), soft_wrap=True)


def _rank(step: Step) -> tuple[int, str]:
    """The engine's own order depends on which object was ready first, and differs from run to run."""
    return step.change.severity, resource_text(step.urn)


def show_printed(console: Console, results: Iterable[StackResult]) -> None:
    """What the engine itself printed, stack by stack."""
    for result in results:
        console.print(Text(f"--- {result.stack}", style="bold"), soft_wrap=True)
        for line in result.printed:
            console.print(Text.from_ansi(line), soft_wrap=True)


def ending(result: StackResult, *, previewed: bool = False) -> Ending:
    """How it ended."""
    if result.report.ok:
        unchanged = result.operation is not Operation.DESTROY and not result.report.changes.any
        done = _DONE[Operation.PREVIEW if previewed else result.operation]
        return Ending.UNCHANGED if unchanged else done
    if result.cancelled:
        return Ending.CANCELLED
    unexpected = result.report.exit_code == ExitCode.UNEXPECTED_CHANGES
    return Ending.WOULD_CHANGE if unexpected else Ending.FAILED


def counted(result: StackResult, *, previewed: bool) -> str:
    """`2 to create, 1 to update` before, `2 created, 1 updated` after; empty where no object changes."""
    changes = result.report.object_changes(planned=previewed)
    return in_words(changes, planned=previewed) if changes.any else ""


def signed(result: StackResult, *, previewed: bool) -> str:
    """`+2 ~1 -1`."""
    changes = result.report.object_changes(planned=previewed)
    return " ".join(f"{change.sign}{number}" for change, number in changes.each() if number)


def duration(seconds: float) -> str:
    """`4.2 s`, `1 min 5 s`."""
    if seconds < 60:
        return f"{seconds:.1f} s"
    return f"{int(seconds // 60)} min {int(seconds % 60)} s"


def _show_mounts(console: Console, result: StackResult) -> None:
    """Where clients mount each adapter whose Service was created or changed."""
    from dittoinfra.reports.build import stored_endpoints

    if result.operation is not Operation.UP:
        return
    servers = block(result.report.outputs, "servers")
    changed = [
        (server, kind, found)
        for step in result.report.objects(planned=False)
        if not step.failed and (adapter := adapter_of(step.urn)) is not None
        for server, kind in (adapter,)
        if (found := stored_endpoints(kind, block(servers, server, "adapters", kind))) is not None
    ]
    # The engine makes them side by side, in no order of its own.
    changed.sort(key=lambda each: each[:2])
    for server, kind, found in changed[:_MOST_MOUNTS]:
        how = found.mount[0] if found.mount else found.address
        if found.awaits_address:
            how = f"no address outside yet; `dittoinfra status {result.stack}` shows it once it is there"
        console.print(Text(f"{server}/{kind}: {how}"), soft_wrap=True)
    if len(changed) > _MOST_MOUNTS:
        more = len(changed) - _MOST_MOUNTS
        console.print(Text(f"and {more} more: `dittoinfra status {result.stack}`"), soft_wrap=True)


def _table(console: Console, result: FleetResult, *, previewed: bool) -> None:
    table = Table(box=None, padding=(0, 2, 0, 0), header_style="dim")
    for head in ("stack", "", "objects", "time"):
        table.add_column(head, no_wrap=True)
    for each in result.results:
        mark, style = ("✔", "green") if each.report.ok else ("✖", "red")
        ended = Text(f"{mark} {ending(each, previewed=previewed)}", style=style)
        table.add_row(each.stack, ended, counted(each, previewed=previewed), duration(each.seconds))
    console.print(table)


def _line(result: StackResult, *, previewed: bool) -> Text:
    code = "" if result.report.ok else f" (exit code {result.report.exit_code})"
    told = counted(result, previewed=previewed)
    changes = f": {told}" if told else ""
    return Text(
        f"{result.stack}: {ending(result, previewed=previewed)}{code}{changes} ({duration(result.seconds)})"
    )
