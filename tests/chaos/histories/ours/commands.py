"""The commands of a history, run in this process as `watch`, CI and users run them."""

import asyncio
from collections.abc import Callable, Iterable
from dataclasses import dataclass, field
from pathlib import Path

from dittoinfra.model import Removal
from dittoinfra.program.plan import Plan
from dittoinfra.program.plan_file import read_plan, write_plan
from dittoinfra.program.survey import RunRecord
from dittoinfra.request import Operation, Outputs, Request, RunOptions, Selection
from dittoinfra.stacks.cli_process import Processes
from dittoinfra.stacks.operations import operate
from dittoinfra.stacks.plans import make_plan
from dittoinfra.stacks.project import Project, SelectionError, select_stacks
from dittoinfra.stacks.project_stack import ProjectStack
from dittoinfra.stacks.recovery import recover, settle
from dittoinfra.stacks.result import Diagnostic, FleetResult, Phase, RunReport, StackResult
from dittoinfra.watch import stack_watch
from dittoinfra.watch.stack_runner import StackRunner
from tests.chaos.histories.events import AdapterName
from tests.chaos.histories.ours.promises import Told
from tests.engine.world import STACK

WAIT = 60.0
"""Seconds for a server that was just deployed, and that answers at once."""


@dataclass
class Observer:
    """Records what a command shows, and calls back when it pauses or waits."""

    on_wait: Callable[[], None] = lambda: None
    on_preview: Callable[[], None] = lambda: None
    shown: RunReport | None = field(default=None, init=False)
    trouble: BaseException | None = field(default=None, init=False)
    """An error of a callback, which the command would report as its own."""

    def began(self, stack: str, phase: Phase) -> None:
        """Call back when the command waits for deployed servers."""
        if phase is Phase.WAITING:
            self._call(self.on_wait)

    def progressed(self, stack: str, done: int, total: int | None) -> None:
        """Ignored."""

    def said(self, stack: str, message: Diagnostic) -> None:
        """Ignored."""

    def previewed(self, result: StackResult) -> None:
        """Call back between preview and update."""
        self.shown = result.report
        self._call(self.on_preview)

    def ended(self, result: StackResult) -> None:
        """Ignored."""

    def _call(self, callback: Callable[[], None]) -> None:
        try:
            callback()
        except BaseException as error:
            self.trouble = error
            raise


@dataclass(frozen=True, slots=True)
class Commands:
    """The commands that are run on one stack."""

    project: Project

    def watch(self, *, counts: bool) -> tuple[RunReport, Told]:
        """An update by `watch`, which previews nothing, and the removals that it tells."""
        decided: list[RunRecord] = []

        async def run() -> RunReport:
            runner = StackRunner(self.project, at_once=1)
            try:
                return (await runner.run(STACK, decided.append, counts_absences=counts)).report
            finally:
                await runner.stop()

        report = asyncio.run(run())
        before = (removal for record in decided for removal, _ in stack_watch.planned_removals(record))
        after = (removal for removal, _ in stack_watch.done_removals(report))
        return report, Told(_adapters(before), _adapters(after))

    def update(self) -> RunReport:
        """An update without a preview, as `pulumi up --skip-preview` makes it."""
        stack = ProjectStack.of(self.project.stack(STACK))
        ready = recover(stack)
        return settle(stack, stack.up()) if ready.ok else ready

    def refresh(self) -> RunReport:
        """Refresh the state from the cluster."""
        return ProjectStack.of(self.project.stack(STACK)).refresh()

    def up(self, observer: Observer, *, asks: bool, plan: Plan | None = None) -> RunReport:
        """Preview and update; with `asks` a user confirms in between."""
        targets = RunOptions(targets=plan.targets) if plan else RunOptions()
        request = Request(Operation.UP, options=targets, wait=WAIT, plan=plan)
        approve = (lambda _: True) if asks else None
        return self._report(self._operate(request, observer, approve), observer)

    def every_stack(self) -> tuple[str, ...]:
        """What `--all` selects in the project, whose backend knows only this stack."""
        try:
            chosen = select_stacks(self.project, Selection(every=True), creates=True).stacks
        except SelectionError:
            chosen = ()
        assert set(chosen) <= {STACK}
        return chosen

    def save(self, observer: Observer, file: Path) -> tuple[RunReport, Plan | None]:
        """A preview whose plan is written to a file and read again; None if it was refused."""
        request = Request(Operation.PREVIEW, outputs=Outputs(plan=file))
        result = self._operate(request, observer, None)
        report = self._report(result, observer)
        assert result is not None
        plan = make_plan(self.project.name, request.options, result.results)
        if not plan.stacks:
            return report, None
        write_plan(plan, file)
        return report, read_plan(file)

    def _operate(
        self, request: Request, observer: Observer, approve: Callable[[FleetResult], bool] | None
    ) -> FleetResult | None:
        return operate(
            self.project,
            (STACK,),
            request,
            watcher=observer,
            processes=Processes(),
            approve=approve,
        )

    def _report(self, result: FleetResult | None, observer: Observer) -> RunReport:
        if observer.trouble is not None:
            raise observer.trouble
        assert result is not None
        return result.results[0].report


def _adapters(removals: Iterable[Removal]) -> frozenset[AdapterName]:
    return frozenset(AdapterName(removal.server, removal.type) for removal in removals)
