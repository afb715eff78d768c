"""An operation on stacks, a few at a time and independent of each other: preview each, then run it."""

import time
from collections.abc import Callable, Iterable, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any

from pulumi.automation import EngineEvent

from dittoinfra.changes import Change
from dittoinfra.exitcodes import ExitCode
from dittoinfra.naming import adapter_resource
from dittoinfra.request import Operation, Request, RunOptions, at_once_here
from dittoinfra.stacks.cli_errors import CliFailure
from dittoinfra.stacks.cli_process import CliFailedError, Processes, cli_failure, results
from dittoinfra.stacks.engine_events import is_declared
from dittoinfra.stacks.project import Project
from dittoinfra.stacks.project_stack import OnEvent, ProjectStack, Why
from dittoinfra.stacks.recovery import recover, settle, warn_of_pending
from dittoinfra.stacks.result import Diagnostic, FleetResult, Phase, ProgressListener, RunReport, StackResult
from dittoinfra.stacks.stack_survey import held_resources
from dittoinfra.stacks.update_message import NotedChange, previewed_changes, update_message
from dittoinfra.visible import internal_error

if TYPE_CHECKING:  # an import here would delay the start of the CLI
    from dittoinfra.decide.observations import Fingerprints
    from dittoinfra.model import Missing, Unanswered
    from dittoinfra.program.plan import StackPlan
    from dittoinfra.program.run_errors import RunStopped
    from dittoinfra.program.survey import RunRecord


ListenerFactory = Callable[[str], OnEvent]
"""Returns a listener for the runs of a stack, by its name."""


