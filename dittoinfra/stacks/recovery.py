"""Reconciling a stack's state with what an interrupted run has really done.

Only the state is written, never the cluster; and never while another run may hold the stack's lock.
"""

from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from dataclasses import replace
from typing import Any

from dittoinfra.exitcodes import ExitCode
from dittoinfra.request import RunOptions
from dittoinfra.stacks.cli_errors import CliFailure
from dittoinfra.stacks.cli_process import CliFailedError, cli_failure
from dittoinfra.stacks.interrupted import (
    CREATING,
    Created,
    Foreign,
    NotCreated,
    PendingOperation,
    Verdict,
    holds,
    judge,
    pending_operations,
    with_created,
)
from dittoinfra.stacks.project_stack import ProjectStack
from dittoinfra.stacks.result import Diagnostic, RunReport
from dittoinfra.urns import STACK_TYPE, resource_name, stack_and_project

_ATTEMPTS = 2
_DEFAULTS = RunOptions()


class StateMovedError(Exception):
    """Another run has written the state since it was read."""

    exit_code = ExitCode.GENERIC

    def __init__(self) -> None:
        super().__init__("another run has changed the stack meanwhile; run again")


def recover(stack: ProjectStack) -> RunReport:
    """Before an operation: determine the result of everything that an interrupted run has left pending.

    What it was creating, and exists in the cluster, is added to the state; what it was changing or deleting
    is refreshed. What cannot be looked up stays pending, and `settle` handles it after the update.
    """
    if stack.has_no_pending_operations():
        return RunReport.completed()
    before = _exported(stack)
    pending = pending_operations(before)
    if not pending:
        return RunReport.completed()
    others = [each for each in pending if each.doing != CREATING]
    refreshed = _refresh(stack, before, [each.urn for each in others])
    if not refreshed.ok:
        return _with_messages(stack, replace(refreshed, diagnostics=()), refreshed.diagnostics)
    try:
        # Read once more: a run that was still active until now has ended, and nothing of it is pending.
        found = _add_created(stack, None, _interrupted)
    except (CliFailedError, StateMovedError) as error:
        failure = (
            cli_failure(stack.name, error)
            if isinstance(error, CliFailedError)
            else CliFailure(str(error), error.exit_code)
        )
        why = Diagnostic("error", f"what an interrupted run has left cannot be made sure of: {failure.line}")
        report = replace(RunReport.completed(), exit_code=failure.exit_code, lock=failure.lock)
        return _with_messages(stack, report, [why])
    known = [Diagnostic("info", f"{_interrupted(each)}; the stack knows how it is now") for each in others]
    return _with_messages(stack, RunReport.completed(), (*known, *found))


def warn_of_pending(stack: ProjectStack) -> RunReport:
    """What `recover` would do, without doing it."""
    if stack.has_no_pending_operations():
        return RunReport.completed()
    then = f"`dittoinfra up {stack.name}` sees first what became of it"
    lines = [f"{_interrupted(each)}; {then}" for each in pending_operations(_exported(stack))]
    return _with_messages(stack, RunReport.completed(), [Diagnostic("warning", line) for line in lines])


def settle(stack: ProjectStack, updated: RunReport, options: RunOptions = _DEFAULTS) -> RunReport:
    """An update's report, once the state holds what can only be known after the update.

    What `recover` could not look up is no longer pending once the update has handled all of it. What a
    provider had created before it crashed is added to the state now or never.
    """
    if updated.lost:
        return _add_lost(stack, updated)
    if not updated.ok or not updated.pending:
        return updated
    if options.targets:
        # The engine also reports the end of resources that it was told not to touch.
        missed, then = (
            updated.pending,
            f"`dittoinfra up {stack.name}` without --target checks and completes it",
        )
    else:
        missed, then = updated.missed, f"look for it, then run `pulumi refresh --stack {stack.name}`"
    if not missed:
        clear_pending(stack, updated.pending[0])
        return updated
    names = ", ".join(map(resource_name, missed))
    line = f"{names}: this run did not check and complete it, so its mark stays; {then}"
    return _with_messages(stack, updated, [Diagnostic("warning", line)])


def clear_pending(stack: ProjectStack, urn: str) -> None:
    """Remove all pending operations from the state, given the URN of one of them."""
    # Only a refresh does that, so the one resource that has nothing to read is refreshed: the stack itself.
    name, project = stack_and_project(urn)
    itself = f"urn:pulumi:{name}::{project}::{STACK_TYPE}::{project}-{name}"
    stack.refresh(RunOptions(targets=(itself,)), clear_pending_creates=True)


def _add_lost(stack: ProjectStack, failed: RunReport) -> RunReport:
    """A failed run's report, once the state holds what its provider had created before it crashed.

    The engine forgets a failed creation, so this is the last moment at which it is known.
    """
    try:
        proven = _refresh(stack, stack.export(), ())
        found = _add_created(stack, failed.lost, _lost) if proven.ok else []
    except (CliFailedError, StateMovedError):
        found = []
    unknown = "whether it is there is not known; docs/recovery.md says how to find out"
    lines = found or [Diagnostic("warning", f"{_lost(each)}; {unknown}") for each in failed.lost]
    return _with_messages(stack, failed, lines)


