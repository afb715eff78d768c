"""How a stack stands, from what its servers, its state, its cluster and its backend show."""

from collections.abc import Mapping
from typing import Any

import pytest

from dittoinfra.decide.explanation import Action
from dittoinfra.object_model import HeldObject, ObjectPlace
from dittoinfra.reports.status.forecast import ObjectChange
from dittoinfra.reports.status.stack_status import ClusterUnknown, stack_view
from dittoinfra.reports.status.status_model import AdapterStatus, LastRun, Next, StackStatus
from tests.pure.decide.make import UNREACHABLE, answer, remembering, server, serving
from tests.unit.status.make import (
    AT,
    SUCCEEDED,
    deployment,
    endpoint_slice,
    facts,
    record,
    service,
    step,
)

MEDIA = server()
NFS = {"media": remembering(("nfs", 12049))}
SERVING = {"media": answer(serving("nfs", 12049))}
PLACE = ObjectPlace("v1", "Service", "files", "media-adapter-nfs")
HELD = deployment({"media/nfs": service("media-adapter-nfs", 2049, "192.0.2.1")})


def only_adapter(view: StackStatus) -> AdapterStatus:
    ((adapter,),) = (server.adapters for server in view.servers)
    return adapter


def conditions(*, answered: bool) -> dict[str, Any]:
    """What a run leaves in its outputs."""
    return {"media": {"conditions": [{"type": "APIReachable", "status": "True" if answered else "False"}]}}


def test_a_settled_stack() -> None:
    live = {PLACE: service("media-adapter-nfs", 2049, "192.0.2.7", target=12049)}
    slices = [endpoint_slice("media-adapter-nfs", "adapter-nfs")]

    view = stack_view(facts(record([MEDIA], NFS, SERVING), state=HELD, live=live, slices=slices))

    assert view.ready
    assert view.next_changes is not None
    assert not view.next_changes.any
    assert view.stopped == ()
    assert [(c.type, c.status) for c in view.servers[0].conditions] == [
        ("APIReachable", "True"),
        ("AdaptersReady", "True"),
        ("Ready", "True"),
    ]
    assert only_adapter(view).next == Next(action=Action.KEEP, why="served")


def test_what_the_engine_changes_and_the_decision_does_not_is_the_configuration() -> None:
    foretold = {HeldObject("v1", "Service", "media/nfs"): ObjectChange("update", ("spec.type",))}

    view = stack_view(facts(record([MEDIA], NFS, SERVING), foretold))

    why = "served, the configuration changed: spec.type"
    assert only_adapter(view).next == Next(action=Action.UPDATE, why=why)


def test_endpoints_are_the_live_ones() -> None:
    live = {PLACE: service("media-adapter-nfs", 2049, "192.0.2.7", "2001:db8::7")}

    view = stack_view(facts(record([MEDIA], NFS, SERVING), state=HELD, live=live))

    assert view.cluster_unknown is None
    found = only_adapter(view).endpoints
    assert found is not None
    assert found.model_dump() == {
        "serviceType": "LoadBalancer",
        "internal": "media-adapter-nfs.files.svc:2049",
        "external": ("192.0.2.7:2049", "[2001:db8::7]:2049"),
        "awaitsAddress": False,
        "nodePort": 31000,
        "mount": ("mount -t nfs -o vers=4.0,port=2049 192.0.2.7:/EXPORT /mnt",),
        "live": True,
    }


def test_without_a_cluster_they_are_the_state_s_and_say_so() -> None:
    view = stack_view(facts(record([MEDIA], NFS, SERVING), state=HELD, live=ClusterUnknown("no kubeconfig")))

    assert view.cluster_unknown == "no kubeconfig"
    found = only_adapter(view).endpoints
    assert found is not None
    assert (found.external, found.live) == (("192.0.2.1:2049",), False)


def test_a_service_that_is_gone_from_the_cluster_has_no_endpoints() -> None:
    assert only_adapter(stack_view(facts(record([MEDIA], NFS, SERVING), state=HELD))).endpoints is None


def test_names_are_those_of_the_last_run() -> None:
    dns = {"hostname": "nfs.example.com", "aliases": ["files.example.com"]}
    state = deployment({}, {"media": {"adapters": {"nfs": {"dns": dns}}}})

    view = stack_view(facts(record([MEDIA], NFS, SERVING), state=state))

    names = only_adapter(view).names
    assert names is not None
    assert (names.hostname, names.aliases) == ("nfs.example.com", ("files.example.com",))


