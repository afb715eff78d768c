"""One stack's way through an operation: foresee what it would do, then do it."""

import time
from collections.abc import Callable
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING

from pulumi.automation import EngineEvent

from dittoinfra import program
from dittoinfra.automation import (
    CliFailedError,
    Diagnostic,
    Processes,
    Project,
    ProjectStack,
    RunReport,
)
from dittoinfra.exitcodes import ExitCode
from dittoinfra.fleet.orders import Orders
from dittoinfra.fleet.overheard import OverheardInquiry
from dittoinfra.fleet.plans import differences, hold_against, planned_changes, stack_plan
from dittoinfra.fleet.readiness import make_ready
from dittoinfra.fleet.result import Operation, StackResult
from dittoinfra.fleet.watching import Phase, Watcher

if TYPE_CHECKING:
    from dittoinfra.model import Missing, Unanswered

Listening = Callable[[str], Callable[[EngineEvent], None]]
"""Gives a listener for the runs of a stack, by its name."""


@dataclass
class StackWork:
    """What is done to one stack. Its methods are called in one thread at a time."""

    project: Project
    name: str
    orders: Orders
    watcher: Watcher
    processes: Processes
    listening: Listening | None = None
    _printed: list[str] = field(default_factory=list, init=False)
    _total: int | None = field(default=None, init=False)
    _foreseen: StackResult | None = field(default=None, init=False)
    _plan: "program.StackPlan | None" = field(default=None, init=False)
    _overheard: OverheardInquiry | None = field(default=None, init=False)
    _ready: bool = field(default=False, init=False)
    _recovered: tuple[Diagnostic, ...] = field(default=(), init=False)
    """What was found of an earlier run that was interrupted."""
    _seconds: float = field(default=0.0, init=False)
    """Time of work, not of waiting for other stacks or for a person."""

    def foresee(self) -> StackResult:
        """What the operation would do."""
        self.watcher.began(self.name, Phase.PREVIEWING)
        report = self._told_by_cli(self._foresee)
        plan = replace(self._plan, changes=planned_changes(report)) if self._plan and report.ok else None
        self._total = report.changes.total
        self._foreseen = self._result(report, plan)
        self.watcher.foreseen(self._foreseen)
        return self._foreseen

    def carry_out(self) -> StackResult:
        """Do it, as foreseen; where it was not foreseen to its end, that is the result."""
        foreseen = self._foreseen
        if foreseen is None or foreseen.report.ok:
            self._printed.clear()
            report = self._told_by_cli(self._carry_out)
        else:
            report = foreseen.report
        result = self._result(report)
        self.watcher.ended(result)
        return result

    def _foresee(self) -> RunReport:
        orders = self.orders
        match orders.operation:
            case Operation.PREVIEW | Operation.UP:
                return self._preview()
            case Operation.REFRESH:
                return self._stack().preview_refresh(orders.options)
            case Operation.DESTROY:
                return self._stack().preview_destroy(orders.options)

    def _carry_out(self) -> RunReport:
        orders = self.orders
        match orders.operation:
            case Operation.PREVIEW:
                raise AssertionError("a preview is all there is to do")
            case Operation.UP:
                return self._up()
            case Operation.REFRESH:
                self.watcher.began(self.name, Phase.REFRESHING)
                return self._stack().refresh(orders.options)
            case Operation.DESTROY:
                return self._destroy()

    def _preview(self) -> RunReport:
        planned = self._planned()
        inquiry = program.RecordedInquiry(planned.answers) if planned else None
        report = self._stack(inquiry, self._on_decided(planned)).preview(self.orders.options)
        if planned is None or not report.ok:
            return report
        found = differences(planned, report)
        if not found:
            return report
        refused = program.PlanOutdated(found)
        return self._failing(report, refused.exit_code, str(refused))

    def _up(self) -> RunReport:
        self.watcher.began(self.name, Phase.UPDATING)
        report = self._update(self._foreseen.report.decided if self._foreseen else None)
        if not report.ok or not self.orders.wait or report.decided is None:
            return report
        return self._served(report, report.decided)

    def _update(self, foreseen: "program.RunRecord | None") -> RunReport:
        # What was foreseen is what is done: nobody is asked twice, and nobody can answer differently.
        inquiry = program.RecordedInquiry(foreseen.answers) if foreseen else None
        return self._settled(self._stack(inquiry, self._on_decided(self._planned())))

    def _settled(self, stack: ProjectStack) -> RunReport:
        return stack.settle(stack.up(self.orders.options), self.orders.options)

    def _served(self, report: RunReport, record: "program.RunRecord") -> RunReport:
        """The same run, once the servers that it has deployed answer and their adapters are declared too."""
        from dittoinfra.fleet.awaiting import await_answers, just_deployed, with_answers
        from dittoinfra.model import Answered

        live = program.LiveInquiry(self.project.root, self.project.environment)
        asked = self._overheard.asked if self._overheard else None
        servers = just_deployed(asked, record.decision, live) if asked else ()
        if asked is None or not servers:
            return report
        if self.orders.plan is not None:
            # What was planned is all that is done; their adapters were not known then.
            names = ", ".join(server.name for server in servers)
            line = f"{names}: deployed as planned; run `dittoinfra up {self.name}` to declare its adapters"
            return self._saying(report, "info", line)
        self.watcher.began(self.name, Phase.WAITING)
        heard = await_answers(
            asked, servers, live, self.orders.wait, self.processes, lambda line: self._say("info", line)
        )
        if self.processes.interrupted:
            return self._failing(
                report, ExitCode.CANCELLED, "cancelled while waiting; the update itself is done"
            )
        for server in servers:
            said = heard[server.name]
            if not isinstance(said, Answered):
                report = self._saying(report, "warning", self._unserved(server.name, said))
        if not any(isinstance(said, Answered) for said in heard.values()):
            return report
        self.watcher.began(self.name, Phase.UPDATING)
        self._total = None
        answers = with_answers(record.answers, heard)
        return report.followed_by(self._settled(self._stack(program.RecordedInquiry(answers))))

    def _unserved(self, server: str, said: "Unanswered | Missing") -> str:
        from dittoinfra.model import Denied

        why = f"{type(said).__name__.lower()}: {said.why}"
        if isinstance(said, Denied):
            return (
                f"{server}: deployed, but it refused us ({why}); "
                f"when it lets us in, `dittoinfra up {self.name}` declares its adapters"
            )
        return (
            f"{server}: deployed, but gave no answer within {self.orders.wait:g} s ({why}); "
            f"when it runs, `dittoinfra up {self.name}` declares its adapters"
        )

    def _destroy(self) -> RunReport:
        self.watcher.began(self.name, Phase.DESTROYING)
        stack = self._stack()
        report = stack.destroy(self.orders.options)
        if not report.ok or not self.orders.remove:
            return report
        try:
            stack.remove()
        except CliFailedError as error:
            # What was deleted is deleted all the same, and has to be told.
            return self._failing(report, self._exit_code(error), str(error))
        return report

    def _stack(
        self,
        inquiry: "program.Inquiry | None" = None,
        on_decided: "Callable[[program.RunRecord], None] | None" = None,
    ) -> ProjectStack:
        stack = self.project.stack(self.name)
        stack.create = self._creates
        stack.on_output = self._printed.append
        stack.on_diagnostic = lambda message: self.watcher.said(self.name, message)
        done: set[str] = set()
        hear = self.listening(self.name) if self.listening else None

        def on_event(event: EngineEvent) -> None:
            if hear is not None:
                hear(event)
            finished = event.res_outputs_event
            if finished is not None and not finished.metadata.type.startswith("pulumi:providers:"):
                # A component ends twice: when it is made, and when its outputs are there.
                done.add(finished.metadata.urn)
                self.watcher.progressed(self.name, len(done), self._total)

        stack.on_event = on_event
        stack.on_decided = on_decided
        stack.inquiry = inquiry
        stack.overhear = self._overhear
        return stack

    def _overhear(self, inquiry: "program.Inquiry") -> "program.Inquiry":
        self._overheard = OverheardInquiry(inquiry, self.processes)
        return self._overheard

    def _planned(self) -> "program.StackPlan | None":
        return self.orders.plan.stacks[self.name] if self.orders.plan else None

    def _on_decided(
        self, planned: "program.StackPlan | None"
    ) -> "Callable[[program.RunRecord], None] | None":
        plan = self.orders.plan
        if plan is not None and planned is not None:
            return lambda record: hold_against(planned, plan.salt, record)
        return self._make_plan if self.orders.salt else None

    def _make_plan(self, record: "program.RunRecord") -> None:
        self._plan = stack_plan(record, self.orders.salt)

    def _say(self, severity: str, line: str) -> None:
        self.watcher.said(self.name, Diagnostic(severity, line))

    def _saying(self, report: RunReport, severity: str, line: str) -> RunReport:
        self._say(severity, line)
        return report.saying(Diagnostic(severity, line))

    def _failing(self, report: RunReport, exit_code: int, why: str) -> RunReport:
        return replace(self._saying(report, "error", why), exit_code=exit_code)

    @property
    def _creates(self) -> bool:
        """Whether a stack that the backend does not know yet is created."""
        return self.orders.operation in (Operation.PREVIEW, Operation.UP)

    def _exit_code(self, error: CliFailedError) -> int:
        return ExitCode.CANCELLED if self.processes.interrupted else error.exit_code

    def _told_by_cli(self, operate: Callable[[], RunReport]) -> RunReport:
        began = time.monotonic()
        try:
            if not self._ready:
                self._ready = True
                ready = make_ready(self._stack(), self.orders)
                self._recovered = ready.diagnostics
                if not ready.ok:
                    return ready
            return operate()
        except CliFailedError as error:
            self._say("error", str(error))
            return RunReport.failed(str(error), self._exit_code(error))
        finally:
            self._seconds += time.monotonic() - began

    def _result(self, report: RunReport, plan: "program.StackPlan | None" = None) -> StackResult:
        printed = tuple(self._printed)
        new = (said for said in report.diagnostics if said not in self._recovered)
        report = replace(report, diagnostics=(*self._recovered, *new))
        return StackResult(self.name, self.orders.operation, report, self._seconds, printed, plan)
