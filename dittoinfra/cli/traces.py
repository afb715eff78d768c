"""What a command leaves behind beside its summary: reports and events."""

from contextlib import AbstractContextManager, nullcontext
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

import typer

from dittoinfra.cli.errors import CommandError
from dittoinfra.cli.events import telling_events
from dittoinfra.cli.reports import leave_reports
from dittoinfra.exitcodes import ExitCode

if TYPE_CHECKING:  # the SDK takes most of a second to import, which a wrong flag need not cost
    from dittoinfra.automation import Project
    from dittoinfra.events import EventTeller
    from dittoinfra.fleet import FleetResult


def refuse_missing_folder(flag: str, path: Path | None) -> None:
    """Refuse a file that could not be written when all is done."""
    if path is not None and not path.absolute().parent.is_dir():
        folder = path.absolute().parent
        raise CommandError(
            f"{flag} {path}: there is no folder {folder}; make it first", ExitCode.CONFIGURATION
        )


@dataclass(frozen=True, slots=True)
class Traces:
    """The files that were asked for."""

    markdown: Path | None = None
    json: Path | None = None
    html: Path | None = None
    events: str | None = None
    kubernetes_events: bool = False

    @property
    def on_stdout(self) -> bool:
        """Whether events are all that goes to standard output."""
        return self.events == "-"

    def refuse_what_cannot_be(self, *, as_json: bool) -> None:
        """Whatever can be known before the run begins: afterwards it is late for a typing mistake."""
        if self.on_stdout and as_json:
            raise CommandError("--events - and --json both want standard output", ExitCode.CONFIGURATION)
        reports = (("--report-md", self.markdown), ("--report-json", self.json), ("--report-html", self.html))
        for flag, path in reports:
            refuse_missing_folder(flag, path)

    def telling(self, project: "Project", *, previews: bool) -> "AbstractContextManager[EventTeller | None]":
        """Whoever tells the events; None where nobody wants to hear them."""
        if self.events is None and not self.kubernetes_events:
            return nullcontext()
        return telling_events(project, self.events, kubernetes=self.kubernetes_events, previews=previews)

    def leave(self, result: "FleetResult") -> None:
        """Write the reports; what came of the run matters more than a report that cannot be written."""
        try:
            leave_reports(result, self.markdown, self.json, self.html)
        except CommandError as error:
            if not result.exit_code:
                raise
            typer.echo(f"error: {error}", err=True)
