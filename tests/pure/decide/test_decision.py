"""The whole decision of a run, from settings, memory and observations."""

from dataclasses import replace
from typing import Any

from dittoinfra.adapter_usage import Usage
from dittoinfra.decide.decision import Decision, decide
from dittoinfra.decide.guard import patched_place
from dittoinfra.decide.observations import Answers, ClusterFacts, Fingerprints, Observations
from dittoinfra.decide.refusals import BrakePulled, ExistsAlready, InUse, NotHeld
from dittoinfra.decide.server_discovery import discover
from dittoinfra.exitcodes import ExitCode
from dittoinfra.model import (
    HostNames,
    ListedObject,
    Listing,
    Located,
    Missing,
    NameMemory,
    Outcome,
    RememberedAdapter,
    RememberedNames,
    RememberedServer,
)
from dittoinfra.object_model import HeldObject, LiveObject, LiveObjects, ObjectIdentity, ObjectPlace
from dittoinfra.settings import StackSettings
from dittoinfra.state import HeldStack, Memory
from tests.pure.decide.make import answer, remembering, server, serving

NFS = answer(serving("nfs", 12049))
SERVICE = ObjectPlace("v1", "Service", "files", "media-adapter-nfs")
FOUND_BY = {"serversFrom": [{"kind": "StatefulSet", "selector": {"matchLabels": {"app": "dittofs-server"}}}]}


def settings(*servers: dict[str, Any], **more: Any) -> StackSettings:  # noqa: ANN401 - any setting
    return StackSettings.model_validate({"namespace": "files", "servers": list(servers), **more})


def observed(
    polls: dict[str, Outcome],
    objects: LiveObjects | None = None,
    listings: tuple[Listing, ...] = (),
    unseen: dict[ObjectPlace, str] | None = None,
) -> Observations:
    heard = {name: (outcome,) for name, outcome in polls.items()}
    return Observations(Answers(Fingerprints(), heard, listings), ClusterFacts(), objects, unseen or {})


def decided(stack: StackSettings, memory: Memory, observations: Observations) -> Decision:
    return decide(stack, memory, observations)


def test_what_a_server_serves_is_declared() -> None:
    decision = decided(settings({"name": "media"}), Memory(), observed({"media": NFS}, {SERVICE: None}))

    assert decision.refusals == ()
    assert [this.name for this in decision.declared] == ["media"]
    assert [a.type for a in decision.adapters.servers["media"].adapters] == ["nfs"]


def test_an_object_of_others_refuses_the_run_unless_something_else_does_already() -> None:
    foreign = LiveObject({"managedFields": [{"manager": "helm"}]})
    memory = Memory(adapters={"media": remembering(("nfs", 12049))})
    stack = settings({"name": "media", "absencePolls": 1})

    [exists] = decided(stack, Memory(), observed({"media": NFS}, {SERVICE: foreign})).refusals
    [brake] = decided(stack, memory, observed({"media": answer()}, {SERVICE: foreign})).refusals

    assert isinstance(exists, ExistsAlready)
    assert isinstance(brake, BrakePulled)


def test_a_restart_that_cuts_clients_off_refuses_the_run_where_that_is_wanted() -> None:
    memory = Memory(adapters={"media": remembering(("nfs", 12050))}, patched_ports={"media": "x"})
    media = {"name": "media", "patchPorts": True}
    clients = replace(observed({"media": NFS}), in_use={"media": {"nfs": Usage(clients=1)}})

    assert not decided(settings(media), memory, clients).refusals
    stopped = decided(settings(media, protectInUse=True), memory, clients)

    assert stopped.restarts == {"media": "its adapters"}
    assert [type(refusal) for refusal in stopped.refusals] == [InUse]


def test_a_found_server_that_is_not_listed_any_more_counts_as_absent() -> None:
    stack = settings(**FOUND_BY)
    memory = Memory(
        adapters={"media": remembering(("nfs", 12049))},
        servers={"media": RememberedServer("files", {"app": "dittofs-server"})},
    )

    decision = decided(stack, memory, observed({}, {}, (Listing("serversFrom[0]"),)))

    assert isinstance(decision.adapters.servers["media"].outcome, Missing)
    assert [a.absences for a in decision.adapters.servers["media"].adapters] == [1]
    assert set(decision.found) == {"media"}


def test_listed_servers_are_found() -> None:
    listed = ListedObject("StatefulSet", "files", "media", {"app": "dittofs-server"})

    discovery = discover(settings(**FOUND_BY), Memory(), (Listing("serversFrom[0]", (listed,)),))

    assert [this.name for this in discovery.servers] == ["media"]


