"""Plans of several stacks: made from their previews, and held against a later run."""

import secrets
from collections.abc import Iterable

from dittoinfra import __version__, program
from dittoinfra.automation import RunOptions, RunReport
from dittoinfra.fleet.result import StackResult


class PlanRefusedError(Exception):
    """The plan as a whole is not for this run."""


def new_salt() -> bytes:
    """For the fingerprints of one plan."""
    return secrets.token_bytes(16)


def check_plan(plan: "program.Plan", project: str) -> None:
    """Refuse a plan of another project or another version, which may declare other things."""
    if plan.project != project:
        raise PlanRefusedError(f"the plan is for the project {plan.project!r}, and this is {project!r}")
    if plan.dittoinfra != __version__:
        raise PlanRefusedError(
            f"the plan was made by dittoinfra {plan.dittoinfra}, and this is {__version__}, which may "
            "declare other things; make a new one with `preview --save FILE`"
        )


def stack_plan(record: "program.RunRecord", salt: bytes) -> "program.StackPlan":
    """What a run is about to do, before the engine has compared anything. In the program only."""
    return program.StackPlan(
        answers=record.answers,
        state=record.state,
        configuration=program.configuration_fingerprints(salt),
        decided=program.decided(record.decision),
        changes=(),
    )


def hold_against(planned: "program.StackPlan", salt: bytes, record: "program.RunRecord") -> None:
    """Stop the run, before it declares anything, where something has moved. In the program only."""
    configuration = program.configuration_fingerprints(salt)
    found = program.moved(planned, record.state, configuration) or program.other_decision(
        planned, program.decided(record.decision)
    )
    if found:
        raise program.PlanOutdated(found)


def planned_changes(report: RunReport) -> "tuple[program.PlannedChange, ...]":
    """The changes that a preview has shown, in an order of their own."""
    return tuple(
        sorted(program.PlannedChange(step.urn, step.operation, step.changed) for step in report.steps)
    )


def differences(planned: "program.StackPlan", report: RunReport) -> tuple[str, ...]:
    """How the changes that a run would make differ from the planned ones."""
    return program.other_changes(planned, planned_changes(report))


def make_plan(
    project: str, salt: bytes, options: RunOptions, results: Iterable[StackResult]
) -> "program.Plan":
    """The plan of every stack whose preview came to its end."""
    return program.Plan(
        dittoinfra=__version__,
        project=project,
        salt=salt,
        targets=options.targets,
        stacks={result.stack: result.plan for result in results if result.plan is not None},
    )
