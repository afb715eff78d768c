"""`dittoinfra up`: declare what the servers serve, and let the engine make it so."""

from typing import Annotated

import typer

from dittoinfra.cli import options
from dittoinfra.cli.durations import seconds_of
from dittoinfra.cli.errors import CommandError
from dittoinfra.cli.events import EventsFile, KubernetesEventsWanted
from dittoinfra.cli.operate import Flags, must_approve, operate_on_stacks
from dittoinfra.cli.reports import ReportHtml, ReportJson, ReportMarkdown
from dittoinfra.cli.traces import Traces
from dittoinfra.exitcodes import ExitCode


def up(
    context: typer.Context,
    stacks: options.Stacks = None,
    every: options.Every = False,
    tag: options.Tags = None,
    yes: options.Yes = False,
    skip_preview: options.SkipPreview = False,
    plan: options.PlanFile = None,
    wait: Annotated[
        str,
        typer.Option(
            metavar="TIME",
            help="How long to wait for servers that this run deploys, to declare their adapters as well. "
            "0 does not wait.",
        ),
    ] = "5m",
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
    kubernetes_events: KubernetesEventsWanted = False,
) -> None:
    """Preview, ask once, and update: one stack or many side by side.

    Every server is asked once: what the preview has shown is what is applied.
    On a new stack `up` waits until the servers it has deployed answer, and
    declares their adapters too. A stack that fails stops no other.

    Examples:

      dittoinfra up                        the selected stack
      dittoinfra up --all --yes            every stack, without a question
      dittoinfra up 'prod-*' --at-once 4   four at a time
      dittoinfra up --plan prod.plan -y    exactly what was previewed, or nothing
    """
    if plan is not None and (target or refresh):
        raise CommandError(
            "--plan says what is done: it cannot go with --target or --refresh", ExitCode.CONFIGURATION
        )
    if plan is not None and (every or tag):
        raise CommandError(
            "--plan says which stacks are meant: it cannot go with --all or --tag", ExitCode.CONFIGURATION
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
        plan=plan,
        traces=Traces(report_md, report_json, report_html, events, kubernetes_events),
    )
    wait_seconds = seconds_of(wait, "--wait")
    ask = must_approve(flags, "up")
    from dittoinfra.automation import RunOptions
    from dittoinfra.fleet import Operation, Orders

    orders = Orders(
        Operation.UP,
        RunOptions(
            targets=tuple(target or ()),
            parallel=parallel,
            refresh=refresh,
            expect_no_changes=expect_no_changes,
            diff=diff,
            message=message,
        ),
        skip_preview=skip_preview,
        wait=wait_seconds,
        break_lock=break_lock,
    )
    operate_on_stacks(context, flags, orders, ask=ask)
