"""Plans of several stacks: made from their previews, and compared with a later run."""

import secrets
from collections.abc import Iterable
from dataclasses import replace

from dittoinfra import __version__
from dittoinfra.decide.decision import decide_adapters
from dittoinfra.program.answer_fingerprints import differences as differences_of
from dittoinfra.program.answer_fingerprints import take_fingerprints
from dittoinfra.program.plan import (
    Plan,
    PlannedChange,
    StackPlan,
    contradictions,
    decided,
    other_changes,
    other_decision,
)
from dittoinfra.program.survey import RunRecord
from dittoinfra.request import RunOptions
from dittoinfra.stacks.result import RunReport, StackResult


class PlanRefusedError(Exception):
    """The plan as a whole cannot be used for this run."""


def check_plan(plan: Plan, project: str) -> None:
    """Refuse a plan of another project or another version, which may declare other things."""
    if plan.project != project:
        raise PlanRefusedError(f"the plan is for the project {plan.project!r}, and this is {project!r}")
    if plan.dittoinfra != __version__:
        raise PlanRefusedError(
            f"the plan was made by dittoinfra {plan.dittoinfra}, and this is {__version__}, which may "
            "declare other things; make a new one with `preview --save FILE`"
        )


def stack_plan(report: RunReport, record: RunRecord) -> StackPlan:
    """What a preview would change, and the fingerprints of what it was made from, for a file."""
    given_for = take_fingerprints(record.configuration, record.memory, secrets.token_bytes(16))
    return StackPlan(
        answers=replace(record.answers, given_for=given_for),
        decided=decided(record.decision.adapters),
        changes=_planned_changes(report),
    )


def outdated(planned: StackPlan, today: RunRecord) -> tuple[str, ...]:
    """Why a plan is outdated: by what it was made from, by its decision, or by the current answers.

    Only a run can tell whether a single resource has changed: an exported state has other numbers in it.
    """
    given_for = planned.answers.given_for
    here = take_fingerprints(today.configuration, today.memory, given_for.salt)
    if moved := differences_of(replace(given_for, resources={}), replace(here, resources={})):
        return moved
    empty = today.configuration.source_without_servers(today.settings)
    aside = today.decision.aside
    then = decide_adapters(today.settings, today.memory, planned.answers, empty, aside).stack
    return other_decision(planned, decided(then)) or contradictions(
        then, today.decision.adapters, today.memory.adapters
    )


def differences(planned: StackPlan, report: RunReport) -> tuple[str, ...]:
    """How the changes that a run would make differ from the planned ones."""
    return other_changes(planned, _planned_changes(report))


def make_plan(project: str, options: RunOptions, results: Iterable[StackResult]) -> Plan:
    """The plan of every stack whose preview completed."""
    return Plan(
        dittoinfra=__version__,
        project=project,
        targets=options.targets,
        stacks={result.stack: result.plan for result in results if result.plan is not None},
    )


def _planned_changes(report: RunReport) -> tuple[PlannedChange, ...]:
    return tuple(sorted(PlannedChange(step.urn, step.operation, step.changed) for step in report.steps))
