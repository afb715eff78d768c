"""Screens one after the other as one SVG picture, which plays wherever pictures are shown."""

import re
from collections import defaultdict
from collections.abc import Mapping, Sequence
from itertools import accumulate, chain
from typing import Final

from tools.pictures.drawing import FORMAT, exported, lines_of
from tools.pictures.terminal import Frame

_STYLES: Final = """\
{styles}
.{name}-film {{ animation: {name}-play {seconds:g}s step-end infinite; transform: translateY({last:g}px); }}
@keyframes {name}-play {{
{stops}
}}
@media (prefers-reduced-motion: reduce) {{ .{name}-film {{ animation: none; }} }}"""
"""Screens stand one below the other, and jump past the window; without motion the last one stays in it."""

_LETTER_HEIGHT: Final = 20.0
_LINE_HEIGHT: Final = 24.4
"""Rich's."""
_LAST_SECONDS: Final = 6.0


def film(name: str, title: str, frames: Sequence[Frame]) -> str:
    """The picture; `name` keeps its styles apart from those of other pictures."""
    screens = [lines_of(frame.screen) for frame in frames]
    height = max(map(len, screens)) * _LINE_HEIGHT
    seconds = [*(frame.seconds for frame in frames[:-1]), _LAST_SECONDS]
    stops = [
        f"{begin / sum(seconds):.3%} {{ transform: translateY({-number * height:g}px); }}"
        for number, begin in enumerate(accumulate(seconds[:-1], initial=0.0))
    ]
    # A line that is on many screens is in the file once.
    numbers = {line: number for number, line in enumerate(dict.fromkeys(chain(*screens)))}
    styles, matrix = exported(name, title, list(numbers), "{styles}\0{matrix}").split("\0")
    texts = _texts(matrix)
    strip = [
        f'<g transform="translate(0, {number * height:g})">'
        + "".join(
            f'<use href="#{name}-{numbers[line]}" y="{row * _LINE_HEIGHT + _LETTER_HEIGHT:g}"/>'
            for row, line in enumerate(screen)
            if numbers[line] in texts
        )
        + "</g>"
        for number, screen in enumerate(screens)
    ]
    parts = {
        "styles": _STYLES.format(
            name=name,
            styles=styles,
            seconds=sum(seconds),
            last=(1 - len(screens)) * height,
            stops="\n".join(stops),
        ),
        "lines": "\n".join(f'<g id="{name}-{number}">{text}</g>' for number, text in texts.items()),
        "matrix": "\n".join([f'<g class="{name}-film">', *strip, "</g>"]),
    }
    return exported(name, title, [""] * max(map(len, screens)), _with(parts))


def _texts(matrix: str) -> Mapping[int, str]:
    """What Rich has drawn of each line, without its place."""
    texts: dict[int, str] = defaultdict(str)
    for text, line in re.findall(r'(<text .*?-line-(\d+)\)".*?</text>)', matrix):
        texts[int(line)] += re.sub(r' (y|clip-path)="[^"]*"', "", text)
    return texts


def _with(parts: Mapping[str, str]) -> str:
    """Rich's format, with parts of our own in it."""
    filled = FORMAT
    for name, text in parts.items():
        filled = filled.replace(f"{{{name}}}", text.replace("{", "{{").replace("}", "}}"))
    return filled
