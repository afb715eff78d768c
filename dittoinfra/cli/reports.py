"""The options by which a command leaves reports."""

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from dittoinfra.cli.errors import CommandError

if TYPE_CHECKING:  # the SDK takes most of a second to import, which a wrong flag need not cost
    from dittoinfra.fleet import FleetResult

ReportMarkdown = Annotated[
    Path | None,
    typer.Option(
        "--report-md",
        metavar="FILE",
        dir_okay=False,
        help="Write a report as Markdown, for a pull request's comment.",
        rich_help_panel="Reports",
    ),
]
ReportJson = Annotated[
    Path | None,
    typer.Option(
        "--report-json",
        metavar="FILE",
        dir_okay=False,
        help="Write a report as JSON, for programs (docs/schemas/report.schema.json).",
        rich_help_panel="Reports",
    ),
]
ReportHtml = Annotated[
    Path | None,
    typer.Option(
        "--report-html",
        metavar="FILE",
        dir_okay=False,
        help="Write a report as one HTML page, for people.",
        rich_help_panel="Reports",
    ),
]


def leave_reports(result: "FleetResult", markdown: Path | None, json: Path | None, html: Path | None) -> None:
    """Write the reports that were asked for; a failed run leaves them too."""
    from dittoinfra.reports import ReportNotWrittenError, write_reports

    try:
        write_reports(result, markdown, json, html)
    except ReportNotWrittenError as error:
        raise CommandError(str(error)) from None
