"""A report as Markdown, as an HTML page and as JSON, and the files it is written to."""

import base64
import html
import re
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import UTC, datetime
from functools import cache
from hashlib import sha256
from importlib.resources import files
from pathlib import Path

from jinja2 import Environment, PackageLoader, StrictUndefined, select_autoescape
from markupsafe import Markup

from dittoinfra import __version__
from dittoinfra.changes import Change, count_text, in_words
from dittoinfra.reports.build import build_report, most_severe, order
from dittoinfra.reports.result_model import ObjectView, Report, ServerReport
from dittoinfra.reports.run_source import clusters, run_source
from dittoinfra.stacks.result import FleetResult
from dittoinfra.visible import one_line, visible

MARKER = "<!-- dittoinfra-report -->"
"""First line of the Markdown, which is not rendered: by it a pipeline finds and rewrites its own comment."""

LIMIT = 65_536
"""Characters that GitHub takes in one comment; GitLab takes more."""

_LONGEST_WORD = 400


@dataclass(frozen=True, slots=True)
class _Detail:
    """How much the Markdown shows; it says so where something is cut."""

    properties: bool = True
    unchanged: bool = True
    stacks: bool = True
    lines: int = 1000
    """Of every list."""


_WHOLE = (_Detail(), _Detail(unchanged=False))
_CUT = (
    _Detail(unchanged=False, properties=False),
    _Detail(unchanged=False, properties=False, lines=20),
    _Detail(unchanged=False, properties=False, stacks=False, lines=100),
    _Detail(unchanged=False, properties=False, stacks=False, lines=20),
)
"""The last one always fits: 20 lines of each list, none longer than a few hundred characters."""

_FEW_IN_MARKDOWN = 12
"""Up to as many servers, unchanged ones may be shown too."""
_FEW_ON_PAGE = 6
"""Up to as many servers, all are shown at once; of more, only those that need attention."""
_MANY_ON_PAGE = 60
"""With more servers, a user who goes through the map with the Tab key meets only what needs attention."""
_SHOWN_REMOVALS = 30
"""As many as a person reads; the others are one key away."""


class ReportNotWrittenError(Exception):
    """A report could not be written: one line that names the file and the cause."""


def report_of(result: FleetResult, root: Path, environ: Mapping[str, str]) -> Report:
    """The report of an operation that has just ended, on a project in this folder."""
    made = datetime.now(UTC).replace(microsecond=0)
    return build_report(result, made, run_source(root, environ), clusters(result))


def write_reports(
    report: Report, markdown_file: Path | None, json_file: Path | None, html_file: Path | None
) -> None:
    """Write each report whose file is named; `ReportNotWrittenError` names every one that could not be."""
    formats = ((markdown_file, markdown), (json_file, _json), (html_file, page))
    write_files({path: render(report) for path, render in formats if path is not None})


def write_files(texts: Mapping[Path, str]) -> None:
    """Write every file; `ReportNotWrittenError` names those that could not be."""
    failures = []
    for path, text in texts.items():
        try:
            path.write_text(text, encoding="utf-8")
        except OSError as error:
            failures.append(f"{path}: {error.strerror or error}")
    if failures:
        raise ReportNotWrittenError(
            f"no report in {'; '.join(failures)}; name a file in a folder that can be written to"
        )


def _json(report: Report) -> str:
    return report.model_dump_json(indent=2) + "\n"


def markdown(report: Report) -> str:
    """The comment of a pull request, with as much detail as fits into one."""
    template = _environment().get_template("report.md.j2")
    text = ""
    few = report.totals.servers <= _FEW_IN_MARKDOWN
    for detail in (*(_WHOLE if few else _WHOLE[1:]), *_CUT):
        cut = detail in _CUT
        text = template.render(
            report=report,
            detail=detail,
            cut=cut,
            marker=MARKER,
            code=code_span,
            cell=table_cell,
            inline=_inline,
        )
        text = re.sub(r"\n{3,}", "\n\n", text).strip() + "\n"
        if len(text) <= LIMIT:
            break
    return text