@dataclass
class StackOperation:
    """The operation on one stack. Its methods are called in one thread at a time."""

    project: Project
    name: str
    request: Request
    watcher: ProgressListener
    processes: Processes
    listening: ListenerFactory | None = None
    _printed: list[str] = field(default_factory=list, init=False)
    _total: int | None = field(default=None, init=False)
    _previewed: StackResult | None = field(default=None, init=False)
    _ready: bool = field(default=False, init=False)
    _recovered: tuple[Diagnostic, ...] = field(default=(), init=False)
    """What was found of an earlier run that was interrupted."""
    _shown: "Fingerprints | None" = field(default=None, init=False)
    """What the stack held when the preview of its end was made."""
    _options: RunOptions = field(init=False)
    """Those of the request, with a refresh where the cluster differs from the state."""
    _seconds: float = field(default=0.0, init=False)
    """Time spent working, not waiting for other stacks or for the user."""

    def __post_init__(self) -> None:
        self._options = self.request.options

    def preview(self) -> StackResult:
        """What the operation would do."""
        self.watcher.began(self.name, Phase.PREVIEWING)
        report = self._timed(self._preview)
        self._total = report.changes.total
        self._previewed = self._result(report, self._plan_of(report))
        self.watcher.previewed(self._previewed)
        return self._previewed

    def run(self) -> StackResult:
        """Run the operation as previewed; where the preview did not complete, return the preview's result."""
        if self._previewed is None or self._previewed.report.ok:
            self._printed.clear()
            report = self._timed(self._run)
        else:
            report = self._previewed.report
        result = self._result(report)
        self.watcher.ended(result)
        return result

    def preview_and_run(self) -> StackResult:
        """Both, one after the other."""
        self.preview()
        return self.run()

    def _preview(self) -> RunReport:
        match self.request.operation:
            case Operation.REFRESH:
                return self._stack().preview_refresh(self._options)
            case Operation.DESTROY:
                stack = self._stack()
                deployment = stack.export()
                self._shown = held_resources(deployment)
                return stack.preview_destroy(self._options, deployment=deployment)
        planned = self._planned()
        if planned is not None:
            return self._preview_plan(planned)
        return self._refreshed_if_needed(lambda stack, **how: stack.preview(self._options, **how))

    def _run(self) -> RunReport:
        if self._previewed is not None:
            self._note(previewed_changes(self.request.operation, self._previewed.report))
        match self.request.operation:
            case Operation.PREVIEW:
                raise AssertionError("a preview is all there is to do")
            case Operation.UP:
                self.watcher.began(self.name, Phase.UPDATING)
                return self._up()
            case Operation.REFRESH:
                self.watcher.began(self.name, Phase.REFRESHING)
                return self._stack().refresh(self._options)
            case Operation.DESTROY:
                self.watcher.began(self.name, Phase.DESTROYING)
                return self._destroy()

    def _refreshed_if_needed(self, run: Callable[..., RunReport]) -> RunReport:
        """A run; where objects were deleted or edited in the cluster, the same run with a refresh.

        Without a refresh the engine would fail to update a deleted object, and would not notice an edit.
        """
        if self._options.refresh:
            return run(self._stack())
        # A run that stops for a refresh is no error for the user, so errors wait until that is known.
        first = self._stack()
        errors: list[Diagnostic] = []
        first.on_diagnostic = lambda message: (
            errors.append(message) if message.severity == "error" else self.watcher.said(self.name, message)
        )
        report = run(first, stops_at_changes=True)
        if not report.cluster_changed or report.decided is None:
            for message in errors:
                self.watcher.said(self.name, message)
            return report
        self._options = replace(self._options, refresh=True)
        self._printed.clear()
        # Servers are not polled again: an answer counts once.
        return run(self._stack(), given=report.decided.answers)

    def _preview_plan(self, planned: "StackPlan") -> RunReport:
        """The preview of a plan, where the state, the configuration and the servers are still the same."""
        from dittoinfra.program.plan import news
        from dittoinfra.program.run_errors import PlanOutdated, RunStopped
        from dittoinfra.stacks.plans import differences, outdated
        from dittoinfra.stacks.stack_survey import survey_stack

        try:
            today = survey_stack(self._stack())
        except RunStopped as stopped:
            return self._stopped(stopped)
        # The configuration, the state, or the servers may have changed since the plan was made.
        if found := outdated(planned, today):
            return self._stopped(PlanOutdated(found, saved=True))
        report = self._stack().preview(self.request.options, planned.answers)
        if not report.ok or report.decided is None:
            return report
        if found := differences(planned, report):
            refused = PlanOutdated(found, saved=True)
            return self._with_error(report, refused.exit_code, str(refused))
        for line in news(report.decided.decision.adapters, today.decision.adapters):
            report = self._with_message(report, "info", line)
        return report

    def _stopped(self, stopped: "RunStopped") -> RunReport:
        """The report of a run that stopped before it needed an engine."""
        report = RunReport.stopped(stopped)
        for message in report.diagnostics:
            self.watcher.said(self.name, message)
        return report

    def _up(self) -> RunReport:
        # The update does what the preview showed: servers are not polled again, so their answers cannot
        # differ.
        before = self._planned() or (self._previewed and self._previewed.report.decided)
        if before:
            report = self._settled(self._stack(), given=before.answers)
        else:
            report = self._refreshed_if_needed(self._settled)
        if not report.ok or not self.request.wait or report.decided is None:
            return report
        return self._served(report, report.decided)

    def _note(self, changes: Iterable[NotedChange]) -> None:
        """Let the backend's history say why the next operation of the engine changes these."""
        title = f"dittoinfra {self.request.operation}"
        message = update_message(title, changes, self.request.options.message)
        self._options = replace(self._options, message=message)

    def _settled(self, stack: ProjectStack, **how: Any) -> RunReport:  # noqa: ANN401 - those of `up`
        return settle(stack, stack.up(self._options, **how), self._options)

    def _served(self, report: RunReport, first: "RunRecord") -> RunReport:
        """Wait for the servers that a run has deployed, and run again to declare their adapters too."""
        from dittoinfra.model import Answered
        from dittoinfra.stacks.server_access import await_answers, just_deployed, second_run_answers

        environ = self.project.environment
        servers = just_deployed(first, environ)
        if not servers:
            return report
        if self.request.plan is not None:
            # Only what was planned is done; the adapters of new servers were not known then.
            names = ", ".join(server.name for server in servers)
            line = f"{names}: deployed as planned; run `dittoinfra up {self.name}` to declare its adapters"
            return self._with_message(report, "info", line)
        self.watcher.began(self.name, Phase.WAITING)
        outcomes = await_answers(
            first, servers, environ, self.request.wait, self.processes, lambda line: self._say("info", line)
        )
        if self.processes.interrupted:
            why = "cancelled while waiting; the update itself is done"
            return self._with_error(report, ExitCode.CANCELLED, why)
        for server in servers:
            outcome = outcomes[server.name]
            if not isinstance(outcome, Answered):
                report = self._with_message(report, "warning", self._without_answer(server.name, outcome))
        if not any(isinstance(outcome, Answered) for outcome in outcomes.values()):
            return report
        self.watcher.began(self.name, Phase.UPDATING)
        self._total = None
        self._note(
            NotedChange(
                Change.CREATE, f"Service {adapter_resource(name, this.type)}", "served since its deployment"
            )
            for name, outcome in outcomes.items()
            if isinstance(outcome, Answered)
            for this in outcome.adapters
            if this.enabled and this.running
        )
        second = second_run_answers(first, outcomes, targeted=bool(self._options.targets))
        return report.followed_by(self._settled(self._stack(), given=second))

    def _without_answer(self, server: str, outcome: "Unanswered | Missing") -> str:
        from dittoinfra.model import Denied

        if isinstance(outcome, Denied):
            state, when = f"it refused the login ({outcome})", "when its login is accepted"
        else:
            state, when = f"gave no answer within {self.request.wait:g} s ({outcome})", "when it runs"
        return f"{server}: deployed, but {state}; {when}, `dittoinfra up {self.name}` declares its adapters"

    def _destroy(self) -> RunReport:
        stack, deployment = self._stack(), None
        if self._shown is not None:
            from dittoinfra.program.answer_fingerprints import differences
            from dittoinfra.program.run_errors import PlanOutdated

            # Another run may have created something since: it would be deleted without having been shown.
            deployment = stack.export()
            if new := differences(self._shown, held_resources(deployment)):
                return self._stopped(PlanOutdated(new, saved=False))
        report = stack.destroy(self._options, deployment=deployment)
        if not report.ok or not self.request.remove:
            return report
        try:
            stack.remove()
        except CliFailedError as error:
            # Deletions have happened all the same, and must be reported.
            failure = self._failure(error)
            return self._with_error(report, failure.exit_code, failure.line)
        return report

    def _stack(self) -> ProjectStack:
        stack = ProjectStack.of(self.project.stack(self.name, create=self.request.operation.creates))
        stack.on_output = self._printed.append
        stack.on_diagnostic = lambda message: self.watcher.said(self.name, message)
        done: set[str] = set()
        listen = self.listening(self.name) if self.listening else None

        def on_event(event: EngineEvent, why: Why) -> None:
            if listen is not None:
                listen(event, why)
            finished = event.res_outputs_event
            if finished is not None and is_declared(finished.metadata):
                # A component ends twice: when it is created, and when its outputs are registered.
                done.add(finished.metadata.urn)
                self.watcher.progressed(self.name, len(done), self._total)

        stack.on_event = on_event
        return stack

    def _planned(self) -> "StackPlan | None":
        return self.request.plan.stacks[self.name] if self.request.plan else None

    def _plan_of(self, report: RunReport) -> "StackPlan | None":
        """What a preview would change, where a plan was requested and the preview completed."""
        if self.request.outputs.plan is None or not report.ok or report.decided is None:
            return None
        from dittoinfra.stacks.plans import stack_plan

        return stack_plan(report, report.decided)

    def _say(self, severity: str, line: str) -> None:
        self.watcher.said(self.name, Diagnostic(severity, line))

    def _with_message(self, report: RunReport, severity: str, line: str) -> RunReport:
        self._say(severity, line)
        return report.saying(Diagnostic(severity, line))

    def _with_error(self, report: RunReport, exit_code: int, why: str) -> RunReport:
        return replace(self._with_message(report, "error", why), exit_code=exit_code)

    def _failure(self, error: CliFailedError) -> CliFailure:
        failure = cli_failure(self.name, error)
        return replace(failure, exit_code=ExitCode.CANCELLED) if self.processes.interrupted else failure

    def _timed(self, operate: Callable[[], RunReport]) -> RunReport:
        """Run one phase, after making the stack ready before the first, and measure the time it takes."""
        began = time.monotonic()
        try:
            if not self._ready:
                self._ready = True
                ready = self._make_ready()
                self._recovered = ready.diagnostics
                if not ready.ok:
                    return ready
            return operate()
        except CliFailedError as error:
            failure = self._failure(error)
            self._say("error", failure.line)
            return RunReport.failed(failure.line, failure.exit_code, failure.lock)
        finally:
            self._seconds += time.monotonic() - began

    def _make_ready(self) -> RunReport:
        """Release the lock where that is requested, and recover what an interrupted run has left.

        Both come before the preview, which has to show what is done to the stack as it really is. An
        operation that is only a preview changes nothing, and only reports.
        """
        stack = self._stack()
        if self.request.break_lock:
            try:
                stack.break_lock()
            except CliFailedError as error:
                # A stack that does not exist yet has no lock.
                if not stack.create or error.exit_code != ExitCode.NO_SUCH_STACK:
                    raise
        return warn_of_pending(stack) if self.request.operation is Operation.PREVIEW else recover(stack)

    def _result(self, report: RunReport, plan: "StackPlan | None" = None) -> StackResult:
        printed = tuple(self._printed)
        new = (said for said in report.diagnostics if said not in self._recovered)
        report = replace(report, diagnostics=(*self._recovered, *new))
        return StackResult(self.name, self.request.operation, report, self._seconds, printed, plan)


