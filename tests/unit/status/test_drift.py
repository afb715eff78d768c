"""Whose doing a difference is."""

from dataclasses import replace

import pytest

from dittoinfra.decide.refusals import BrakePulled, PortLost, WorkloadReplaced
from dittoinfra.model import Outcome, StackMemory
from dittoinfra.program.survey import RunRecord
from dittoinfra.reports.status.drift_check import stack_drift
from dittoinfra.reports.status.status_model import StackDrift
from dittoinfra.reports.status.terminal import drift_lines
from dittoinfra.stacks.result import RunReport
from dittoinfra.stacks.shown_values import Difference
from tests.pure.decide.make import DENIED, UNREACHABLE, answer, disabled, remembering, server, serving
from tests.unit.status.make import record, report, step

NFS: StackMemory = {"media": remembering(("nfs", 12049))}
SERVING = answer(serving("nfs", 12049))
QUIET = report()
DOES = "; run `dittoinfra up prod` to apply this"


def heard(outcome: Outcome, memory: StackMemory = NFS, **settings: object) -> RunRecord:
    return record([server("media", **settings)], memory, {"media": outcome})


def lines(found: StackDrift) -> list[str]:
    return list(drift_lines(found))


def refused(run: RunRecord, *reasons: BrakePulled | PortLost | WorkloadReplaced) -> RunReport:
    """A preview with the echo of what is remembered, which stopped."""
    decided = replace(run, decision=replace(run.decision, refusals=reasons))
    return replace(report(exit_code=5, errors=["said"]), decided=decided)


def test_no_drift() -> None:
    found = stack_drift("prod", heard(SERVING), QUIET, QUIET)

    assert (lines(found), found.exit_code) == (["prod: no drift"], 0)


@pytest.mark.parametrize(
    ("outcome", "line"),
    [
        (answer(serving("nfs", 1)), "media/nfs: update: served, moved from port 12049 to 1"),
        (answer(), "media/nfs: update: missing from the answer, absent 1/3"),
        (answer(disabled("nfs", 12049)), "media/nfs: remove: disabled on the server"),
        (
            answer(serving("nfs", 12049), serving("smb", 12445)),
            "media/smb: create: served, not in the stack yet",
        ),
    ],
)
def test_intent(outcome: Outcome, line: str) -> None:
    found = stack_drift("prod", heard(outcome), QUIET, QUIET)

    assert (lines(found), found.exit_code) == ([f"prod: intent: {line}{DOES}"], 7)


def test_an_absence_that_changes_nothing_any_more_is_no_drift() -> None:
    run = heard(answer(), {"media": remembering(("nfs", 12049, 3))}, removal="never")

    assert lines(stack_drift("prod", run, QUIET, QUIET)) == ["prod: no drift"]


def test_cluster() -> None:
    refreshed = report(step("update", "media/nfs", "spec.ports[0].port"), step("delete", "media/smb"))

    found = stack_drift("prod", heard(SERVING), refreshed, QUIET)

    assert lines(found) == [
        "prod: cluster: Service media/nfs: changed: spec.ports[0].port; `dittoinfra up prod` puts it back",
        "prod: cluster: Service media/smb: deleted; `dittoinfra up prod` creates it again",
    ]
    assert found.exit_code == 7


def test_configuration() -> None:
    foretold = report(
        step("create", "attic", kind="dittoinfra:index:Server"),
        step("update", "media/nfs", "metadata.labels.team"),
        step("delete-replaced", "media/smb", "metadata.namespace"),
        step("replace", "media/smb", "metadata.namespace"),
        step("create-replacement", "media/smb", "metadata.namespace"),
    )

    found = stack_drift("prod", heard(SERVING), QUIET, foretold)

    assert lines(found) == [
        f"prod: configuration: Service media/nfs: update: metadata.labels.team{DOES}",
        f"prod: configuration: Service media/smb: replace: metadata.namespace{DOES}",
    ]
    assert found.exit_code == 7