def code_span(text: object) -> str:
    """External text as a code span: it cannot produce markup, links or mentions."""
    plain = one_line(str(text), _LONGEST_WORD)
    fence = "`" * (max(map(len, re.findall("`+", plain)), default=0) + 1)
    padding = " " if plain.startswith("`") or plain.endswith("`") or not plain else ""
    return f"{fence}{padding}{plain or '(empty)'}{padding}{fence}"


def table_cell(text: object) -> str:
    """Text as code inside a table, where a `|` ends the cell even inside code."""
    return code_span(text).replace("|", "\\|")


def _inline(text: object) -> str:
    """Text as code inside an HTML line, where Markdown is not read."""
    return f"<code>{html.escape(one_line(str(text), _LONGEST_WORD))}</code>"


def page(report: Report) -> str:
    """One HTML page that needs nothing but itself."""
    style, script = _asset("page.css"), _asset("page.js")
    template = _environment().get_template("report.html.j2")
    text = template.render(
        report=report,
        style=Markup(style),  # noqa: S704 - a file of this package
        script=Markup(script),  # noqa: S704 - a file of this package
        policy=_policy(style, script),
        all_drawn=report.totals.servers <= _FEW_ON_PAGE,
        all_reached=report.totals.servers <= _MANY_ON_PAGE,
        widest=max((len(stack.servers) for stack in report.stacks), default=0),
        objects_beside=_objects_beside,
        shown_removals=_SHOWN_REMOVALS,
        version=__version__,
    )
    return _without_empty_lines(text).strip() + "\n"


def _objects_beside(server: ServerReport) -> list[ObjectView]:
    """The changed objects of a server beside the Services of its adapters."""
    return sorted((*server.others, *(each for a in server.adapters for each in a.others)), key=order)


@cache
def _asset(name: str) -> str:
    # Without empty lines, as in the page: what the policy allows has to be what the page holds.
    return _without_empty_lines(files(__package__).joinpath("templates", name).read_text("utf-8"))


def _without_empty_lines(text: str) -> str:
    return re.sub(r"\n\s*\n+", "\n", text)


def _policy(style: str, script: str) -> str:
    """Nothing is loaded or sent, and no code runs but the page's own: code in a name stays text."""
    style_hash, script_hash = (
        f"'sha256-{base64.b64encode(sha256(text.encode()).digest()).decode()}'" for text in (style, script)
    )
    return (
        f"default-src 'none'; style-src {style_hash}; script-src {script_hash}; "
        "base-uri 'none'; form-action 'none'"
    )


@cache
def _environment() -> Environment:
    """Templates: every value in HTML is escaped, and in Markdown the template says how."""
    made = Environment(
        loader=PackageLoader("dittoinfra.reports", "templates"),
        autoescape=select_autoescape(("html.j2",)),
        undefined=StrictUndefined,
        finalize=_visible,
        trim_blocks=True,
        lstrip_blocks=True,
        keep_trailing_newline=True,
    )
    made.globals.update(
        Change=Change,
        change_word=_change_word,
        object_change=_object_change,
        most_severe=most_severe,
        headline=_headline,
        in_words=in_words,
        plural=count_text,
    )
    return made


def _visible(value: object) -> object:
    # A name that reorders what follows it could pass for another one. Markup is this package's own.
    return visible(value) if isinstance(value, str) and not isinstance(value, Markup) else value


def _change_word(change: Change, *, planned: bool) -> str:
    if change is Change.SAME:
        return "as it is" if planned else "as it was"
    return change.word(planned=planned)


def _object_change(view: ObjectView, *, planned: bool) -> str:
    word = _change_word(view.change, planned=planned and not view.failed)
    return f"could not be {word}" if view.failed else word


def _headline(report: Report) -> str:
    totals = report.totals
    text = f"{in_words(totals.changes, planned=report.planned)} in {count_text(totals.stacks, 'stack')}"
    return f"{text}, {totals.failed} failed" if totals.failed else text
