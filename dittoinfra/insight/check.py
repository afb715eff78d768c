"""Checking a stack for drift, without changing anything."""

from dataclasses import replace

from dittoinfra.automation import ProjectStack, RunReport
from dittoinfra.decide import PortLost, Refusal, ServerUnanswered
from dittoinfra.decide.echo import echo
from dittoinfra.exitcodes import ExitCode
from dittoinfra.fleet.result import common_exit_code
from dittoinfra.insight.drift import (
    Kind,
    StackDrift,
    cluster_drift,
    configuration_drift,
    intent_drift,
    stopped,
    unanswered,
    unchecked,
)
from dittoinfra.insight.nothing import told_nothing
from dittoinfra.model import Gap
from dittoinfra.program import RecordedInquiry, RunRecord, RunRefused, RunStopped


def check(stack: ProjectStack) -> StackDrift:
    """Ask the servers, look at the cluster, and see what the configuration alone would change."""
    stack.create = False
    asked = _asked(stack)
    record = asked.decided
    if record is None:
        return _nothing(stack, asked)
    refreshed = stack.preview_refresh()
    foretold = _undisturbed(stack, record)
    for report in (refreshed, foretold):
        if report.exit_code == ExitCode.CANCELLED:
            return _nothing(stack, report)
    return told(stack.name, record, refreshed, foretold)


def _nothing(stack: ProjectStack, report: RunReport) -> StackDrift:
    errors, code = told_nothing(report)
    return StackDrift(stack=stack.name, errors=errors, exit_code=code)


def _asked(stack: ProjectStack) -> RunReport:
    """A run that ends with its decision: what it would declare is not wanted."""

    def enough(_: RunRecord) -> None:
        raise RunStopped(["the servers have been asked"])

    stack.inquiry, stack.on_decided = None, enough
    return stack.preview()


def _undisturbed(stack: ProjectStack, record: RunRecord) -> RunReport:
    """A preview in which every server says what is remembered anyway."""
    polls = {
        server.name: echo(
            server,
            record.memory.adapters.get(server.name, {}),
            record.decision.servers[server.name].outcome,
        )
        for server in record.servers
    }
    # A listing with a gap removes nobody, so every server stands as it is remembered.
    listings = tuple(
        replace(listing, objects=(), gaps=(Gap("as remembered"),)) for listing in record.answers.listings
    )
    answers = replace(record.answers, polls=polls, listings=listings)
    stack.inquiry, stack.on_decided = RecordedInquiry(answers), None
    return stack.preview()


def told(stack: str, record: RunRecord, refreshed: RunReport, foretold: RunReport) -> StackDrift:
    """What the servers, the cluster and the configuration come to. Pure."""
    refused = foretold.decided.refused if foretold.decided else ()
    # Where a port is lost, there is nothing that the configuration could be compared with.
    lost = tuple(refusal for refusal in refused if isinstance(refusal, PortLost))
    by_configuration = tuple(refusal for refusal in refused if refusal not in lost)
    silent = tuple(refusal for refusal in record.refused if isinstance(refusal, ServerUnanswered))
    by_intent = tuple(refusal for refusal in record.refused if refusal not in (*silent, *refused))
    blind = [
        (kind, report)
        for kind, report in ((Kind.CLUSTER, refreshed), (Kind.CONFIGURATION, foretold))
        if not report.ok and not (kind is Kind.CONFIGURATION and refused)
    ]
    drift = (
        *intent_drift(record),
        *stopped(Kind.INTENT, stack, by_intent),
        *cluster_drift(refreshed),
        *configuration_drift(foretold),
        *stopped(Kind.CONFIGURATION, stack, by_configuration),
    )
    unknown = (
        *unanswered(record),
        *(finding for kind, report in blind for finding in unchecked(kind, stack, report.lines("error"))),
        *unchecked(Kind.CONFIGURATION, stack, lost),
    )
    stopping: tuple[Refusal, ...] = (*silent, *lost)
    codes = (
        ExitCode.UNEXPECTED_CHANGES if drift else 0,
        *(RunRefused([refusal]).exit_code for refusal in stopping),
        *(report.exit_code for _, report in blind),
    )
    return StackDrift(stack=stack, drift=drift, unknown=unknown, exit_code=common_exit_code(codes))