def test_a_configuration_tells_old_and_new_values() -> None:
    changed = replace(
        step("update", "media/nfs", "spec.type"),
        differences=(Difference("spec.type", "LoadBalancer", "NodePort"),),
    )
    moved = replace(changed, operation="replace")

    told = "prod: configuration: Service media/nfs: "
    value = f"spec.type: LoadBalancer → NodePort{DOES}"
    for foretold, line in ((changed, f"{told}{value}"), (moved, f"{told}replace: {value}")):
        assert lines(stack_drift("prod", heard(SERVING), QUIET, report(foretold))) == [line]


def test_a_restart_that_the_next_run_declares_is_no_drift() -> None:
    path = 'spec.template.metadata.annotations["kubectl.kubernetes.io/restartedAt"]'
    foretold = report(step("update", "media", path, kind="kubernetes:apps/v1:StatefulSet"))

    assert lines(stack_drift("prod", heard(SERVING), QUIET, foretold)) == ["prod: no drift"]


def test_a_server_without_anything_in_it_speaks_for_itself() -> None:
    component = "dittoinfra:index:Server"

    found = stack_drift("prod", heard(SERVING), QUIET, report(step("create", "attic", kind=component)))

    assert lines(found) == [f"prod: configuration: Server attic: create{DOES}"]


def test_a_pin_is_configuration_and_not_intent() -> None:
    run = heard(SERVING, adapters={"pinned": [{"type": "smb", "port": 445}]})

    found = stack_drift("prod", run, QUIET, report(step("create", "media/smb")))

    assert lines(found) == [f"prod: configuration: Service media/smb: create{DOES}"]


def test_a_change_that_would_be_refused_is_drift_too() -> None:
    run = heard(SERVING)
    stopping = WorkloadReplaced("media", "storage", "1Gi", "2Gi", "grow it by hand")

    found = stack_drift("prod", run, QUIET, refused(run, stopping))

    assert lines(found) == [f"prod: configuration: the next run would stop: {stopping}"]
    assert found.exit_code == 7


def test_the_brake_is_named_with_what_pulls_it() -> None:
    run = heard(answer(), absencePolls=1)

    found = stack_drift("prod", run, QUIET, QUIET)

    removal, brake = lines(found)
    assert removal == f"prod: intent: media/nfs: remove: absent 1/1{DOES}"
    assert brake.startswith("prod: intent: the next run would stop: brake: this run would remove 1 of 1")


def test_silence_is_no_drift() -> None:
    found = stack_drift("prod", heard(UNREACHABLE), QUIET, QUIET)

    assert lines(found) == ["prod: unknown (intent): media: unreachable: connection refused"]
    assert found.exit_code == 0


@pytest.mark.parametrize(("outcome", "exit_code"), [(UNREACHABLE, 1), (DENIED, 3)])
def test_silence_fails_where_the_settings_say_so(outcome: Outcome, exit_code: int) -> None:
    found = stack_drift("prod", heard(outcome, onUnreachable="fail"), QUIET, QUIET)

    assert len(lines(found)) == 1
    assert found.exit_code == exit_code


def test_one_kind_that_cannot_be_checked_hides_no_other() -> None:
    blind = report(exit_code=4, errors=["no answer from the Kubernetes API"])

    found = stack_drift("prod", heard(answer(serving("nfs", 1))), blind, QUIET)

    assert lines(found) == [
        f"prod: intent: media/nfs: update: served, moved from port 12049 to 1{DOES}",
        "prod: unknown (cluster): no answer from the Kubernetes API",
    ]
    assert found.exit_code == 1


def test_a_lost_port_leaves_nothing_to_compare_the_configuration_with() -> None:
    run = heard(UNREACHABLE, {"media": remembering(("nfs", None))})
    lost = PortLost("media", "nfs")

    found = stack_drift("prod", run, QUIET, refused(run, lost))

    assert lines(found)[1:] == [f"prod: unknown (configuration): {lost}"]
    assert found.exit_code == 1
