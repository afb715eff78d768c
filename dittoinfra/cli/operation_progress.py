"""The progress of an operation on several stacks: a live table in a terminal, plain lines elsewhere."""

import sys
import threading
import time
from collections.abc import Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from typing import Self

from rich.console import Group, RenderableType
from rich.live import Live
from rich.progress_bar import ProgressBar
from rich.spinner import Spinner
from rich.table import Table
from rich.text import Text

from dittoinfra.changes import count_text
from dittoinfra.cli.console import console, moves
from dittoinfra.cli.summary import counted, duration, ending, signed
from dittoinfra.request import Operation
from dittoinfra.stacks.result import Diagnostic, Phase, StackResult

QUIET_SECONDS = 30.0
"""After this long without a line about a stack its progress is printed: a log must not look dead."""

_STYLES = {"error": "bold red", "warning": "yellow", "info": "cyan"}
_RESERVED_LINES = 6
"""Head, foot and a little room above: the table must not push the messages off the screen."""

_STATE_WIDTH = 28
"""Room for the longest phase and its time, so that nothing jumps while it counts."""


def progress_of(
    names: Sequence[str], operation: Operation, *, errors: bool
) -> "ProgressLines | ProgressTable":
    """What shows the progress here, on standard error: what goes to standard output is the result.

    With `errors` it shows errors too, where no summary does.
    """
    if moves(stderr=True):
        return ProgressTable(names, operation, errors=errors)
    return ProgressLines(errors=errors)


class _Progress:
    def __init__(self, *, errors: bool) -> None:
        self._errors = errors
        # A second interrupt is noted in the thread that is noting the first one.
        self._lock = threading.RLock()
        self._shown_messages: set[tuple[str, Diagnostic]] = set()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.pause()

    def pause(self) -> None:
        """Stop redrawing while the user is asked something; it resumes when something begins."""

    def _new_lines(self, stack: str, message: Diagnostic) -> list[str]:
        """The lines of a message, unless it was shown already: a later phase may say it again."""
        if message.severity == "error" and not self._errors:
            return []
        with self._lock:
            if (stack, message) in self._shown_messages:
                return []
            self._shown_messages.add((stack, message))
        return [line for line in message.text.splitlines() if line.strip()]


class ProgressLines(_Progress):
    """For pipelines and files: a whole line at a time, and every line says which stack it is about."""

    def __init__(self, *, errors: bool) -> None:
        super().__init__(errors=errors)
        self._phases: dict[str, Phase] = {}
        self._written_at: dict[str, float] = {}

    def began(self, stack: str, phase: Phase) -> None:
        """Print a line for every phase."""
        self._phases[stack] = phase
        self._write(stack, f"{phase} ...")

    def progressed(self, stack: str, done: int, total: int | None) -> None:
        """Print a line after `QUIET_SECONDS` without one."""
        if time.monotonic() - self._written_at.get(stack, 0.0) >= QUIET_SECONDS:
            of = f" of {total}" if total else ""
            self._write(stack, f"{self._phases[stack]}: {done}{of} resources")

    def said(self, stack: str, message: Diagnostic) -> None:
        """Print every message once, as far as the summary does not show it."""
        for line in self._new_lines(stack, message):
            self._write(stack, f"{message.severity}: {line}")

    def previewed(self, result: StackResult) -> None:
        """Print what would change; the summary of a preview shows it anyway."""
        if result.report.ok and result.operation is not Operation.PREVIEW:
            self._write(result.stack, counted(result, previewed=True) or ending(result, previewed=True))

    def ended(self, result: StackResult) -> None:
        """Print how the operation on a stack ended."""
        self._write(result.stack, f"{ending(result)} after {duration(result.seconds)}")

    def note(self, line: str) -> None:
        """Print a line about the whole operation."""
        # The stream may be in use by the very thread that an interrupt has stopped, and says so.
        with self._lock, suppress(RuntimeError):
            sys.stderr.write(f"{line}\n")
            sys.stderr.flush()

    def _write(self, stack: str, line: str) -> None:
        self._written_at[stack] = time.monotonic()
        self.note(f"{stack}: {line}")


