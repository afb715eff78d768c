"""What `preview`, `up`, `refresh` and `destroy` have in common."""

import sys
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import TYPE_CHECKING

import typer

from dittoinfra.cli.errors import CommandError
from dittoinfra.cli.interrupts import forwarded_to
from dittoinfra.cli.quiet import quiet_sdk
from dittoinfra.cli.stacks import Chosen, chosen_stacks, project_in_use
from dittoinfra.cli.traces import Traces, refuse_missing_folder
from dittoinfra.exitcodes import ExitCode

if TYPE_CHECKING:  # the SDK takes most of a second to import, which a wrong flag need not cost
    from dittoinfra.automation import Project
    from dittoinfra.cli.screen.board import Board
    from dittoinfra.cli.screen.lines import Lines
    from dittoinfra.fleet import FleetResult, Orders
    from dittoinfra.program import Plan


@dataclass(frozen=True, slots=True)
class Flags:
    """What was said on the command line, and is no part of what the engine is told."""

    stacks: tuple[str, ...] = ()
    every: bool = False
    tags: tuple[str, ...] = ()
    at_once: int | None = None
    yes: bool = False
    skip_preview: bool = False
    verbose: bool = False
    as_json: bool = False
    stand_in: bool = False
    save: Path | None = None
    plan: Path | None = None
    traces: Traces = field(default_factory=Traces)

    def refuse_what_contradicts(self) -> None:
        """Every flag that cannot go with another, before anything is begun."""
        Chosen(self.stacks, self.every, self.tags).refuse_what_contradicts()
        if self.plan is not None and self.skip_preview:
            raise CommandError(
                "--plan is kept by a preview: it cannot go with --skip-preview", ExitCode.CONFIGURATION
            )
        refuse_missing_folder("--save", self.save)
        self.traces.refuse_what_cannot_be(as_json=self.as_json)


def must_approve(flags: Flags, verb: str) -> bool:
    """Whether a person is to be asked; refuses where one would have to be, and there is none."""
    if flags.yes or flags.skip_preview:
        return False
    if flags.as_json or not (sys.stdin.isatty() and sys.stderr.isatty()):
        where = "with --json" if flags.as_json else "outside a terminal"
        raise CommandError(
            f"{verb} {where} needs --yes (or --skip-preview): nobody can be asked", ExitCode.CONFIGURATION
        )
    return True


def operate_on_stacks(context: typer.Context, flags: Flags, orders: "Orders", *, ask: bool = False) -> None:
    """Do it, show it, and end with the fitting exit code."""
    from dittoinfra.automation import InterruptibleCommand, Processes
    from dittoinfra.cli.screen.consoles import moves
    from dittoinfra.fleet import FleetResult, Operation, Orders, at_once_here, operate

    flags.refuse_what_contradicts()
    plan = _read_plan(flags.plan)
    creates = orders.operation in (Operation.PREVIEW, Operation.UP)
    with ExitStack() as life:
        project = life.enter_context(project_in_use(context, stand_in=flags.stand_in))
        if plan is not None:
            flags = replace(flags, stacks=_planned_stacks(plan, flags, project))
            orders = replace(orders, plan=plan, options=replace(orders.options, targets=plan.targets))
        with _patience():
            stacks = chosen_stacks(
                project,
                Chosen(flags.stacks, flags.every, flags.tags),
                creates=creates,
            )
        processes = Processes()
        project = replace(project, command=InterruptibleCommand(project.command, processes))
        orders = replace(orders, options=replace(orders.options, colour=moves(stderr=True)))
        quiet_sdk()
        screens = [_screen(stacks, orders)]
        life.enter_context(forwarded_to(processes, lambda line: screens[-1].note(line)))
        previews = orders.operation is Operation.PREVIEW
        teller = life.enter_context(flags.traces.telling(project, previews=previews))

        def carry_out(stacks: tuple[str, ...], orders: Orders) -> FleetResult | None:
            def approve(foreseen: FleetResult) -> bool:
                return _approved(screens[-1], foreseen, orders)

            with screens[-1] as screen:
                return operate(
                    project,
                    stacks,
                    orders,
                    at_once=flags.at_once or at_once_here(),
                    watcher=screen,
                    processes=processes,
                    approve=approve if ask else None,
                    listening=teller.listen if teller is not None else None,
                )

        result = carry_out(stacks, orders)
        held = result.held_by_the_dead if result is not None else ()
        if ask and result is not None and held and _may_release(held):
            screens.append(_screen(held, orders))
            again = carry_out(held, replace(orders, break_lock=True))
            result = result.followed_by(again) if again is not None else None
    if result is None:
        raise CommandError("declined: nothing was changed", ExitCode.CANCELLED)
    if not flags.traces.on_stdout:
        _show(flags, orders, result)
    flags.traces.leave(result)
    if flags.save is not None and orders.operation is Operation.PREVIEW:
        _save(project, flags.save, orders, result)
    raise typer.Exit(result.exit_code)


