"""The report as Markdown: a pull request's comment, short enough for one and safe in one."""

import html
import re
from dataclasses import dataclass

from dittoinfra.reports.templating import environment
from dittoinfra.reports.view import Report
from dittoinfra.visible import visible

MARKER = "<!-- dittoinfra-report -->"
"""First line of the comment, shown to nobody: by it a pipeline finds its own comment and writes it anew."""

LIMIT = 65_536
"""Characters that GitHub takes in one comment; GitLab takes more."""

_LONGEST_WORD = 400


@dataclass(frozen=True, slots=True)
class Detail:
    """How much is told; what is cut is said."""

    properties: bool = True
    unchanged: bool = True
    stacks: bool = True
    lines: int = 1000
    """Of every list."""


_WHOLE = (Detail(), Detail(unchanged=False))
_CUT = (
    Detail(unchanged=False, properties=False),
    Detail(unchanged=False, properties=False, lines=20),
    Detail(unchanged=False, properties=False, stacks=False, lines=100),
    Detail(unchanged=False, properties=False, stacks=False, lines=20),
)
"""Down to what fits whatever happens: 20 lines of a list, none longer than a few hundred characters."""

_FEW_SERVERS = 12
"""Up to as many, those that are left as they are may be shown too."""


def markdown(report: Report) -> str:
    """The comment, with as much detail as fits into one."""
    template = environment().get_template("report.md.j2")
    text = ""
    few = report.totals.servers <= _FEW_SERVERS
    for detail in (*(_WHOLE if few else _WHOLE[1:]), *_CUT):
        cut = detail in _CUT
        text = template.render(
            report=report, detail=detail, cut=cut, marker=MARKER, code=code, cell=cell, inline=inline
        )
        text = re.sub(r"\n{3,}", "\n\n", text).strip() + "\n"
        if len(text) <= LIMIT:
            break
    return text


def code(text: object) -> str:
    """Somebody else's text as a code span: no markup, no link, no mention comes out of it."""
    plain = _one_line(text)
    fence = "`" * (max(map(len, re.findall("`+", plain)), default=0) + 1)
    padding = " " if plain.startswith("`") or plain.endswith("`") or not plain else ""
    return f"{fence}{padding}{plain or '(empty)'}{padding}{fence}"


def cell(text: object) -> str:
    """The same inside a table, whose cells end even inside code."""
    return code(text).replace("|", "\\|")


def inline(text: object) -> str:
    """The same inside an HTML line, where Markdown is not read."""
    return f"<code>{html.escape(_one_line(text))}</code>"


def _one_line(text: object) -> str:
    line = " ".join(visible(str(text)).split())
    return line if len(line) <= _LONGEST_WORD else f"{line[: _LONGEST_WORD - 1]}…"
