"""An operation as a table that moves, for terminals."""

import threading
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from types import TracebackType
from typing import Self

from rich.console import Group, RenderableType
from rich.live import Live
from rich.progress_bar import ProgressBar
from rich.spinner import Spinner
from rich.table import Table
from rich.text import Text

from dittoinfra.automation import Diagnostic
from dittoinfra.cli.screen.consoles import console
from dittoinfra.cli.screen.words import duration, outcome, signed, stacks
from dittoinfra.fleet import Operation, Phase, StackResult

STYLES = {"error": "bold red", "warning": "yellow", "info": "cyan"}
_RESERVED_LINES = 6
"""Head, foot and a little room above: the table must not push the messages off the screen."""

_STATE_WIDTH = 28
"""Room for the longest phase and its time, so that nothing jumps while it counts."""


@dataclass
class _Row:
    phase: Phase | None = None
    since: float = field(default_factory=time.monotonic)
    done: int = 0
    total: int | None = None
    note: str = ""
    foreseen: StackResult | None = None
    ended: StackResult | None = None

    @property
    def active(self) -> bool:
        return self.phase is not None and self.ended is None and not self.foreseen_only

    @property
    def foreseen_only(self) -> bool:
        """Previewed, and waiting for the others or for a word."""
        return self.foreseen is not None and self.ended is None and self.phase is Phase.PREVIEWING


class Board:
    """Draws on standard error: what goes to standard output is the result."""

    def __init__(self, names: Sequence[str], operation: Operation) -> None:
        self._console = console(stderr=True)
        self._operation = operation
        self._rows = {name: _Row() for name in names}
        self._told: set[tuple[str, Diagnostic]] = set()
        self._lock = threading.RLock()
        self._began = time.monotonic()
        self._spinner = Spinner("dots", style="cyan")
        self._width = max(map(len, names), default=0)
        self._live: Live | None = None

    def __enter__(self) -> Self:
        self._start()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._stop()

    @contextmanager
    def paused(self) -> Iterator[None]:
        """Take the table away while a person is asked something; it comes back when something begins."""
        self._stop()
        yield

    def began(self, stack: str, phase: Phase) -> None:
        """Its row says so, and its clock starts anew."""
        with self._lock:
            self._start()
            row = self._rows[stack]
            row.phase, row.since, row.note = phase, time.monotonic(), ""
            row.done, row.total = 0, None

    def progressed(self, stack: str, done: int, total: int | None) -> None:
        """Its bar moves."""
        with self._lock:
            self._rows[stack].done, self._rows[stack].total = done, total

    def said(self, stack: str, message: Diagnostic) -> None:
        """Every message once, above the table, where it stays."""
        with self._lock:
            if (stack, message) in self._told:
                return
            self._told.add((stack, message))
            lines = [line for line in message.text.splitlines() if line.strip()]
            if lines:
                self._rows[stack].note = lines[0]
        for line in lines:
            self._console.print(
                Text.assemble(
                    (stack.ljust(self._width + 2), "bold"),
                    (f"{message.severity}: ", STYLES.get(message.severity, "")),
                    line,
                )
            )

    def foreseen(self, result: StackResult) -> None:
        """What would change, in its row."""
        with self._lock:
            row = self._rows[result.stack]
            row.foreseen, row.note = result, ""
            if self._operation is Operation.PREVIEW:
                row.ended = result

    def ended(self, result: StackResult) -> None:
        """How it ended, in its row."""
        with self._lock:
            self._rows[result.stack].ended = result

    def note(self, line: str) -> None:
        """Something about the whole, above the table."""
        self._console.print(line, style="yellow", highlight=False)

    def _start(self) -> None:
        if self._live is None:
            # Always a new one: a stopped one remembers where it drew, and would draw over the question.
            self._live = Live(
                console=self._console, get_renderable=self._draw, refresh_per_second=8, transient=True
            )
            self._live.start()

    def _stop(self) -> None:
        if self._live is not None:
            self._live.stop()
            self._live = None

    def _draw(self) -> RenderableType:
        with self._lock:
            table = Table(box=None, padding=(0, 2, 0, 0), show_header=True, header_style="dim")
            table.add_column("stack", no_wrap=True, min_width=self._width)
            table.add_column("", no_wrap=True, min_width=_STATE_WIDTH)
            table.add_column("resources", no_wrap=True, min_width=14)
            table.add_column("changes", no_wrap=True, min_width=9)
            table.add_column("", no_wrap=True, overflow="ellipsis", ratio=1)
            for name in self._shown():
                table.add_row(*self._cells(name, self._rows[name]))
            return Group(table, self._foot())

    def _shown(self) -> list[str]:
        room = max(3, self._console.height - _RESERVED_LINES)
        if len(self._rows) <= room:
            return list(self._rows)
        # Those that something happens to; the foot counts the others.
        return [name for name, row in self._rows.items() if row.active][:room]

    def _cells(self, name: str, row: _Row) -> Sequence[RenderableType]:
        if row.ended is not None:
            changes = row.ended.report.changes
            good = row.ended.report.ok
            mark, style = ("✔", "green") if good else ("✖", "red")
            return name, Text(f"{mark} {outcome(row.ended)}", style=style), "", signed(changes), row.note
        if row.phase is None:
            return Text(name, style="dim"), Text("queued", style="dim"), "", "", ""
        if row.foreseen is not None and row.foreseen_only:
            foretold = signed(row.foreseen.report.changes)
            return name, Text("previewed", style="dim"), "", foretold, Text(row.note, style="dim")
        self._spinner.update(text=f"{row.phase} {duration(time.monotonic() - row.since)}")
        text = self._spinner.render(self._console.get_time())
        foreseen = signed(row.foreseen.report.changes) if row.foreseen else ""
        return name, text, self._bar(row), foreseen, Text(row.note, style="dim")

    def _bar(self, row: _Row) -> RenderableType:
        if row.phase is Phase.WAITING or not (row.done or row.total):
            return ""
        if row.total is None:
            return str(row.done)
        bar = Table.grid(padding=(0, 1))
        bar.add_row(ProgressBar(row.total, row.done, width=8), f"{row.done}/{row.total}")
        return bar

    def _foot(self) -> Text:
        done = sum(row.ended is not None for row in self._rows.values())
        active = sum(row.active for row in self._rows.values())
        previewed = sum(row.foreseen_only for row in self._rows.values())
        queued = len(self._rows) - done - active - previewed
        counts = [(done, "done"), (previewed, "previewed"), (active, "running"), (queued, "queued")]
        parts = [f"{n} {word}" for n, word in counts if n]
        took = duration(time.monotonic() - self._began)
        return Text(f"{stacks(len(self._rows))}: {', '.join(parts)}, {took}", style="dim")
