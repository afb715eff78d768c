"""Tables for people: drawn in a terminal, plain columns everywhere else."""

import os
from collections.abc import Iterable, Sequence

from rich.console import Console
from rich.padding import Padding
from rich.table import Table
from rich.text import Text

from dittoinfra.insight.views import StackView
from dittoinfra.insight.wording import (
    ADAPTER_COLUMNS,
    STATUS_COLUMNS,
    Row,
    adapter_row,
    headline,
    status_lines,
    status_row,
)

_INDENT = "  "
_STYLES = {"yes": "green", "no": "red", "create": "green", "update": "yellow", "remove": "red", "stop": "red"}
"""Colours by a cell's first word."""


def show_status(console: Console, stacks: Iterable[StackView]) -> None:
    """Every stack: a headline, its servers, and what needs a sentence."""
    for view in stacks:
        _say(console, headline(view), style="bold")
        if view.servers:
            _table(console, STATUS_COLUMNS, [status_row(server) for server in view.servers], _INDENT)
        for line in status_lines(view):
            _say(console, f"{_INDENT}{line}")


def show_adapters(console: Console, stacks: Sequence[StackView]) -> None:
    """One row for each adapter of all stacks."""
    rows = [
        adapter_row(adapter, server.api.outcome)
        for view in stacks
        for server in view.servers
        for adapter in server.adapters
    ]
    if rows:
        _table(console, ADAPTER_COLUMNS, rows)


def show_values(console: Console, rows: Sequence[Row]) -> None:
    """Every setting of a server: its path, its value and who says so."""
    _table(console, ("SETTING", "VALUE", "FROM"), rows)


def _table(console: Console, columns: Row, rows: Sequence[Row], indent: str = "") -> None:
    if _plain(console):
        lines = [columns, *(tuple(cell.replace("\n", ", ") for cell in row) for row in rows)]
        widths = [max(map(len, cells)) for cells in zip(*lines, strict=True)]
        for line in lines:
            padded = (cell.ljust(width) for cell, width in zip(line, widths, strict=True))
            _say(console, f"{indent}{'  '.join(padded)}".rstrip())
        return
    table = Table(box=None, header_style="dim", pad_edge=False, padding=(0, 2, 0, 0))
    for column in columns:
        # An address that is cut short is no address.
        table.add_column(column, overflow="fold")
    for row in rows:
        table.add_row(*(Text(cell, style=_STYLES.get(cell.partition(" ")[0], "")) for cell in row))
    console.print(Padding(table, (0, 0, 0, len(indent))))


def _say(console: Console, line: str, style: str | None = None) -> None:
    # Words of servers and clusters: never markup, and never broken where somebody would search for them.
    console.print(Text(line, style="" if style is None or _plain(console) else style), soft_wrap=True)


def _plain(console: Console) -> bool:
    return not console.is_terminal or bool(os.environ.get("NO_COLOR") or os.environ.get("CI"))
