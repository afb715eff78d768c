"""`dittoinfra preview`: what `up` would do."""

import typer

from dittoinfra.cli import options
from dittoinfra.cli.errors import CommandError
from dittoinfra.cli.events import EventsFile
from dittoinfra.cli.operate import Flags, operate_on_stacks
from dittoinfra.cli.reports import ReportHtml, ReportJson, ReportMarkdown
from dittoinfra.cli.traces import Traces


def preview(
    context: typer.Context,
    stacks: options.Stacks = None,
    every: options.Every = False,
    tag: options.Tags = None,
    save: options.Save = None,
    diff: options.Diff = False,
    verbose: options.Verbose = False,
    as_json: options.Json = False,
    target: options.Targets = None,
    expect_no_changes: options.ExpectNoChanges = False,
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
) -> None:
    """Show what `up` would change, and why, without changing anything.

    Asks every server, decides, and lets the engine compare.
    Several stacks are previewed side by side.

    Examples:

      dittoinfra preview                            the selected stack
      dittoinfra preview 'prod-*' --diff            property by property
      dittoinfra preview --all --expect-no-changes  exit code 7 on changes
      dittoinfra preview prod --save prod.plan      to be applied with up --plan
      dittoinfra preview --all --report-md pr.md    for a pull request's comment
    """
    if save is not None and refresh:
        raise CommandError(
            "--save and --refresh contradict each other: a plan holds for the state as it is; "
            "run `dittoinfra refresh` first",
            2,
        )
    from dittoinfra.automation import RunOptions
    from dittoinfra.fleet import Operation, Orders
    from dittoinfra.fleet.plans import new_salt

    orders = Orders(
        Operation.PREVIEW,
        RunOptions(
            targets=tuple(target or ()),
            parallel=parallel,
            refresh=refresh,
            expect_no_changes=expect_no_changes,
            diff=diff,
            message=message,
        ),
        salt=new_salt() if save is not None else b"",
        break_lock=break_lock,
    )
    flags = Flags(
        tuple(stacks or ()),
        every,
        tuple(tag or ()),
        at_once,
        verbose=verbose,
        as_json=as_json,
        stand_in=stand_in,
        save=save,
        traces=Traces(report_md, report_json, report_html, events),
    )
    operate_on_stacks(context, flags, orders)
