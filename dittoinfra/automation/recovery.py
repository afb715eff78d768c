"""Bringing a stack's state in line with what an interrupted run has really done.

Only the state is written to, never the cluster; and never while another run may hold the stack.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

from dittoinfra.automation.cli import CliFailedError
from dittoinfra.automation.interrupted import (
    CREATING,
    Made,
    Mark,
    NotMade,
    NotOurs,
    Verdict,
    holds,
    judge,
    marks_in,
    with_what_was_made,
)
from dittoinfra.automation.options import RunOptions
from dittoinfra.automation.report import NOTHING_DONE, Diagnostic, RunReport
from dittoinfra.cluster import Cluster, ClusterError, connect
from dittoinfra.cluster.objects import read_object

if TYPE_CHECKING:  # a stack has these as its methods
    from dittoinfra.automation.stack import ProjectStack

_STACK = "pulumi:pulumi:Stack"


@dataclass(frozen=True, slots=True)
class Unseen:
    """The cluster could not be asked."""

    why: str


def recover(stack: "ProjectStack") -> RunReport:
    """Make sure of everything that an interrupted run has left unfinished in the state.

    What it was creating, and the cluster has, is taken into the state; what it was changing or deleting is
    looked at again. What nobody can look for stays marked, and `settle` sees to it after the update.
    """
    before = _exported(stack)
    marks = marks_in(before)
    if not marks:
        return NOTHING_DONE
    others = [mark for mark in marks if mark.doing != CREATING]
    refreshed = _look_again(stack, before, [mark.urn for mark in others])
    if not refreshed.ok:
        return _told(stack, replace(refreshed, diagnostics=()), refreshed.diagnostics)
    try:
        # Read once more: whoever was still running until now has come to its end, and taken its marks away.
        document = stack.state()
        creating = [mark for mark in marks_in(document["deployment"]) if mark.doing == CREATING]
        found = _write_down(stack, document, creating, _interrupted) if creating else []
    except CliFailedError as error:
        why = Diagnostic("error", f"what an interrupted run has left cannot be made sure of: {error}")
        return _told(stack, replace(NOTHING_DONE, exit_code=error.exit_code), [why])
    looked = [Diagnostic("info", f"{_interrupted(mark)}; the stack knows how it is now") for mark in others]
    return _told(stack, NOTHING_DONE, (*looked, *found))


def unfinished(stack: "ProjectStack") -> RunReport:
    """What `recover` would see to, and nothing done about it."""
    then = f"`dittoinfra up {stack.name}` sees first what became of it"
    lines = [f"{_interrupted(mark)}; {then}" for mark in marks_in(_exported(stack))]
    return _told(stack, NOTHING_DONE, [Diagnostic("warning", line) for line in lines])


def write_down_lost(stack: "ProjectStack", failed: RunReport) -> RunReport:
    """A failed run's report, once the state knows what its provider had made before it was gone.

    The engine takes the mark of a failed creation away, so this is the last moment that anybody knows of it.
    """
    try:
        proven = _look_again(stack, stack.export(), ())
        found = _write_down(stack, stack.state(), failed.lost, _lost) if proven.ok else []
    except CliFailedError:
        found = []
    unknown = "whether it is there is not known; docs/recovery.md says how to find out"
    lines = found or [Diagnostic("warning", f"{_lost(mark)}; {unknown}") for mark in failed.lost]
    return _told(stack, failed, lines)


def _write_down(
    stack: "ProjectStack", document: Mapping[str, Any], marks: Sequence[Mark], about: Callable[[Mark], str]
) -> list[Diagnostic]:
    deployment = document["deployment"]
    verdicts = _verdicts(stack, deployment, marks)
    if isinstance(verdicts, Unseen):
        return [Diagnostic("warning", f"{about(mark)}; {verdicts.why}") for mark in marks if mark.object]
    made = [verdict for verdict in verdicts if isinstance(verdict, Made)]
    if made or marks_in(deployment):
        stack.replace_state({**document, "deployment": with_what_was_made(deployment, made)})
    return [_line(verdict, about(verdict.mark)) for verdict in verdicts]


def _exported(stack: "ProjectStack") -> Mapping[str, Any]:
    try:
        return stack.export()
    except CliFailedError:
        # There is no such stack yet, or the operation meets the same trouble, and tells it better.
        return {}


def _look_again(stack: "ProjectStack", deployment: Mapping[str, Any], urns: Sequence[str]) -> RunReport:
    """Let the engine read resources again; if there are none, it proves that nobody else runs the stack."""
    held = {str(resource["urn"]): resource["type"] for resource in deployment.get("resources") or ()}
    itself = [urn for urn, kind in held.items() if kind == _STACK]
    targets = (*itself, *(urn for urn in dict.fromkeys(urns) if urn in held))
    # Nobody listens: people are told what was found, and not how.
    quiet = replace(stack, on_output=None, on_event=None, on_diagnostic=None, create=False)
    return quiet.refresh(RunOptions(targets=targets))


def _verdicts(
    stack: "ProjectStack", deployment: Mapping[str, Any], marks: Sequence[Mark]
) -> list[Verdict] | Unseen:
    wanted = [mark for mark in marks if mark.object is not None and not holds(deployment, mark)]
    if not wanted:
        return []
    configuration = stack.configuration()
    if configuration.manifests is not None:
        # A manifest that is there already is written again, whoever wrote it.
        return [NotMade(mark) for mark in wanted]
    try:
        with connect(configuration.kubeconfig(stack.environment), configuration.context) as cluster:
            return [judge(deployment, mark, _live(cluster, mark)) for mark in wanted]
    except ClusterError as error:
        return Unseen(f"whether it is there cannot be seen: {error}")


def _live(cluster: Cluster, mark: Mark) -> dict[str, Any] | None:
    this = mark.object
    assert this is not None  # noqa: S101 - nobody looks for the others
    return read_object(cluster, this.api_version, this.kind, this.namespace or "", this.name)


def _line(verdict: Verdict, about: str) -> Diagnostic:
    match verdict:
        case Made():
            return Diagnostic("info", f"{about}; it is there, and the stack knows it now")
        case NotMade():
            return Diagnostic("info", f"{about}; it is not there yet")
        case NotOurs(mark, why):
            this = mark.object
            return Diagnostic(
                "warning", f"{about}; {this and this.kind} {this and this.name} is there: {why}"
            )


def _interrupted(mark: Mark) -> str:
    return f"{mark.name}: an earlier run was interrupted while {mark.doing} it"


def _lost(mark: Mark) -> str:
    return f"{mark.name}: the provider ended while {mark.doing} it"


def _told(stack: "ProjectStack", report: RunReport, lines: Sequence[Diagnostic]) -> RunReport:
    for line in lines:
        if stack.on_diagnostic is not None:
            stack.on_diagnostic(line)
    return report.saying(*lines)
