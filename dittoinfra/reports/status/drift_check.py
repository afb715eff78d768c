"""How a stack differs from what it should be, and what caused each difference.

| kind | what changed | found by |
|---|---|---|
| intent | adapters, on the server | the decision that its answer leads to, beside what the stack remembers |
| cluster | objects, in the cluster | a refresh that is only previewed, and the live objects themselves |
| configuration | settings, or the program | a preview in which every server answers what is remembered |
"""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace

from dittoinfra.decide.cluster_edits import RESTARTED_AT
from dittoinfra.decide.explanation import adapter_actions
from dittoinfra.decide.managed_fields import path_text
from dittoinfra.decide.observations import Answers
from dittoinfra.decide.readiness import stop_words
from dittoinfra.decide.refusals import PortLost, Refusal, ServerUnanswered
from dittoinfra.decide.server_rules import unchanged_answers
from dittoinfra.exitcodes import ExitCode
from dittoinfra.model import Listing, Unanswered
from dittoinfra.naming import adapter_resource
from dittoinfra.program.run_errors import RunRefused
from dittoinfra.program.survey import RunRecord
from dittoinfra.reports.status.cluster_drift import (
    StackObject,
    cluster_drift,
    object_steps,
    restarts,
    stack_objects,
    step_findings,
)
from dittoinfra.reports.status.queries import read_live
from dittoinfra.reports.status.stack_status import ClusterUnknown, holds
from dittoinfra.reports.status.status_model import Finding, Kind, StackDrift
from dittoinfra.stacks.project_stack import ProjectStack
from dittoinfra.stacks.result import RunReport, common_exit_code
from dittoinfra.stacks.stack_survey import read_stack, survey_stack


def check_drift(stack: ProjectStack) -> StackDrift:
    """The drift of a stack; `RunStopped` or `CliFailedError` where it cannot be read. Changes nothing."""
    stored = read_stack(stack)
    record = survey_stack(stack, stored)
    objects = stack_objects(stored.deployment)
    live = read_live(record, (this.place for this in objects))
    refreshed = stack.preview_refresh()
    previewed = stack.preview(given=_unchanged(record))
    if ExitCode.CANCELLED in (refreshed.exit_code, previewed.exit_code):
        return StackDrift(stack=stack.name, errors=("cancelled",), exit_code=ExitCode.CANCELLED)
    existing: Sequence[StackObject] | ClusterUnknown = (
        live
        if isinstance(live, ClusterUnknown)
        else [replace(this, live=live[this.place]) for this in objects if this.place in live]
    )
    return stack_drift(stack.name, record, refreshed, previewed, existing)


def _unchanged(record: RunRecord) -> Answers:
    """Answers in which every server says what is remembered."""
    memory, decided = record.memory.adapters, record.decision.adapters.servers
    polls = {
        server.name: unchanged_answers(server, memory.get(server.name, {}), decided[server.name].outcome)
        for server in record.decision.known
    }
    listings = tuple(Listing(listing.source, held=True) for listing in record.answers.listings)
    return replace(record.answers, polls=polls, listings=listings)


def stack_drift(
    stack: str,
    record: RunRecord,
    refreshed: RunReport,
    previewed: RunReport,
    objects: Sequence[StackObject] | ClusterUnknown = (),
) -> StackDrift:
    """The drift of a stack, from a previewed refresh, a preview with unchanged answers, and the objects that
    exist. Pure."""
    refused = previewed.decided.decision.refusals if previewed.decided else ()
    # Where a port is lost, there is nothing that the configuration could be compared with.
    lost = [refusal for refusal in refused if isinstance(refusal, PortLost)]
    by_configuration = [refusal for refusal in refused if refusal not in lost]
    silent = [refusal for refusal in record.decision.refusals if isinstance(refusal, ServerUnanswered)]
    by_intent = [refusal for refusal in record.decision.refusals if refusal not in (*silent, *refused)]
    failed = [] if refreshed.ok else [(Kind.CLUSTER, refreshed)]
    if not previewed.ok and not refused:
        failed.append((Kind.CONFIGURATION, previewed))
    live = () if isinstance(objects, ClusterUnknown) else objects
    # A refresh that failed has said why already.
    unseen = [objects.why] if isinstance(objects, ClusterUnknown) and refreshed.ok else []
    # A Service that is being deleted is not declared until it is gone: the configuration has not changed.
    terminating = {this.subject for this in live if this.is_terminating}

    then = f"run `dittoinfra up {stack}` to apply this"
    would = f"the next run would {stop_words(holds(record))}: "

    def about_stack(kind: Kind, reasons: Iterable[object], before: str = "") -> Iterator[Finding]:
        return (Finding(kind=kind, subject=stack, text=f"{before}{reason}") for reason in reasons)

    drift = (
        *_intent(record, then),
        *about_stack(Kind.INTENT, by_intent, would),
        *cluster_drift(stack, refreshed, live),
        *(finding for finding in _configuration(previewed, then) if finding.subject not in terminating),
        *about_stack(Kind.CONFIGURATION, by_configuration, would),
    )
    unknown = (
        *_unanswered(record),
        *(each for kind, report in failed for each in about_stack(kind, report.lines("error"))),
        *about_stack(Kind.CLUSTER, unseen),
        *about_stack(Kind.CONFIGURATION, lost),
    )
    stopping: tuple[Refusal, ...] = (*silent, *lost)
    codes = (
        ExitCode.UNEXPECTED_CHANGES if drift else 0,
        *(RunRefused([refusal]).exit_code for refusal in stopping),
        *(report.exit_code for _, report in failed),
        ExitCode.GENERIC if unseen else 0,
    )
    return StackDrift(
        stack=stack,
        drift=drift,
        information=tuple(restarts(live)),
        unknown=unknown,
        exit_code=common_exit_code(codes),
    )


def _intent(record: RunRecord, then: str) -> Iterator[Finding]:
    """What servers that answered say, and the stack does not do yet."""
    for server in record.decision.known:
        decision = record.decision.adapters.servers[server.name]
        if isinstance(decision.outcome, Unanswered):
            continue
        for this in adapter_actions(server, record.memory.adapters.get(server.name, {}), decision):
            if this.action.changes and not this.configured:
                adapter = adapter_resource(server.name, this.type)
                text = f"{this.action}: {this.why}"
                yield Finding(kind=Kind.INTENT, subject=adapter, text=text, next=then)


def _unanswered(record: RunRecord) -> Iterator[Finding]:
    for server in record.decision.known:
        outcome = record.decision.adapters.servers[server.name].outcome
        if isinstance(outcome, Unanswered):
            yield Finding(kind=Kind.INTENT, subject=server.name, text=str(outcome))


def _configuration(previewed: RunReport, then: str) -> Iterator[Finding]:
    """What a run would change although every server says what is remembered."""
    for step in object_steps(previewed.steps):
        # The next run declares the time of a restart as it finds it, and changes nothing by that.
        if step.changed != (path_text(RESTARTED_AT),):
            yield from step_findings(Kind.CONFIGURATION, step, step.operation, then)
