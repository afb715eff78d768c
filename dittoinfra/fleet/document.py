"""What came of an operation, for machines: one JSON document, whose schema is generated from these models."""

from typing import Any, Literal

from pydantic import Field

from dittoinfra.automation import Changes, RunReport, whole_steps
from dittoinfra.document import Document
from dittoinfra.exitcodes import ExitCode
from dittoinfra.fleet.result import FleetResult, Operation, StackResult


class ChangeCounts(Document):
    """Resources by what becomes of them, as the engine counts them."""

    create: int
    update: int
    replace: int
    delete: int
    same: int


class StepDocument(Document):
    """One thing that is done to one resource."""

    operation: str
    """The engine's word: create, update, replace, delete and others."""
    type: str
    name: str
    urn: str
    properties: list[str]
    """Paths that differ, as the provider names them."""


class MessageDocument(Document):
    """One message of the run."""

    severity: str
    """error, warning or info."""
    text: str


class StackDocument(Document):
    """One stack, as far as the operation came."""

    stack: str
    result: Literal["succeeded", "failed", "cancelled", "unexpectedChanges"]
    exit_code: int
    seconds: float
    changes: ChangeCounts
    steps: list[StepDocument]
    """Everything that is not left as it was."""
    messages: list[MessageDocument]
    outputs: dict[str, Any]
    """The stack's outputs, as far as the run came to tell them; secrets are masked by the engine."""


class FleetDocument(Document):
    """An operation on one or several stacks."""

    version: Literal[1] = 1
    """Of this format; it changes when something is renamed or taken away."""
    operation: Operation
    exit_code: int
    """What the command ends with."""
    stacks: list[StackDocument] = Field(default_factory=list)


def document(operation: Operation, result: FleetResult) -> FleetDocument:
    """The document of an operation."""
    return FleetDocument(
        operation=operation, exit_code=result.exit_code, stacks=[_stack(each) for each in result.results]
    )


def _stack(result: StackResult) -> StackDocument:
    report = result.report
    return StackDocument(
        stack=result.stack,
        result=_word(result),
        exit_code=report.exit_code,
        seconds=round(result.seconds, 3),
        changes=_counts(report.changes),
        steps=_steps(report),
        messages=[MessageDocument(severity=said.severity, text=said.text) for said in report.diagnostics],
        outputs=dict(report.outputs),
    )


def _word(result: StackResult) -> Literal["succeeded", "failed", "cancelled", "unexpectedChanges"]:
    if result.report.ok:
        return "succeeded"
    if result.cancelled:
        return "cancelled"
    return "unexpectedChanges" if result.report.exit_code == ExitCode.UNEXPECTED_CHANGES else "failed"


def _counts(changes: Changes) -> ChangeCounts:
    return ChangeCounts(
        create=changes.creates,
        update=changes.updates,
        replace=changes.replaces,
        delete=changes.deletes,
        same=changes.sames,
    )


def _steps(report: RunReport) -> list[StepDocument]:
    return [
        StepDocument(
            operation=step.operation,
            type=step.type,
            name=step.name,
            urn=step.urn,
            properties=list(step.changed),
        )
        for step in whole_steps(report.steps)
    ]
