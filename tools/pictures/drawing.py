"""A screen as an SVG picture that loads nothing from elsewhere and is the same whenever it is drawn."""

import io
import re
from collections.abc import Sequence
from itertools import count

from rich.console import Console
from rich.terminal_theme import TerminalTheme
from rich.text import Text

from tools.pictures.terminal import COLUMNS

FORMAT = """\
<svg class="rich-terminal" viewBox="0 0 {width} {height}" xmlns="http://www.w3.org/2000/svg">
<style>
.{unique_id}-matrix {{ font-family: ui-monospace, "DejaVu Sans Mono", Menlo, Consolas, monospace; \
font-size: {char_height}px; line-height: {line_height}px; }}
.{unique_id}-title {{ font-size: 18px; font-weight: bold; font-family: system-ui, Arial, sans-serif; }}
{styles}
</style>
<defs>
<clipPath id="{unique_id}-clip-terminal">
<rect x="0" y="0" width="{terminal_width}" height="{terminal_height}"/>
</clipPath>
{lines}
</defs>
{chrome}
<g transform="translate({terminal_x}, {terminal_y})" clip-path="url(#{unique_id}-clip-terminal)">
{backgrounds}
<g class="{unique_id}-matrix">
{matrix}
</g>
</g>
</svg>
"""
"""Rich's own format loads a font from a server of others."""

_THEME = TerminalTheme(
    (24, 28, 36),
    (222, 226, 232),
    [
        (60, 66, 78), (240, 113, 120), (126, 200, 130), (229, 192, 110),
        (110, 170, 240), (198, 140, 230), (96, 196, 204), (222, 226, 232),
    ],
    [
        (140, 148, 160), (255, 140, 146), (150, 220, 150), (245, 214, 140),
        (140, 190, 255), (214, 164, 245), (130, 220, 226), (255, 255, 255),
    ],
)  # fmt: skip

_FIXED = (
    (re.compile(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z"), "2026-01-02T12:00:00.000Z"),
    (re.compile(r"(?<!within )\b(?:\d+ min )?\d+(?:\.\d)? s\b"), "1.2 s"),
    (re.compile(r"(?<=127\.0\.0\.1:)\d{5}"), "18080"),
)
"""What differs from one run to the next, and would make another picture of the same behaviour."""
_WATCH_TIME = re.compile(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ")
_NODE_PORT = re.compile(r"\b3[0-2]\d{3}\b")


def drawn(name: str, title: str, screen: str) -> str:
    """The picture of a screen; `name` keeps its styles apart from those of other pictures."""
    return exported(name, title, lines_of(screen), FORMAT)


def lines_of(screen: str) -> Sequence[str]:
    """The lines of a screen in Rich's markup, each with its colours: in ANSI a colour outlasts its line."""
    return [line.markup for line in Text.from_ansi(fixed(screen)).split("\n")]


def exported(name: str, title: str, lines: Sequence[str], code_format: str) -> str:
    """Lines as Rich exports them."""
    console = Console(record=True, width=COLUMNS, file=io.StringIO(), color_system="truecolor")
    console.print(Text.from_markup("\n".join(lines), emoji=False), soft_wrap=True)
    picture = console.export_svg(title=title, theme=_THEME, code_format=code_format, unique_id=name)
    return "\n".join(line.rstrip() for line in picture.splitlines() if line.strip()) + "\n"


def fixed(screen: str) -> str:
    """The same screen with one duration, one time, lines of `watch` a second apart, and fixed node ports."""
    for pattern, text in _FIXED:
        screen = pattern.sub(text, screen)
    ticks = count()
    screen = _WATCH_TIME.sub(lambda _: f"2026-01-02T12:00:{next(ticks):02}Z", screen)
    ports = dict.fromkeys(_NODE_PORT.findall(screen))
    numbers = {port: str(30001 + number) for number, port in enumerate(ports)}
    return _NODE_PORT.sub(lambda found: numbers[found[0]], screen)
