"""What came of a run, for people and programs: Markdown, JSON, HTML."""

from dittoinfra.reports.build import build_report
from dittoinfra.reports.markdown import MARKER, markdown
from dittoinfra.reports.page import page
from dittoinfra.reports.view import Report
from dittoinfra.reports.write import ReportNotWrittenError, as_json, write_reports

__all__ = [
    "MARKER",
    "Report",
    "ReportNotWrittenError",
    "as_json",
    "build_report",
    "markdown",
    "page",
    "write_reports",
]
