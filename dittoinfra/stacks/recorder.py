"""Turns the engine's event stream into a report."""

import re
from collections.abc import Callable, Mapping
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from pulumi.automation import (
    DiagnosticEvent,
    EngineEvent,
    OpType,
    PolicyEvent,
    StepEventMetadata,
    StepEventStateMetadata,
)

from dittoinfra.changes import Changes
from dittoinfra.decide.router_hosts import finalizer_advice
from dittoinfra.stacks.cli_errors import provider_gone, with_next_step
from dittoinfra.stacks.engine_events import differences, is_about_plugins, is_declared, object_of, plain
from dittoinfra.stacks.interrupted import CREATING, PendingOperation
from dittoinfra.stacks.result import NOTHING_NEW, Diagnostic, RunReport, Step
from dittoinfra.stacks.shown_values import drop_secrets, mask_secrets
from dittoinfra.urns import STACK_TYPE, is_former_component, resource_name, resource_text, server_around

if TYPE_CHECKING:  # an import here would delay the start of the CLI
    from dittoinfra.program.survey import RunRecord

_CREATIONS = {OpType.CREATE, OpType.CREATE_REPLACEMENT}
_QUIET = {OpType.SAME, OpType.READ, OpType.REFRESH}
_PENDING = re.compile(r"^ *\* (?P<urn>urn:.*), interrupted while (?P<doing>\w+)$", re.MULTILINE)

_FINALIZERS = re.compile(r"finalizers might be preventing deletion \((?P<finalizers>[^)]*)\)")
_TIMED_OUT = "timed out waiting for the condition"

_SILENT_ABOUT = re.compile("::pulumi:(pulumi:Stack|providers:.*)::")
"""Resources that the program does not declare."""