def _add_created(
    stack: ProjectStack,
    creations: Sequence[PendingOperation] | None,
    about: Callable[[PendingOperation], str],
) -> list[Diagnostic]:
    """What the cluster shows of some creations, added to the state; retried where the state has changed.

    Without `creations` those that are pending in the state.
    """
    for _ in range(_ATTEMPTS):
        document = stack.state()
        pending = [each for each in pending_operations(document["deployment"]) if each.doing == CREATING]
        with suppress(StateMovedError):
            return _try_to_add(stack, document, pending if creations is None else creations, about)
    raise StateMovedError


def _try_to_add(
    stack: ProjectStack,
    document: Mapping[str, Any],
    creations: Sequence[PendingOperation],
    about: Callable[[PendingOperation], str],
) -> list[Diagnostic]:
    if not creations:
        return []
    from dittoinfra.kubernetes import ClusterError  # at the top it would delay the start of the CLI

    deployment = document["deployment"]
    try:
        verdicts = _verdicts(stack, deployment, creations)
    except ClusterError as error:
        why = f"whether it is there cannot be seen: {error}"
        return [Diagnostic("warning", f"{about(each)}; {why}") for each in creations if each.object]
    created = [verdict for verdict in verdicts if isinstance(verdict, Created)]
    if created or pending_operations(deployment):
        _replace_state(stack, document, with_created(deployment, created))
    return [_message(verdict, about(verdict.pending)) for verdict in verdicts]


def _replace_state(stack: ProjectStack, document: Mapping[str, Any], deployment: Mapping[str, Any]) -> None:
    # Asking the cluster may take half a minute, in which a whole run can begin and end. The CLI has no import
    # that names the state it replaces, so a run that begins and ends between these two calls is not detected;
    # one that is still active holds the lock, and the import is refused.
    if stack.state() != document:
        raise StateMovedError
    stack.replace_state({**document, "deployment": deployment})


def _exported(stack: ProjectStack) -> Mapping[str, Any]:
    try:
        return stack.export()
    except CliFailedError:
        # There is no such stack yet, or the operation will fail with the same error, and report it better.
        return {}


def _refresh(stack: ProjectStack, deployment: Mapping[str, Any], urns: Sequence[str]) -> RunReport:
    """Refresh resources; even without any, the refresh proves that no other run holds the stack."""
    held = {str(resource["urn"]): resource["type"] for resource in deployment.get("resources") or ()}
    itself = [urn for urn, kind in held.items() if kind == STACK_TYPE]
    targets = (*itself, *(urn for urn in dict.fromkeys(urns) if urn in held))
    # No output is forwarded: the user is told what was found, and not how.
    quiet = replace(stack, on_output=None, on_event=None, on_diagnostic=None, create=False)
    return quiet.refresh(RunOptions(targets=targets))


def _verdicts(
    stack: ProjectStack, deployment: Mapping[str, Any], creations: Sequence[PendingOperation]
) -> list[Verdict]:
    """What became of each creation that the state does not hold yet, or `ClusterError`."""
    from dittoinfra.kubernetes import connect
    from dittoinfra.kubernetes.objects import read_object

    objects = [
        (each, this)
        for each in creations
        if (this := each.object) is not None and not holds(deployment, each)
    ]
    if not objects:
        return []
    configuration = stack.configuration()
    if configuration.manifests is not None:
        # A manifest that already exists is written again, no matter what wrote it.
        return [NotCreated(each) for each, _ in objects]
    with connect(configuration.kubeconfig(stack.environment), configuration.context) as cluster:
        verdicts: list[Verdict] = []
        for each, this in objects:
            live = read_object(cluster, this.api_version, this.kind, this.namespace or "", this.name)
            verdicts.append(judge(deployment, each, live))
        return verdicts


def _message(verdict: Verdict, about: str) -> Diagnostic:
    match verdict:
        case Created():
            return Diagnostic("info", f"{about}; it is there, and the stack knows it now")
        case NotCreated():
            return Diagnostic("info", f"{about}; it is not there yet")
        case Foreign(pending, why):
            this = pending.object
            return Diagnostic(
                "warning", f"{about}; {this and this.kind} {this and this.name} is there: {why}"
            )


def _interrupted(pending: PendingOperation) -> str:
    return f"{pending.name}: an earlier run was interrupted while {pending.doing} it"


def _lost(creation: PendingOperation) -> str:
    return f"{creation.name}: the provider ended while {creation.doing} it"


def _with_messages(stack: ProjectStack, report: RunReport, messages: Sequence[Diagnostic]) -> RunReport:
    for message in messages:
        if stack.on_diagnostic is not None:
            stack.on_diagnostic(message)
    return report.saying(*messages)