@dataclass
class _Row:
    phase: Phase | None = None
    since: float = field(default_factory=time.monotonic)
    done: int = 0
    total: int | None = None
    note: str = ""
    previewed: StackResult | None = None
    ended: StackResult | None = None

    @property
    def active(self) -> bool:
        return self.phase is not None and self.ended is None and not self.preview_only

    @property
    def preview_only(self) -> bool:
        """Previewed, and waiting for the others or for approval."""
        return self.previewed is not None and self.ended is None and self.phase is Phase.PREVIEWING


class ProgressTable(_Progress):
    """For terminals: a row for every stack, and its messages above."""

    def __init__(self, names: Sequence[str], operation: Operation, *, errors: bool) -> None:
        super().__init__(errors=errors)
        self._console = console(stderr=True)
        self._operation = operation
        self._rows = {name: _Row() for name in names}
        self._began = time.monotonic()
        self._spinner = Spinner("dots", style="cyan")
        self._width = max(map(len, names), default=0)
        self._live: Live | None = None

    def __enter__(self) -> Self:
        self._start()
        return self

    def pause(self) -> None:
        """Remove the table."""
        if self._live is not None:
            self._live.stop()
            self._live = None

    def began(self, stack: str, phase: Phase) -> None:
        """Show the phase in the stack's row, and start its clock again."""
        with self._lock:
            self._start()
            row = self._rows[stack]
            row.phase, row.since, row.note = phase, time.monotonic(), ""
            row.done, row.total = 0, None

    def progressed(self, stack: str, done: int, total: int | None) -> None:
        """Move the bar of the stack's row."""
        with self._lock:
            self._rows[stack].done, self._rows[stack].total = done, total

    def said(self, stack: str, message: Diagnostic) -> None:
        """Print every message once, above the table, where it stays."""
        lines = self._new_lines(stack, message)
        if lines:
            with self._lock:
                self._rows[stack].note = lines[0]
        style = _STYLES.get(message.severity, "")
        for line in lines:
            name = (stack.ljust(self._width + 2), "bold")
            self._console.print(Text.assemble(name, (f"{message.severity}: ", style), line))

    def previewed(self, result: StackResult) -> None:
        """Show in the stack's row what would change."""
        with self._lock:
            row = self._rows[result.stack]
            row.previewed, row.note = result, ""
            if self._operation is Operation.PREVIEW:
                row.ended = result

    def ended(self, result: StackResult) -> None:
        """Show in the stack's row how the operation ended."""
        with self._lock:
            self._rows[result.stack].ended = result

    def note(self, line: str) -> None:
        """Print a line about the whole operation above the table."""
        self._console.print(line, style="yellow", highlight=False)

    def _start(self) -> None:
        if self._live is None:
            # Always a new one: a stopped one remembers where it drew, and would draw over the question.
            self._live = Live(
                console=self._console, get_renderable=self._draw, refresh_per_second=8, transient=True
            )
            self._live.start()

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
            changes = signed(row.ended, previewed=self._operation is Operation.PREVIEW)
            mark, style = ("✔", "green") if row.ended.report.ok else ("✖", "red")
            return name, Text(f"{mark} {ending(row.ended)}", style=style), "", changes, row.note
        if row.phase is None:
            return Text(name, style="dim"), Text("queued", style="dim"), "", "", ""
        if row.previewed is not None and row.preview_only:
            foretold = signed(row.previewed, previewed=True)
            return name, Text("previewed", style="dim"), "", foretold, Text(row.note, style="dim")
        self._spinner.update(text=f"{row.phase} {duration(time.monotonic() - row.since)}")
        text = self._spinner.render(self._console.get_time())
        previewed = signed(row.previewed, previewed=True) if row.previewed else ""
        return name, text, self._bar(row), previewed, Text(row.note, style="dim")

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
        previewed = sum(row.preview_only for row in self._rows.values())
        queued = len(self._rows) - done - active - previewed
        counts = [(done, "done"), (previewed, "previewed"), (active, "running"), (queued, "queued")]
        parts = [f"{n} {word}" for n, word in counts if n]
        took = duration(time.monotonic() - self._began)
        return Text(f"{count_text(len(self._rows), 'stack')}: {', '.join(parts)}, {took}", style="dim")
