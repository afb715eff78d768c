"""The checks for a person to read: with signs and colours in a terminal, in words elsewhere."""

from rich.console import Console
from rich.text import Text

from dittoinfra.doctor.line import Line

_SIGNS = {"ok": ("✓", "green"), "warning": ("!", "yellow"), "failed": ("✗", "red")}
_NEXT = "→"


def show(console: Console, line: Line) -> None:
    """One check, and what to do about it."""
    pretty = console.is_terminal and console.encoding.lower().startswith("utf")
    sign, colour = _SIGNS[line.state]
    place = f"{line.stack}: " if line.stack else ""
    text = Text.assemble((sign if pretty else line.state, colour), f" {place}{line.check}: ", line.text)
    if line.next is not None:
        text.append(
            f" {_NEXT if pretty else '->'} {line.next}", style="bold" if line.state == "failed" else ""
        )
    # Lines are for pipelines too: nothing may be wrapped or read as markup.
    console.print(text, soft_wrap=True, highlight=False)
    if line.role is not None:
        console.print(Text("".join(f"    {row}\n" for row in line.role.splitlines())), end="", soft_wrap=True)
