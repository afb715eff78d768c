"""`dittoinfra refresh`: take over into the state what the cluster really holds."""

import typer

from dittoinfra.cli import options
from dittoinfra.cli.events import EventsFile, KubernetesEventsWanted
from dittoinfra.cli.operate import Flags, must_approve, operate_on_stacks
from dittoinfra.cli.reports import ReportHtml, ReportJson, ReportMarkdown
from dittoinfra.cli.traces import Traces


def refresh(
    context: typer.Context,
    stacks: options.Stacks = None,
    every: options.Every = False,
    tag: options.Tags = None,
    yes: options.Yes = False,
    skip_preview: options.SkipPreview = False,
    diff: options.Diff = False,
    verbose: options.Verbose = False,
    as_json: options.Json = False,
    target: options.Targets = None,
    expect_no_changes: options.ExpectNoChanges = False,
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
    """Take over into the state what the cluster really holds. Nothing in the cluster changes.

    Examples:

      dittoinfra refresh --all --yes           every stack
      dittoinfra refresh prod --diff           see what somebody edited, then decide
      dittoinfra refresh --expect-no-changes   exit code 7 where the cluster has drifted
    """
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
    ask = must_approve(flags, "refresh")
    from dittoinfra.automation import RunOptions
    from dittoinfra.fleet import Operation, Orders

    orders = Orders(
        Operation.REFRESH,
        RunOptions(
            targets=tuple(target or ()),
            parallel=parallel,
            expect_no_changes=expect_no_changes,
            diff=diff,
            message=message,
        ),
        skip_preview=skip_preview,
        break_lock=break_lock,
    )
    operate_on_stacks(context, flags, orders, ask=ask)
