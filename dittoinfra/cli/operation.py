"""One operation on stacks of a project: from the plan and the stacks to the summary and the exit code."""

import sys
from collections.abc import Iterator, Sequence
from contextlib import ExitStack, contextmanager
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

import typer
from rich.prompt import Prompt
from typing_extensions import override

from dittoinfra.changes import count_text
from dittoinfra.cli.command_errors import CommandError, UsageError, reports_written
from dittoinfra.cli.console import console, moves, quiet_sdk, say, spinner
from dittoinfra.cli.interrupts import Cancelled, forwarded_to, handled_by, raise_cancelled
from dittoinfra.cli.operation_progress import progress_of
from dittoinfra.cli.options import Query
from dittoinfra.cli.query import exit_with
from dittoinfra.cli.stack_lookup import current_project, selected_stacks
from dittoinfra.cli.summary import (
    Ending,
    ending,
    errors_of,
    show_changes,
    show_printed,
    show_summary,
)
from dittoinfra.exitcodes import ExitCode
from dittoinfra.request import Operation, Outputs, Request, Selection
from dittoinfra.stacks.cli_process import CliFailedError, InterruptibleCommand, Processes
from dittoinfra.stacks.operations import operate
from dittoinfra.stacks.project import Project
from dittoinfra.stacks.result import FleetResult

if TYPE_CHECKING:  # an import here would delay the start of the CLI
    from dittoinfra.kubernetes import Cluster
    from dittoinfra.program.plan import Plan
    from dittoinfra.reports.events import EventWriter, Sink
    from dittoinfra.reports.result_model import Report
    from dittoinfra.reports.verify_document import Verification

_VERBS = {
    Operation.UP: "Update",
    Operation.REFRESH: "Refresh the state of",
    Operation.DESTROY: "Destroy everything in",
}


def run_operation(context: typer.Context, request: Request, *, ask: bool) -> None:
    """Run it, show it, and leave with the fitting exit code."""
    plan = _read_plan(request.plan_file) if request.plan_file is not None else None
    project = current_project(context)
    if plan is not None:
        request = _as_planned(request, plan, project)
    with spinner("finding the stacks ..."):
        stacks = selected_stacks(project, request.selection, creates=request.operation.creates)
    request = replace(request, options=replace(request.options, colour=moves(stderr=True)))
    quiet_sdk()
    told: list[tuple[str, str]] = []
    result = _run(project, stacks, request, told, ask=ask)
    if result is None:
        raise CommandError("declined: nothing was changed", ExitCode.CANCELLED)
    outputs = request.outputs
    report = _report(outputs, result, project)
    if not (outputs.as_json or outputs.only_events_on_stdout):
        _show(request, result, told, asked=ask)
    verified = None
    try:
        if request.verify and not result.exit_code:
            verified = _verified(context, request, stacks)
            report = report.verified(verified) if report is not None else None
    finally:
        # Verification may take minutes: the report of the run is there even if that is interrupted.
        if report is not None and outputs.as_json:
            sys.stdout.write(report.model_dump_json(indent=2) + "\n")
        if report is not None:
            _write_reports(outputs, report)
    if request.outputs.plan is not None:
        _save_plan(project, request.outputs.plan, request, result)
    if verified is not None:
        exit_with(verified.failures, verified.exit_code)
    raise typer.Exit(result.exit_code)


def _verified(context: typer.Context, request: Request, stacks: tuple[str, ...]) -> "Verification":
    """Whether clients reach what was brought up; printed unless documents are."""
    from dittoinfra.cli.verify import show_verification, verification

    query = Query(Selection(stacks), request.outputs.as_json, request.at_once)
    found = verification(context, query, wait=request.wait)
    if not request.outputs.as_json:
        show_verification(found)
    return found


def _run(
    project: Project, stacks: tuple[str, ...], request: Request, told: list[tuple[str, str]], *, ask: bool
) -> FleetResult | None:
    """The result; None where the user has declined. Errors that were shown are added to `told`."""
    processes = Processes()
    project = replace(project, command=InterruptibleCommand(project.command, processes))
    errors = request.outputs.as_json or request.outputs.only_events_on_stdout
    progress = progress_of(stacks, request.operation, errors=errors)
    with ExitStack() as life:
        life.enter_context(forwarded_to(processes, lambda line: progress.note(line)))
        events = None
        if request.outputs.events is not None or request.outputs.kubernetes_events:
            previews = request.operation is Operation.PREVIEW
            events = life.enter_context(writing_events(project, request.outputs, previews=previews))

        def run(stacks: tuple[str, ...], request: Request) -> FleetResult | None:
            def approve(previewed: FleetResult) -> bool:
                progress.pause()
                return _approved(previewed, request.operation, told)

            with progress:
                return operate(
                    project,
                    stacks,
                    request,
                    watcher=progress,
                    processes=processes,
                    approve=approve if ask else None,
                    listening=events.listen if events is not None else None,
                )

        result = run(stacks, request)
        locked = result.with_stale_lock if result is not None else ()
        if not ask or result is None or not locked or not _may_release(locked):
            return result
        progress = progress_of(locked, request.operation, errors=errors)
        again = run(locked, replace(request, break_lock=True))
        return result.followed_by(again) if again is not None else None


def _read_plan(path: Path) -> "Plan":
    from dittoinfra.program.plan_file import PlanUnreadableError, read_plan

    try:
        return read_plan(path)
    except PlanUnreadableError as error:
        raise UsageError(str(error)) from None


