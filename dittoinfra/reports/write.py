"""Writes the reports that somebody asked for."""

from datetime import UTC, datetime
from pathlib import Path

from dittoinfra.fleet import FleetResult
from dittoinfra.reports.build import build_report
from dittoinfra.reports.markdown import markdown as as_markdown
from dittoinfra.reports.page import page
from dittoinfra.reports.view import Report


class ReportNotWrittenError(Exception):
    """A report could not be written: one line that names the file and the cause."""


def write_reports(
    result: FleetResult,
    markdown: Path | None = None,
    json: Path | None = None,
    html: Path | None = None,
) -> None:
    """Write each report whose file is named; `ReportNotWrittenError` names every one that could not be."""
    if markdown is None and json is None and html is None:
        return
    report = build_report(result, datetime.now(UTC).replace(microsecond=0))
    failures = []
    for path, render in ((markdown, as_markdown), (json, as_json), (html, page)):
        if path is not None:
            try:
                path.write_text(render(report), encoding="utf-8")
            except OSError as error:
                failures.append(f"{path}: {error.strerror or error}")
    if failures:
        raise ReportNotWrittenError(
            f"no report in {'; '.join(failures)}; name a file in a folder that can be written to"
        )


def as_json(report: Report) -> str:
    """The report for programs."""
    return report.model_dump_json(by_alias=True, indent=2) + "\n"