@contextmanager
def _patience() -> Iterator[None]:
    """Something that moves in a terminal, while stacks are looked for."""
    from dittoinfra.cli.screen.consoles import console, moves

    if not moves(stderr=True):
        yield
        return
    with console(stderr=True).status("finding the stacks ..."):
        yield


def _read_plan(path: Path | None) -> "Plan | None":
    if path is None:
        return None
    from dittoinfra.program.plan_file import PlanUnreadableError, read_plan

    try:
        return read_plan(path)
    except PlanUnreadableError as error:
        raise CommandError(str(error), ExitCode.CONFIGURATION) from None


def _planned_stacks(plan: "Plan", flags: Flags, project: "Project") -> tuple[str, ...]:
    from dittoinfra.fleet.plans import PlanRefusedError, check_plan

    try:
        check_plan(plan, project.name)
    except PlanRefusedError as error:
        raise CommandError(str(error), ExitCode.POLICY) from None
    others = [name for name in flags.stacks if name not in plan.stacks]
    if others:
        raise CommandError(
            f"{flags.plan} has no plan for {', '.join(others)}; it is for {', '.join(plan.stacks)}",
            ExitCode.POLICY,
        )
    return flags.stacks or tuple(plan.stacks)


def _screen(stacks: tuple[str, ...], orders: "Orders") -> "Board | Lines":
    from dittoinfra.cli.screen.consoles import moves
    from dittoinfra.cli.screen.lines import Lines

    if not moves(stderr=True):
        return Lines()
    from dittoinfra.cli.screen.board import Board

    return Board(stacks, orders.operation)


def _may_release(stacks: tuple[str, ...]) -> bool:
    from dittoinfra.cli.screen.ask import may_release

    return may_release(stacks)


def _approved(screen: "Board | Lines", foreseen: "FleetResult", orders: "Orders") -> bool:
    from dittoinfra.cli.screen.ask import approved

    return approved(screen, foreseen, orders.operation)


def _show(flags: Flags, orders: "Orders", result: "FleetResult") -> None:
    if flags.as_json:
        from dittoinfra.fleet.document import document

        sys.stdout.write(document(orders.operation, result).model_dump_json(by_alias=True, indent=2) + "\n")
        return
    from dittoinfra.cli.screen.consoles import console
    from dittoinfra.cli.screen.summary import show_changes, show_printed, show_summary
    from dittoinfra.fleet import Operation

    out = console()
    if flags.verbose or orders.options.diff:
        show_printed(out, result.results)
    elif orders.operation is Operation.PREVIEW:
        show_changes(out, result.results)
    show_summary(out, result, foreseen=orders.operation is Operation.PREVIEW)


def _save(project: "Project", path: Path, orders: "Orders", result: "FleetResult") -> None:
    from dittoinfra.fleet.plans import make_plan
    from dittoinfra.program.plan_file import write_plan

    plan = make_plan(project.name, orders.salt, orders.options, result.results)
    missing = [each.stack for each in result.results if each.stack not in plan.stacks]
    if not plan.stacks:
        typer.echo(f"no plan is written to {path}: no preview came to its end", err=True)
        return
    try:
        write_plan(plan, path)
    except OSError as error:
        raise CommandError(f"the plan cannot be written to {path}: {error.strerror}") from None
    without = f", without {', '.join(missing)}" if missing else ""
    typer.echo(f"plan for {', '.join(plan.stacks)} written to {path}{without}", err=True)
