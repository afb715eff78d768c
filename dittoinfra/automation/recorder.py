"""Turns the engine's event stream into a report."""

import re
from collections.abc import Callable, Mapping
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from pulumi.automation import (
    DiagnosticEvent,
    EngineEvent,
    OpType,
    StepEventMetadata,
    StepEventStateMetadata,
)

from dittoinfra.automation.differences import differences
from dittoinfra.automation.interrupted import CREATING, Mark
from dittoinfra.automation.objects import object_of, server_around
from dittoinfra.automation.plain import plain
from dittoinfra.automation.report import Changes, Diagnostic, RunReport, Step
from dittoinfra.automation.secrets import left_out, without_secrets
from dittoinfra.automation.trouble import provider_gone, with_next_step

if TYPE_CHECKING:  # whatever is imported here is waited for before the CLI starts
    from dittoinfra.program import RunRecord

_CREATIONS = {OpType.CREATE, OpType.CREATE_REPLACEMENT}
_QUIET = {OpType.SAME, OpType.READ, OpType.REFRESH}
_PENDING = re.compile(r"^ *\* (?P<urn>urn:.*), interrupted while (?P<doing>\w+)$", re.MULTILINE)

_SILENT_ABOUT = re.compile("::pulumi:(pulumi:Stack|providers:.*)::")
"""Resources that nobody has declared."""
_NOTHING_NEW = frozenset({"update failed", "preview failed", "refresh failed", "destroy failed"})
"""What the engine says after it has said what went wrong."""