Approve = Callable[[FleetResult], bool]
"""Called once, with the previews of all stacks."""


def operate(
    project: Project,
    stacks: Sequence[str],
    request: Request,
    *,
    watcher: ProgressListener,
    processes: Processes,
    approve: Approve | None = None,
    listening: ListenerFactory | None = None,
) -> FleetResult | None:
    """Run the operation on every stack; a failure does not stop other stacks. None where it was not approved.

    `stacks` are those that the request selects. With `approve` all of them are previewed first, and nothing
    is done unless it returns true. Without it every stack goes from preview to end by itself. `listening`
    receives all events of the engine.
    """
    operations = [StackOperation(project, name, request, watcher, processes, listening) for name in stacks]
    with ThreadPoolExecutor(request.at_once or at_once_here(), "stack") as pool:

        def each(step: Callable[[StackOperation], StackResult]) -> FleetResult:
            return FleetResult(tuple(results([pool.submit(_guarded, step, this) for this in operations])))

        if request.operation is Operation.PREVIEW:
            return each(StackOperation.preview)
        if request.skip_preview:
            return each(StackOperation.run)
        if approve is None:
            return each(StackOperation.preview_and_run)
        previews = each(StackOperation.preview)
        if not processes.interrupted and not approve(previews):
            return None
        return each(StackOperation.run)


def _guarded(step: Callable[[StackOperation], StackResult], this: StackOperation) -> StackResult:
    """A bug in dittoinfra that hits one stack must not stop the others."""
    try:
        return step(this)
    except Exception as error:  # noqa: BLE001 - see the docstring
        report = RunReport.failed(internal_error(error), 1)
        result = StackResult(this.name, this.request.operation, report, 0.0)
        this.watcher.ended(result)
        return result
