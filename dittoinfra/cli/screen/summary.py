"""What is said when it is over: every stack in one row, and all of them in one line."""

from collections import Counter
from collections.abc import Iterable

from rich.console import Console
from rich.table import Table
from rich.text import Text

from dittoinfra.automation import whole_steps
from dittoinfra.cli.screen.words import counted, duration, outcome, resource, sign, stacks, trouble
from dittoinfra.fleet import FleetResult, StackResult

_STYLES = {"+": "green", "~": "yellow", "±": "magenta", "-": "red"}
_FIRST = {"-": 0, "±": 1}
"""What goes comes first: nobody may overlook it."""

_GAP = 2
"""Between two columns."""


def show_summary(console: Console, result: FleetResult, *, foreseen: bool) -> None:
    """A row for every stack, and a line for all."""
    if console.is_terminal:
        _table(console, result, foreseen=foreseen)
    else:
        for each in result.results:
            console.print(_line(each, foreseen=foreseen), soft_wrap=True)
    words = Counter(outcome(each, foreseen=foreseen) for each in result.results)
    if len(result.results) > 1:
        told = ", ".join(f"{n} {word}" for word, n in words.items())
        console.print(f"{stacks(len(result.results))}: {told}", style="bold", soft_wrap=True)


def show_changes(console: Console, results: Iterable[StackResult]) -> None:
    """Every change of every stack whose preview came to its end, what goes first."""
    for result in results:
        if not result.report.steps or outcome(result) in ("failed", "cancelled"):
            continue
        console.print(Text(result.stack, style="bold"), soft_wrap=True)
        for step in sorted(whole_steps(result.report.steps), key=lambda step: _FIRST.get(sign(step), 2)):
            changed = f"  ({', '.join(step.changed)})" if step.changed else ""
            line = Text(f"  {sign(step)} {resource(step)}", style=_STYLES.get(sign(step), ""))
            console.print(line.append(changed, "dim"), soft_wrap=True)


def show_printed(console: Console, results: Iterable[StackResult]) -> None:
    """What the engine itself printed, stack by stack."""
    for result in results:
        console.print(Text(f"--- {result.stack}", style="bold"), soft_wrap=True)
        for line in result.printed:
            console.print(Text.from_ansi(line), soft_wrap=True)


def _table(console: Console, result: FleetResult, *, foreseen: bool) -> None:
    table = Table(box=None, padding=(0, _GAP, 0, 0), header_style="dim")
    for head in ("stack", "", "resources", "time", ""):
        table.add_column(head, no_wrap=True)
    rows = [_row(each, foreseen=foreseen) for each in result.results]
    taken = sum(max(map(len, column)) + _GAP for column in zip(*(cells for cells, _ in rows), strict=True))
    for each, (cells, note) in zip(result.results, rows, strict=True):
        name, ended, told, took = cells
        # In full it has been said above; a table that wraps is none.
        note.truncate(max(0, console.width - taken - _GAP), overflow="ellipsis")
        table.add_row(name, Text(ended, style="green" if each.report.ok else "red"), told, took, note)
    console.print(table)


def _row(result: StackResult, *, foreseen: bool) -> tuple[tuple[str, str, str, str], Text]:
    good = result.report.ok
    ended = f"{'✔' if good else '✖'} {outcome(result, foreseen=foreseen)}"
    told = counted(result.report.changes, foreseen=foreseen) if good or result.report.changes.total else ""
    note = Text(trouble(result), style="yellow" if good else "red")
    return (result.stack, ended, told, duration(result.seconds)), note


def _line(result: StackResult, *, foreseen: bool) -> Text:
    took = duration(result.seconds)
    if result.report.ok:
        told = counted(result.report.changes, foreseen=foreseen)
        return Text(f"{result.stack}: {outcome(result, foreseen=foreseen)}: {told} ({took})")
    why = trouble(result) or "see above"
    return Text(f"{result.stack}: {outcome(result)} (exit code {result.report.exit_code}): {why} ({took})")