def test_in_another_cluster_nothing_that_the_state_holds_is_there_yet() -> None:
    held = {HeldObject("v1", "Service", "media/nfs"): SERVICE}
    stack, seen = settings({"name": "media"}), observed({"media": NFS}, {SERVICE: None})

    def gone(memory: Memory) -> list[str]:
        return [this.held.name for this in decided(stack, memory, seen).guarded.gone]

    assert gone(Memory(objects=held)) == ["media/nfs"]
    assert gone(Memory(objects=held, replacing=("context",))) == []


def test_a_workload_that_was_not_seen_is_declared_as_the_state_knows_it() -> None:
    stack = settings({"name": "media", "deploy": {}, "api": {"portForward": {}}})
    memory = Memory(restarts={"media": "yesterday"})
    workload = ObjectPlace("apps/v1", "StatefulSet", "files", "media")

    def restarts(objects: LiveObjects | None) -> dict[str, str]:
        return dict(decided(stack, memory, observed({"media": NFS}, objects)).guarded.restarts)

    assert restarts(None) == {"media": "yesterday"}
    assert restarts({}) == {"media": "yesterday"}
    assert restarts({workload: None}) == {}
    assert restarts({workload: LiveObject({}, restarted="today")}) == {"media": "today"}


def test_ports_of_a_patched_workload_are_those_that_were_seen() -> None:
    stack = settings({"name": "media", "patchPorts": True})
    place = patched_place(server(namespace="files"))
    seen = {place: LiveObject({}, ports=frozenset({"api 8080/TCP"}))}

    assert decided(stack, Memory(), observed({"media": NFS}, seen)).guarded.live_ports == {
        "media": frozenset({"api 8080/TCP"})
    }
    assert decided(stack, Memory(), observed({"media": NFS}, {place: None})).guarded.live_ports == {}


TWICE = Listing(
    "serversFrom[0]",
    tuple(
        ListedObject("StatefulSet", namespace, name)
        for namespace, name in (("a", "media"), ("b", "media"), ("files", "other"))
    ),
)


def test_a_found_server_that_is_held_stays_as_the_state_has_it_and_stops_no_other() -> None:
    service, others = HeldObject("v1", "Service", "media/nfs"), HeldObject("v1", "Service", "other/nfs")
    names = HostNames("media", "nfs", "files", "media-adapter-nfs", "external-dns", "media.example.com")
    memory = Memory(
        adapters={
            # Its settings do not apply: that they would not split it says nothing.
            "media": {"nfs": RememberedAdapter("nfs", 12049, 1, "files", split=True)},
            "other": remembering(("nfs", 12049)),
        },
        servers={name: RememberedServer("files", found={}) for name in ("media", "other")},
        names=NameMemory(told={"media/nfs": RememberedNames(names, Located())}),
        held=HeldStack(
            {"media": {"namespace": "files"}, "other": {}},
            (("media", service), ("other", others)),
            {"servers": {"media": {"adapters": {}}, "other": {}}},
        ),
        objects={service: SERVICE},
        identities={service: ObjectIdentity("urn", uid="1", manager="ours")},
    )
    remade = LiveObject({"uid": "2", "managedFields": [{"manager": "helm"}]})
    stack = settings(**FOUND_BY, absencePolls=5, onUnreachable="fail")

    decision = decided(stack, memory, observed({"other": NFS}, {SERVICE: remade}, (TWICE,)))

    assert decision.refusals == (), "nothing of it is deleted"
    assert [this.name for this in decision.declared] == ["other"]
    assert [(this.name, this.absence_polls) for this in decision.known] == [("other", 5), ("media", 5)]
    assert decision.held == HeldStack(
        {"media": {"namespace": "files"}}, (("media", service),), {"servers": {"media": {"adapters": {}}}}
    )
    [note] = [note for note in decision.notes if note.server == "media"]
    assert (note.server, note.warning) == ("media", True)
    assert note.text.startswith("nonsense: found in the namespaces a and b, ")
    assert note.text.endswith("; 1 remembered adapter kept as is")


def test_where_the_state_cannot_be_declared_again_a_held_server_refuses_the_run() -> None:
    stack = settings(**FOUND_BY)
    observations = observed({"other": NFS}, listings=(TWICE,))
    memory = Memory(servers={"media": RememberedServer("files", found={})})

    [refusal] = decided(stack, memory, observations).refusals

    assert isinstance(refusal, NotHeld)
    assert str(refusal).startswith("media: found in the namespaces a and b, ")
    assert refusal.exit_code is ExitCode.CONFIGURATION
    assert decided(stack, Memory(), observations).refusals == (), "it is new: nothing of it is held"
