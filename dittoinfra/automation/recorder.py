"""Turns the engine's event stream into a report."""

import re
from collections.abc import Mapping
from typing import Any

from pulumi.automation import DiagnosticEvent, EngineEvent, OpType, StepEventMetadata

from dittoinfra.automation.report import Changes, Diagnostic, RunReport, Step
from dittoinfra.program import RunRecord

_COLOUR = re.compile(r"<\{%.*?%\}>")
_QUIET = {OpType.SAME, OpType.READ, OpType.REFRESH}


class Recorder:
    """Listens to one run."""

    def __init__(self) -> None:
        self._changes = Changes()
        self._steps: dict[tuple[str, str], Step] = {}
        self._diagnostics: list[Diagnostic] = []
        self._outputs: Mapping[str, Any] = {}

    def listen(self, event: EngineEvent) -> None:
        """Take note of one event."""
        if event.diagnostic_event and not event.diagnostic_event.ephemeral:
            self._diagnostic(event.diagnostic_event)
        if event.resource_pre_event:
            self._step(event.resource_pre_event.metadata)
        if event.res_outputs_event:
            self._finished(event.res_outputs_event.metadata)
        if event.summary_event:
            self._changes = _changes(event.summary_event.resource_changes)

    def _diagnostic(self, event: DiagnosticEvent) -> None:
        # The engine says once more, with a prefix, what an inline program was stopped by.
        text = _COLOUR.sub("", event.message).strip().removeprefix("an unhandled error occurred: ")
        diagnostic = Diagnostic(event.severity, text)
        if event.severity != "debug" and diagnostic not in self._diagnostics:
            self._diagnostics.append(diagnostic)

    def _step(self, metadata: StepEventMetadata) -> None:
        # Providers come and go with the SDK's version; they are no resources of anybody's.
        if metadata.op in _QUIET or metadata.type.startswith("pulumi:providers:"):
            return
        step = Step(
            operation=metadata.op.value,
            type=metadata.type,
            name=metadata.urn.rpartition("::")[2],
            urn=metadata.urn,
            changed=tuple(sorted(metadata.detailed_diff or ())),
        )
        self._steps[metadata.op.value, metadata.urn] = step

    def _finished(self, metadata: StepEventMetadata) -> None:
        if metadata.type == "pulumi:pulumi:Stack" and metadata.new is not None:
            self._outputs = metadata.new.outputs or {}

    @property
    def failed(self) -> bool:
        """Whether the engine itself has said what went wrong."""
        return any(diagnostic.severity == "error" for diagnostic in self._diagnostics)

    def report(
        self, exit_code: int, decided: RunRecord | None = None, failure: str | None = None
    ) -> RunReport:
        """Everything heard so far; `failure` is what the engine itself never came to say."""
        said = [*self._diagnostics, *([Diagnostic("error", failure)] if failure else [])]
        return RunReport(
            changes=self._changes,
            steps=tuple(self._steps.values()),
            diagnostics=tuple(said),
            exit_code=exit_code,
            outputs=self._outputs,
            decided=decided,
        )


def _changes(summary: Mapping[OpType, int]) -> Changes:
    return Changes(
        creates=summary.get(OpType.CREATE, 0),
        updates=summary.get(OpType.UPDATE, 0),
        deletes=summary.get(OpType.DELETE, 0),
        replaces=summary.get(OpType.REPLACE, 0),
        sames=summary.get(OpType.SAME, 0),
    )
