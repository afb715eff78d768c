"""Prints the result of a scene in a terminal."""

from collections.abc import Iterable, Iterator

from rich.console import Console
from rich.padding import Padding
from rich.table import Table
from rich.text import Text

from lab.demo.play import Played

_STYLES = {"+": "green", "~": "yellow", "-": "red"}


def show(console: Console, number: int, total: int, played: Played) -> None:
    """Print a heading, the lines of the preview, and a table of the declared adapters."""
    console.print()
    console.rule(f"[bold]{number}/{total}  {played.scene.title}", align="left")
    console.print(f"[italic]{played.scene.meaning}\n")
    for line in worth_showing(played.preview_lines):
        console.print(Text(f"  {line}", style=_STYLES.get(line.lstrip()[:1], "")), soft_wrap=True)
    console.print(f"\n  poll: [bold]{played.outcome}")
    console.print(Padding(_table(played), (0, 0, 0, 2), expand=False))


def worth_showing(lines: Iterable[str]) -> Iterator[str]:
    """The preview without its heading, repeated lines, and the outputs that the table shows."""
    section = ""
    for line in (raw.rstrip() for raw in lines):
        if line and not line.startswith(" "):
            section = line
        heading = line.startswith(("Previewing update", "@"))
        repeated = "pulumi:pulumi:Stack dittoinfra" in line
        if line and not (heading or repeated or section == "Outputs:"):
            yield line


def _table(played: Played) -> Table:
    table = Table()
    for column in ("adapter", "port", "state"):
        table.add_column(column)
    for adapter in played.adapters:
        table.add_row(adapter["type"], str(adapter["port"]), adapter["state"])
    if not played.adapters:
        table.add_row("none", "", "")
    return table