def _as_planned(request: Request, plan: "Plan", project: Project) -> Request:
    """The request, with the stacks and the targets that the plan is for."""
    from dittoinfra.stacks.plans import PlanRefusedError, check_plan

    try:
        check_plan(plan, project.name)
    except PlanRefusedError as error:
        raise CommandError(str(error), ExitCode.POLICY) from None
    named = request.selection.patterns
    others = [name for name in named if name not in plan.stacks]
    if others:
        raise CommandError(
            f"{request.plan_file} has no plan for {', '.join(others)}; it is for {', '.join(plan.stacks)}",
            ExitCode.POLICY,
        )
    return replace(
        request,
        plan=plan,
        selection=replace(request.selection, patterns=named or tuple(plan.stacks)),
        options=replace(request.options, targets=plan.targets),
    )


def _approved(previewed: FleetResult, operation: Operation, told: list[tuple[str, str]]) -> bool:
    """Show what would change in all stacks, and ask once; `details` shows what the engine printed."""
    screen = console(stderr=True)
    good = [result for result in previewed.results if result.report.ok]
    if not good:
        # Nothing can be done, and the summary says why: there is nothing to ask.
        return True
    show_changes(screen, good, previewed=True)
    show_summary(screen, previewed, previewed=True)
    told += errors_of(previewed)
    names = good[0].stack if len(good) == 1 else count_text(len(good), "stack")
    while True:
        answer = _answer(f"\n{_VERBS[operation]} {names}?", ["yes", "no", "details"])
        if answer != "details":
            return answer == "yes"
        show_printed(screen, good)


def _may_release(locked: Sequence[str]) -> bool:
    """Whether locks are released whose holders have ended: it is never done unasked."""
    question = f"\nThe run that locked {', '.join(locked)} has ended. Release the lock?"
    return _answer(question, ["yes", "no"]) == "yes"


class _Choice(Prompt):
    """A question that takes each choice in any case, and its first letter; anything else is asked again."""

    @override
    def process_response(self, value: str) -> str:
        typed = value.strip().lower()
        known = {written: choice for choice in self.choices or () for written in (choice, choice[0])}
        return super().process_response(known.get(typed, value))


def _answer(question: str, choices: list[str]) -> str:
    screen = console(stderr=True)
    try:
        with handled_by(raise_cancelled):
            return _Choice.ask(question, console=screen, choices=choices, default="no")
    except (EOFError, Cancelled):
        screen.print()
        return "no"


def _show(request: Request, result: FleetResult, told: Sequence[tuple[str, str]], *, asked: bool) -> None:
    screen = console()
    previewed = request.operation is Operation.PREVIEW
    if request.outputs.verbose or request.options.diff:
        show_printed(screen, result.results)
    elif previewed or not asked:
        show_changes(screen, result.results, previewed=previewed)
    show_summary(screen, result, previewed=previewed, told=told)
    changed = [each.stack for each in result.results if ending(each, previewed=True) is Ending.PREVIEWED]
    if previewed and changed and request.outputs.plan is None:
        say(f"run `dittoinfra up {' '.join(changed)}` to apply this")


def _report(outputs: Outputs, result: FleetResult, project: Project) -> "Report | None":
    """The report, where it is printed or written."""
    if not (outputs.as_json or outputs.report_md or outputs.report_json or outputs.report_html):
        return None
    from dittoinfra.reports.report_formats import report_of

    return report_of(result, project.root, project.environment)


def _write_reports(outputs: Outputs, report: "Report") -> None:
    """Write the reports, of a failed run too."""
    from dittoinfra.reports.report_formats import write_reports

    with reports_written(report.exit_code):
        write_reports(report, outputs.report_md, outputs.report_json, outputs.report_html)


def _save_plan(project: Project, path: Path, request: Request, result: FleetResult) -> None:
    from dittoinfra.program.plan_file import write_plan
    from dittoinfra.stacks.plans import make_plan

    plan = make_plan(project.name, request.options, result.results)
    missing = [each.stack for each in result.results if each.stack not in plan.stacks]
    if not plan.stacks:
        say(f"no plan is written to {path}: no preview came to its end")
        return
    try:
        write_plan(plan, path)
    except OSError as error:
        raise CommandError(f"the plan cannot be written to {path}: {error.strerror}") from None
    without = f", without {', '.join(missing)}" if missing else ""
    then = f"run `dittoinfra up --plan {path}` to apply this"
    say(f"plan for {', '.join(plan.stacks)} written to {path}{without}; {then}")


@contextmanager
def writing_events(project: Project, outputs: Outputs, *, previews: bool = False) -> "Iterator[EventWriter]":
    """Writes the events that were asked for; `listen(stack)` of it goes into `on_event`."""
    from dittoinfra.reports.events import EventWriter, JsonLines, KubernetesEvents

    def warn(line: str) -> None:
        say(f"warning: {line}")

    with ExitStack() as opened:
        sinks: list[Sink] = []
        if outputs.only_events_on_stdout:
            sinks.append(JsonLines(sys.stdout, warn))
        elif outputs.events is not None:
            try:
                stream = opened.enter_context(Path(outputs.events).open("a", encoding="utf-8"))
            except OSError as error:
                raise UsageError(
                    f"--events {outputs.events}: {error.strerror}; name a file that can be written"
                ) from None
            sinks.append(JsonLines(stream, warn))
        if outputs.kubernetes_events:
            kubernetes = KubernetesEvents(lambda stack: _cluster(project, stack), warn)
            opened.callback(kubernetes.close)
            sinks.append(kubernetes)
        yield EventWriter(*sinks, previews=previews)


def _cluster(project: Project, stack: str) -> "Cluster | None":
    from dittoinfra.kubernetes import ClusterError
    from dittoinfra.program.provider_cluster import ProviderCluster

    try:
        return ProviderCluster.of(project.stack(stack).configuration(), project.environment)
    except CliFailedError as error:
        raise ClusterError(str(error)) from None