@pytest.mark.parametrize("answered", [True, False])
def test_a_silence_is_dated_by_the_last_run(answered: bool) -> None:
    run = record([MEDIA], NFS, {"media": UNREACHABLE})
    later = {"kind": "refresh", "result": "succeeded", "endTime": "later"}

    view = stack_view(
        facts(run, state=deployment({}, conditions(answered=answered)), history=(later, SUCCEEDED))
    )

    (media,) = view.servers
    assert (media.outcome, media.why) == ("unreachable", UNREACHABLE.why)
    assert media.last_run == LastRun(at=AT, answered=answered)
    assert view.last_operation is not None
    assert view.last_operation.kind == "refresh"


@pytest.mark.parametrize("history", [(), ({**SUCCEEDED, "result": "failed"}, SUCCEEDED)])
def test_and_by_nothing_where_the_state_may_be_another_run_s(history: tuple[Mapping[str, Any], ...]) -> None:
    run = record([MEDIA], NFS, {"media": UNREACHABLE})

    view = stack_view(facts(run, state=deployment({}, conditions(answered=True)), history=history))

    assert view.servers[0].last_run is None


def test_a_refused_run_is_shown() -> None:
    run = record([server(absencePolls=1)], NFS, {"media": answer()})

    view = stack_view(facts(run))

    assert view.next_changes is None
    assert not view.ready
    assert [(c.status, c.reason) for c in view.servers[0].conditions][2] == ("False", "Stopped")
    (why,) = view.stopped
    assert why.startswith("brake: this run would remove 1 of 1 adapters")
    assert only_adapter(view).next.action is Action.REMOVE


def test_a_server_that_left_the_configuration_is_still_shown() -> None:
    view = stack_view(facts(record([], NFS, {})))

    (gone,) = view.servers
    assert (gone.namespace, gone.outcome, gone.conditions) == (None, "unconfigured", ())
    assert only_adapter(view).next.action is Action.REMOVE


def test_what_is_under_way_or_was_interrupted_is_shown() -> None:
    state = deployment({}) | {
        "pending_operations": [{"type": "creating", "resource": {"urn": step("create", "media/nfs").urn}}]
    }

    view = stack_view(
        facts(
            record([MEDIA], NFS, SERVING),
            state=state,
            history=({"kind": "update", "result": "in-progress"}, SUCCEEDED),
        )
    )

    assert view.pending == ("creating Service media/nfs",)
    assert view.updating


def test_what_waits_for_its_deletion_is_not_where_clients_are_sent() -> None:
    state = deployment({"media/nfs": service("media-adapter-nfs", 2049, "192.0.2.1")})
    state["resources"].append(
        {**state["resources"][1], "outputs": service("media-adapter-nfs", 2049, "192.0.2.9"), "delete": True}
    )

    view = stack_view(facts(record([MEDIA], NFS, SERVING), state=state, live=ClusterUnknown("")))

    found = only_adapter(view).endpoints
    assert found is not None
    assert found.external == ("192.0.2.1:2049",)


def test_a_stack_whose_cluster_cannot_be_asked_is_not_ready_unless_it_has_none() -> None:
    run = record([MEDIA], NFS, SERVING)
    views = [
        stack_view(facts(run, state=HELD, live=ClusterUnknown("no kubeconfig", exists=exists)))
        for exists in (True, False)
    ]

    assert [view.ready for view in views] == [False, True]
    for view in views:
        assert [(c.status, c.reason) for c in view.servers[0].conditions][2] == ("Unknown", "ClusterUnknown")


def test_the_last_change_is_shown_with_its_reason() -> None:
    changed = {
        **SUCCEEDED,
        "message": "dittoinfra up: 1 to delete\ndelete Service media/smb: disabled on the server",
        "resourceChanges": {"delete": 1, "same": 2},
    }

    view = stack_view(facts(record([MEDIA], NFS, SERVING), history=(SUCCEEDED, changed)))

    assert view.last_change is not None
    (noted,) = view.last_change.changes
    assert (noted.object, noted.reason) == ("Service media/smb", "disabled on the server")
