"""`dittoinfra verify`: whether clients reach every adapter."""

from functools import partial
from itertools import chain
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from dittoinfra.cli.command_errors import UsageError, reports_written
from dittoinfra.cli.console import say
from dittoinfra.cli.options import (
    Query,
    check_report_folder,
    query_flags,
    report_option,
    seconds_of,
    with_flags,
)
from dittoinfra.cli.query import answers_and_failures, ask_stacks, exit_with

if TYPE_CHECKING:  # an import here would delay the start of the CLI
    from dittoinfra.reports.verify_document import VerifyDocument

TIMEOUT_SECONDS = 10
"""Long enough for a server behind a slow link, short enough for a user at a terminal."""


@with_flags(query_flags)
def verify(
    context: typer.Context,
    query: Query,
    timeout: Annotated[
        str, typer.Option(metavar="TIME", help="How long one check of one adapter may take.")
    ] = f"{TIMEOUT_SECONDS}s",
    wait: Annotated[
        str, typer.Option(metavar="TIME", help="How long to check again what failed. 0 does not.")
    ] = "0",
    report_md: Annotated[
        Path | None, report_option("--report-md", "Write what was found as Markdown, for a CI job's summary.")
    ] = None,
) -> None:
    """Check hop by hop that clients reach every adapter. Changes nothing.

    From inside, through the Kubernetes API: the Service and its selector, a ready
    Pod behind it, the network policies in front of that Pod, the adapter's port in
    it, and the protocol there. From this machine: the Service's address, its port,
    the protocol, and the names.
    NFS is asked with NULL calls of versions 3 and 4, SMB with a negotiation, a
    portmapper for its port; of other types only the port is checked.

    Exit code 0 where every adapter is reached, 1 where a hop failed, and 3 where
    the cluster refused a permission that the check needs.

    Examples:

      dittoinfra verify prod               a line for each hop
      dittoinfra verify --all --timeout 5s
      dittoinfra verify prod --wait 5m     until a new load balancer is there
      dittoinfra verify prod --report-md "$GITHUB_STEP_SUMMARY"
      dittoinfra verify prod --json        see docs/schemas/verify.schema.json
    """
    seconds = seconds_of(timeout, "--timeout")
    if not seconds:
        raise UsageError("--timeout must be longer than 0")
    check_report_folder("--report-md", report_md)
    document = verification(context, query, seconds, seconds_of(wait, "--wait"))
    if query.as_json:
        typer.echo(document.model_dump_json(indent=2))
    else:
        show_verification(document)
    if report_md is not None:
        from dittoinfra.reports.report_formats import write_files
        from dittoinfra.verify.verify_report import verify_markdown

        with reports_written(document.exit_code):
            write_files({report_md: verify_markdown(document)})
    exit_with(document.failures, document.exit_code)


def verification(
    context: typer.Context, query: Query, timeout: float = TIMEOUT_SECONDS, wait: float = 0.0
) -> "VerifyDocument":
    """Whether clients reach the adapters of the selected stacks."""
    from dittoinfra.reports.verify_document import VerifyDocument
    from dittoinfra.verify.verify_stack import TimeLimits, verify_stack

    found, failures = answers_and_failures(
        ask_stacks(context, query, partial(verify_stack, limits=TimeLimits(timeout, wait)))
    )
    return VerifyDocument.of(tuple(chain.from_iterable(found)), failures)


def show_verification(document: "VerifyDocument") -> None:
    """Print each verdict with its hops."""
    from dittoinfra.reports.verify_document import verdict_lines

    for verdict in document.adapters:
        for line in verdict_lines(verdict):
            typer.echo(line)
    if not document.adapters and not document.failures:
        say("there are no adapters to verify: these stacks hold none")