class Recorder:
    """Listens to one run, and says at once what a person should hear."""

    def __init__(self, on_diagnostic: Callable[[Diagnostic], None] = lambda _: None) -> None:
        self._on_diagnostic = on_diagnostic
        self._changes = Changes()
        self._steps: dict[tuple[str, str], Step] = {}
        self._diagnostics: list[Diagnostic] = []
        self._outputs: Mapping[str, Any] = {}
        self._parents: dict[str, str] = {}
        self._pending: tuple[str, ...] = ()
        self._ended: set[str] = set()
        self._unanswered: set[str] = set()
        self._failed_creations: dict[str, StepEventStateMetadata] = {}

    def listen(self, event: EngineEvent) -> None:
        """Take note of one event."""
        if event.diagnostic_event and not event.diagnostic_event.ephemeral:
            self._diagnostic(event.diagnostic_event)
        if event.resource_pre_event:
            self._step(event.resource_pre_event.metadata)
        if event.res_outputs_event:
            self._finished(event.res_outputs_event.metadata, planned=bool(event.res_outputs_event.planning))
        if event.res_op_failed_event:
            self._failed(event.res_op_failed_event.metadata)
        if event.summary_event:
            self._changes = _changes(event.summary_event.resource_changes)

    def _diagnostic(self, event: DiagnosticEvent) -> None:
        # The engine says once more, with a prefix, what an inline program was stopped by.
        text = plain(event.message).removeprefix("an unhandled error occurred: ")
        pending = _PENDING.findall(text)
        if pending:
            # The engine explains over ten lines what a person can do; the next lines do it.
            self._pending = tuple(urn for urn, _ in pending)
            text = "\n".join(
                f"{_name(urn)}: an earlier run was interrupted while {doing} it; this run makes sure of it"
                for urn, doing in pending
            )
        if event.severity == "error":
            if self.failed and text in _NOTHING_NEW:
                return
            if event.urn and provider_gone(text):
                self._unanswered.add(event.urn)
            text = with_next_step(_attributed(event.urn, text))
        diagnostic = Diagnostic(event.severity, text)
        if event.severity != "debug" and diagnostic not in self._diagnostics:
            self._diagnostics.append(diagnostic)
            self._on_diagnostic(diagnostic)

    def _step(self, metadata: StepEventMetadata) -> None:
        state = metadata.new or metadata.old
        if state is not None:
            self._parents[metadata.urn] = state.parent
        # Providers come and go with the SDK's version; they are no resources of anybody's.
        if metadata.op in _QUIET or metadata.type.startswith("pulumi:providers:"):
            return
        step = Step(
            operation=metadata.op.value,
            type=metadata.type,
            name=_name(metadata.urn),
            urn=metadata.urn,
            changed=tuple(sorted(metadata.detailed_diff or ())),
            object=object_of(metadata),
            differences=differences(metadata),
        )
        self._steps[metadata.op.value, metadata.urn] = step

    def _finished(self, metadata: StepEventMetadata, *, planned: bool) -> None:
        key = metadata.op.value, metadata.urn
        if not planned:
            self._ended.add(metadata.urn)
        # What a refresh finds is only known after it has looked.
        if key not in self._steps:
            self._step(metadata)
        if key in self._steps:
            self._steps[key] = replace(self._steps[key], done=not planned)
        if metadata.type == "pulumi:pulumi:Stack" and metadata.new is not None:
            self._outputs = without_secrets(metadata.new.outputs or {})

    def _failed(self, metadata: StepEventMetadata) -> None:
        key = metadata.op.value, metadata.urn
        if key in self._steps:
            self._steps[key] = replace(self._steps[key], failed=True)
        if metadata.op in _CREATIONS and metadata.new is not None:
            self._failed_creations[metadata.urn] = metadata.new

    def _server(self, urn: str) -> str | None:
        while urn:
            found = server_around(urn)
            if found is not None:
                return found
            urn = self._parents.get(urn, "")
        return None

    @property
    def failed(self) -> bool:
        """Whether the engine itself has said what went wrong."""
        return any(diagnostic.severity == "error" for diagnostic in self._diagnostics)

    def report(
        self, exit_code: int, decided: "RunRecord | None" = None, failure: str | None = None
    ) -> RunReport:
        """Everything heard so far; `failure` is what the engine itself never came to say."""
        if failure is not None:
            self._diagnostics.append(Diagnostic("error", failure))
            self._on_diagnostic(self._diagnostics[-1])
        return RunReport(
            changes=self._changes,
            # Children go before their parents where they are deleted, so only now all parents are known.
            steps=tuple(replace(step, server=self._server(step.urn)) for step in self._steps.values()),
            diagnostics=tuple(self._diagnostics),
            exit_code=exit_code,
            outputs=self._outputs,
            decided=decided,
            pending=self._pending,
            missed=tuple(urn for urn in self._pending if urn not in self._ended),
            lost=tuple(
                _mark(state) for urn, state in self._failed_creations.items() if urn in self._unanswered
            ),
        )


def _mark(state: StepEventStateMetadata) -> Mark:
    """The resource as the state would hold it, less what events do not tell: secrets and dependencies."""
    resource = {
        "urn": state.urn,
        "custom": True,
        "type": state.type,
        "inputs": left_out(state.inputs or {}),
        "parent": state.parent,
        "provider": state.provider,
        "protect": bool(state.protect),
        "retainOnDelete": bool(state.retain_on_delete),
    }
    return Mark(CREATING, resource)


def _attributed(urn: str | None, text: str) -> str:
    """The message with the resource that it is about, unless it says so itself."""
    if not urn or _SILENT_ABOUT.search(urn) or _name(urn) in text:
        return text
    kind = urn.split("::", 3)[2].rpartition(":")[2]
    return f"{kind} {_name(urn)}: {text}"


def _name(urn: str) -> str:
    return urn.rpartition("::")[2]


def _changes(summary: Mapping[OpType, int]) -> Changes:
    return Changes(
        creates=summary.get(OpType.CREATE, 0),
        updates=summary.get(OpType.UPDATE, 0),
        deletes=summary.get(OpType.DELETE, 0),
        replaces=summary.get(OpType.REPLACE, 0),
        sames=summary.get(OpType.SAME, 0),
    )