class Recorder:
    """Listens to one run, and reports messages for the user at once."""

    def __init__(self, on_diagnostic: Callable[[Diagnostic], None] = lambda _: None) -> None:
        self._on_diagnostic = on_diagnostic
        self._changes = Changes()
        self._steps: dict[tuple[str, str], Step] = {}
        self._diagnostics: list[Diagnostic] = []
        self._plugins: list[str] = []
        self._outputs: Mapping[str, Any] = {}
        self._parents: dict[str, str] = {}
        self._pending: tuple[str, ...] = ()
        self._ended: set[str] = set()
        self._emptied: set[str] = set()
        """Components of earlier versions that left the state, which the engine counts as deletions."""
        self._unanswered: set[str] = set()
        self._finalizers: dict[str, str] = {}
        self._failed_creations: dict[str, StepEventStateMetadata] = {}
        self.policy_violated = False
        """Whether a policy pack has refused the run."""

    def listen(self, event: EngineEvent) -> None:
        """Record one event."""
        if event.diagnostic_event and not event.diagnostic_event.ephemeral:
            self._diagnostic(event.diagnostic_event)
        if event.policy_event:
            self._violation(event.policy_event)
        if event.resource_pre_event:
            self._step(event.resource_pre_event.metadata)
        if event.res_outputs_event:
            self._finished(event.res_outputs_event.metadata, planned=bool(event.res_outputs_event.planning))
        if event.res_op_failed_event:
            self._failed(event.res_op_failed_event.metadata)
        if event.summary_event:
            counts = event.summary_event.resource_changes
            self._changes = Changes(
                create=counts.get(OpType.CREATE, 0),
                update=counts.get(OpType.UPDATE, 0),
                replace=counts.get(OpType.REPLACE, 0),
                delete=counts.get(OpType.DELETE, 0),
                same=counts.get(OpType.SAME, 0),
            )

    def _diagnostic(self, event: DiagnosticEvent) -> None:
        # The engine repeats, with a prefix, the error that stopped an inline program.
        text = plain(event.message).removeprefix("an unhandled error occurred: ")
        if is_about_plugins(event.severity, text):
            self._plugins.append(text)
            return
        pending = _PENDING.findall(text)
        if pending:
            # The engine explains in ten lines what the user can do; the following lines say it in one.
            self._pending = tuple(urn for urn, _ in pending)
            text = "\n".join(
                f"{resource_name(urn)}: an earlier run was interrupted while {doing} it; "
                "this run checks and completes it"
                for urn, doing in pending
            )
        if event.urn and (held := _FINALIZERS.search(text)):
            self._finalizers[event.urn] = held["finalizers"]
        if event.severity == "error":
            if self.failed and text in NOTHING_NEW:
                return
            if event.urn and provider_gone(text):
                self._unanswered.add(event.urn)
            text = with_next_step(_attributed(event.urn, text))
            # The provider names the finalizer in a warning, and the result in an error of its own.
            if _TIMED_OUT in text and (finalizers := self._finalizers.get(event.urn or "")):
                advice = finalizer_advice(finalizers, "see why that does not go")
                text = f"{text}: its deletion is held by the finalizer {finalizers}; {advice}, then run again"
        if event.severity != "debug":
            self.say(Diagnostic(event.severity, text))

    def _violation(self, event: PolicyEvent) -> None:
        """A policy that was violated; the engine itself only says that the run has failed."""
        # The policy's description comes first, and what was found after it.
        lines = plain(event.message).strip().splitlines()
        text = " ".join(line.strip() for line in lines[1:] or lines)
        mandatory = event.enforcement_level == "mandatory"
        self.policy_violated |= mandatory
        line = f"policy {event.policy_name}: {_attributed(event.resource_urn, text)}"
        self.say(Diagnostic("error" if mandatory else "warning", line))

    def say(self, diagnostic: Diagnostic) -> None:
        """Record a message, and pass it on, each once."""
        if diagnostic not in self._diagnostics:
            self._diagnostics.append(diagnostic)
            self._on_diagnostic(diagnostic)

    def _step(self, metadata: StepEventMetadata) -> None:
        state = metadata.new or metadata.old
        if state is not None:
            self._parents[metadata.urn] = state.parent
        if metadata.op in _QUIET or not is_declared(metadata):
            return
        step = Step(
            operation=metadata.op.value,
            type=metadata.type,
            name=resource_name(metadata.urn),
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
        if metadata.op is OpType.DELETE and is_former_component(metadata.urn):
            self._emptied.add(metadata.urn)
        # The result of a refresh is only known after the resource was read.
        if key not in self._steps:
            self._step(metadata)
        if key in self._steps:
            self._steps[key] = replace(self._steps[key], done=not planned)
        if metadata.type == STACK_TYPE and metadata.new is not None:
            self._outputs = mask_secrets(metadata.new.outputs or {})

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
        """Whether the engine itself has reported an error."""
        return any(diagnostic.severity == "error" for diagnostic in self._diagnostics)

    def report(self, exit_code: int, decided: "RunRecord | None" = None, *failures: str) -> RunReport:
        """Everything recorded so far; `failures` are errors that the engine itself did not report."""
        for failure in failures:
            self._diagnostics.append(Diagnostic("error", failure))
            self._on_diagnostic(self._diagnostics[-1])
        return RunReport(
            changes=replace(self._changes, delete=max(0, self._changes.delete - len(self._emptied))),
            # Children are deleted before their parents, so only now all parents are known.
            steps=tuple(replace(step, server=self._server(step.urn)) for step in self._steps.values()),
            diagnostics=tuple(self._diagnostics),
            plugins=tuple(dict.fromkeys(self._plugins)),
            exit_code=exit_code,
            outputs=self._outputs,
            decided=decided,
            reasons=decided_reasons(decided),
            pending=self._pending,
            missed=tuple(urn for urn in self._pending if urn not in self._ended),
            lost=tuple(
                _creation(state) for urn, state in self._failed_creations.items() if urn in self._unanswered
            ),
        )


def decided_reasons(decided: "RunRecord | None") -> Mapping[str, str]:
    """Why the Service of each adapter changes, by the adapter's name; empty without a decision."""
    if decided is None:
        return {}
    from dittoinfra.decide.explanation import service_reasons

    return service_reasons(decided.decision, decided.memory.adapters)


def _creation(state: StepEventStateMetadata) -> PendingOperation:
    """The resource as the state would hold it, without what events lack: secrets and dependencies."""
    resource = {
        "urn": state.urn,
        "custom": True,
        "type": state.type,
        "inputs": drop_secrets(state.inputs or {}),
        "parent": state.parent,
        "provider": state.provider,
        "protect": bool(state.protect),
        "retainOnDelete": bool(state.retain_on_delete),
    }
    return PendingOperation(CREATING, resource)


def _attributed(urn: str | None, text: str) -> str:
    """The message with the resource that it is about, unless the message already names it."""
    if not urn or _SILENT_ABOUT.search(urn) or resource_name(urn) in text:
        return text
    return f"{resource_text(urn)}: {text}"
