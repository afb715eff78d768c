"""The commands that a life runs, in this process: as `watch`, CI and people do."""

from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path

from dittoinfra.program.plan import Plan
from dittoinfra.program.plan_file import read_plan, write_plan
from dittoinfra.request import Operation, Outputs, Request, RunOptions, Selection
from dittoinfra.stacks.cli_process import Processes
from dittoinfra.stacks.operations import operate
from dittoinfra.stacks.plans import make_plan
from dittoinfra.stacks.project import Project, SelectionError, select_stacks
from dittoinfra.stacks.recovery import recover, settle
from dittoinfra.stacks.result import NOTHING_DONE, Diagnostic, FleetResult, Phase, RunReport, StackResult
from tests.engine.world import STACK

WAIT = 60.0
"""Seconds for a server that was just deployed, and that answers at once."""


@dataclass
class Spectator:
    """Sees what a command shows, and acts when it pauses or waits."""

    on_wait: Callable[[], None] = lambda: None
    on_foreseen: Callable[[], None] = lambda: None
    shown: RunReport | None = field(default=None, init=False)
    trouble: BaseException | None = field(default=None, init=False)
    """What went wrong in here, where a command takes it for a bug of its own."""

    def began(self, stack: str, phase: Phase) -> None:
        """Servers that were just deployed come up while they are waited for."""
        if phase is Phase.WAITING:
            self.on_wait()

    def progressed(self, stack: str, done: int, total: int | None) -> None:
        """Of no interest."""

    def said(self, stack: str, message: Diagnostic) -> None:
        """Of no interest."""

    def foreseen(self, result: StackResult) -> None:
        """Between preview and update others may act."""
        self.shown = result.report
        try:
            self.on_foreseen()
        except BaseException as error:
            self.trouble = error
            raise

    def ended(self, result: StackResult) -> None:
        """Of no interest."""


@dataclass(frozen=True, slots=True)
class Commands:
    """Everything that is run on one stack."""

    project: Project

    def watch(self) -> RunReport:
        """An update without a preview."""
        stack = self.project.stack(STACK)
        ready = recover(stack)
        return settle(stack, stack.up()) if ready.ok else ready

    def refresh(self) -> RunReport:
        """What the cluster really has is taken over into the state."""
        return self.project.stack(STACK).refresh()

    def up(self, spectator: Spectator, *, asks: bool, plan: Plan | None = None) -> RunReport:
        """Preview and update; with `asks` a person stands in between, who says yes."""
        targets = RunOptions(targets=plan.targets) if plan else RunOptions()
        request = Request(Operation.UP, options=targets, wait=WAIT, plan=plan)
        approve = (lambda _: True) if asks else None
        return self._report(self._operate(request, spectator, approve), spectator)

    def up_all(self, spectator: Spectator) -> RunReport:
        """The same for every stack of the project, of which this is the only one."""
        try:
            chosen = select_stacks(self.project, Selection(every=True), creates=True).stacks
        except SelectionError:
            chosen = ()
        assert set(chosen) <= {STACK}
        return self.up(spectator, asks=False) if chosen else NOTHING_DONE

    def save(self, spectator: Spectator, file: Path) -> tuple[RunReport, Plan | None]:
        """A preview whose plan goes through a file; no plan where it was refused."""
        request = Request(Operation.PREVIEW, outputs=Outputs(plan=file))
        result = self._operate(request, spectator, None)
        report = self._report(result, spectator)
        assert result is not None
        plan = make_plan(self.project.name, request.options, result.results)
        if not plan.stacks:
            return report, None
        write_plan(plan, file)
        return report, read_plan(file)

    def _operate(
        self, request: Request, spectator: Spectator, approve: Callable[[FleetResult], bool] | None
    ) -> FleetResult | None:
        return operate(
            self.project,
            (STACK,),
            request,
            watcher=spectator,
            processes=Processes(),
            approve=approve,
        )

    def _report(self, result: FleetResult | None, spectator: Spectator) -> RunReport:
        if spectator.trouble is not None:
            raise spectator.trouble
        assert result is not None
        return result.results[0].report
