"""`dittoinfra destroy`: delete everything that a stack holds."""

from typing import Annotated

import typer

from dittoinfra.cli import options
from dittoinfra.cli.errors import CommandError
from dittoinfra.cli.events import EventsFile, KubernetesEventsWanted
from dittoinfra.cli.operate import Flags, must_approve, operate_on_stacks
from dittoinfra.cli.reports import ReportHtml, ReportJson, ReportMarkdown
from dittoinfra.cli.traces import Traces
from dittoinfra.exitcodes import ExitCode


def destroy(
    context: typer.Context,
    stacks: options.Stacks = None,
    every: options.Every = False,
    tag: options.Tags = None,
    yes: options.Yes = False,
    skip_preview: options.SkipPreview = False,
    remove: Annotated[
        bool, typer.Option("--remove", help="Then remove the stack itself and its configuration file.")
    ] = False,
    diff: options.Diff = False,
    verbose: options.Verbose = False,
    as_json: options.Json = False,
    target: options.Targets = None,
    refresh: options.Refresh = False,
    parallel: options.Parallel = None,
    message: options.Message = None,
    at_once: options.AtOnce = None,
    break_lock: options.BreakLock = False,
    stand_in: options.StandIn = False,
    report_md: ReportMarkdown = None,
    report_json: ReportJson = None,
    report_html: ReportHtml = None,
    events: EventsFile = None,
    kubernetes_events: KubernetesEventsWanted = False,
) -> None:
    """Delete everything that a stack holds. Its configuration and its history stay, unless --remove is given.

    Examples:

      dittoinfra destroy test-42               show what goes, ask, and delete it
      dittoinfra destroy 'test-*' -y --remove  end every test stack for good
    """
    if remove and target:
        raise CommandError(
            "--remove ends the whole stack: it cannot go with --target", ExitCode.CONFIGURATION
        )
    flags = Flags(
        tuple(stacks or ()),
        every,
        tuple(tag or ()),
        at_once,
        yes,
        skip_preview,
        verbose,
        as_json,
        stand_in,
        traces=Traces(report_md, report_json, report_html, events, kubernetes_events),
    )
    ask = must_approve(flags, "destroy")
    from dittoinfra.automation import RunOptions
    from dittoinfra.fleet import Operation, Orders

    orders = Orders(
        Operation.DESTROY,
        RunOptions(
            targets=tuple(target or ()), parallel=parallel, refresh=refresh, diff=diff, message=message
        ),
        skip_preview=skip_preview,
        remove=remove,
        break_lock=break_lock,
    )
    operate_on_stacks(context, flags, orders, ask=ask)
