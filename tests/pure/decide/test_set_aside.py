"""Objects of other managers beside one server: it waits, or its new adapter does, and the others go on."""

from typing import Any

import pytest

from dittoinfra.decide.decision import Decision, decide
from dittoinfra.decide.observations import Answers, ClusterFacts, Fingerprints, Observations
from dittoinfra.decide.refusals import ExistsAlready, UnreadableObject
from dittoinfra.decide.set_aside import SetAside
from dittoinfra.model import (
    AlreadyPolled,
    Answered,
    ListedObject,
    Listing,
    Nonsense,
    RememberedServer,
    ServerPolls,
    Uncounted,
)
from dittoinfra.object_model import HeldObject, LiveObject, LiveObjects, ObjectPlace
from dittoinfra.settings import StackSettings
from dittoinfra.state import HeldStack, Memory
from tests.pure.decide.make import UNREACHABLE, answer, declared, remembering, serving

NFS, S3 = serving("nfs", 12049), serving("s3", 9000)
FOREIGN = LiveObject({"managedFields": [{"manager": "dittofs-operator"}]})
FOUND = Listing(
    "serversFrom[0]", tuple(ListedObject("StatefulSet", "files", name) for name in ("backup", "media"))
)
HELD_NFS = {
    HeldObject("v1", "Service", "media/nfs"): ObjectPlace("v1", "Service", "files", "media-adapter-nfs")
}
EXISTS = (
    "Service media-adapter-{} in namespace files (written by dittofs-operator) exists already and this stack "
    "did not make it: nothing is touched; {} to take it over (docs/migration.md)"
)
ADOPT = "set adopt: true on the server"
NAME_IT = "name the server in dittoinfra:servers with adopt: true"


def _service(adapter: str) -> ObjectPlace:
    server, _, adapter_type = adapter.partition("/")
    return ObjectPlace("v1", "Service", "files", f"{server}-adapter-{adapter_type}")


def _decide(
    memory: Memory,
    polls: dict[str, ServerPolls],
    *foreign: str,
    found: bool = False,
    unread: tuple[str, ...] = (),
    stack: dict[str, Any] | None = None,
    **settings: Any,  # noqa: ANN401 - any setting
) -> Decision:
    """The decision on `backup` and `media`, which the configuration names unless they are `found`."""
    source: list[dict[str, object]] = [{"selector": {}}] if found else []
    named = [] if found else [{"name": "backup"}, {"name": "media", **settings}]
    document = {"namespace": "files", "servers": named, "serversFrom": source, **(stack or {})}
    adapters = [f"{server}/{kind}" for server in ("backup", "media") for kind in ("nfs", "nfs-udp", "s3")]
    ours = {place: LiveObject({}) for place in memory.objects.values() if place is not None}
    objects: LiveObjects = {
        _service(name): FOREIGN if name in foreign else None for name in adapters if name not in unread
    }
    answers = Answers(Fingerprints(), polls, (FOUND,) if found else ())
    unseen = {_service(name): "HTTP 500" for name in unread}
    namespace = {ObjectPlace("v1", "Namespace", "", "files"): LiveObject({})}
    seen = {**objects, **ours, **namespace}
    observations = Observations(answers, ClusterFacts(), seen, unseen)
    return decide(StackSettings.model_validate(document), memory, observations)


def _memory(**more: Any) -> Memory:  # noqa: ANN401 - any field
    """A stack that holds `media` with nfs."""
    return Memory(
        **{
            "adapters": {"media": remembering(("nfs", 12049))},
            "servers": {"media": RememberedServer("files", found={})},
            "objects": HELD_NFS,
            "held": HeldStack(),
            **more,
        }
    )


BOTH: dict[str, ServerPolls] = {"backup": (answer(NFS),), "media": (answer(NFS, S3),)}


def _warnings(decision: Decision) -> list[str]:
    return [str(note) for note in decision.notes if note.warning]


def test_a_found_server_whose_service_another_manager_has_waits_and_stops_no_other() -> None:
    decision = _decide(Memory(), BOTH, "media/nfs", found=True)

    assert decision.refusals == ()
    assert [server.name for server in decision.declared] == ["backup"]
    assert _warnings(decision) == [
        f"media: nonsense: {EXISTS.format('nfs', NAME_IT)}, or narrow dittoinfra:serversFrom; no adapters "
        "are known yet, so none are declared"
    ]


def test_so_does_one_whose_service_could_not_be_read() -> None:
    decision = _decide(Memory(), BOTH, "media/s3", found=True, unread=("media/nfs",))

    assert decision.refusals == ()
    assert [server.name for server in decision.declared] == ["backup"]
    [line] = _warnings(decision)
    assert "whether Service media-adapter-nfs in namespace files exists already could not be seen" in line
    assert "Service media-adapter-s3 in namespace files (written by dittofs-operator) exists already" in line


def test_a_known_found_server_stays_as_the_state_holds_it_where_its_own_service_is_another_one() -> None:
    decision = _decide(_memory(objects={}), BOTH, "media/nfs", found=True)

    assert decision.refusals == ()
    assert set(decision.aside.held) == decision.aside.names == {"media"}
    assert [server.name for server in decision.declared] == ["backup"]


@pytest.mark.parametrize(("found", "how"), [(False, ADOPT), (True, NAME_IT)], ids=["named", "found"])
def test_a_known_server_goes_on_without_a_new_adapter_whose_service_another_manager_has(
    found: bool, how: str
) -> None:
    decision = _decide(_memory(), BOTH, "media/s3", found=found)

    assert decision.refusals == ()
    assert [server.name for server in decision.declared] == ["backup", "media"]
    assert declared(decision.adapters.servers["media"]) == [("nfs", 12049, "serving", 0)]
    assert decision.aside.names == {"media/s3"}
    [line] = _warnings(decision)
    assert line.startswith(f"media: s3: left out: {EXISTS.format('s3', how)}")


def test_so_it_does_where_that_could_not_be_seen() -> None:
    decision = _decide(_memory(), BOTH, unread=("media/s3",))

    assert decision.refusals == ()
    assert _warnings(decision) == [
        "media: s3: left out: whether Service media-adapter-s3 in namespace files exists already could not "
        "be seen (HTTP 500): nothing is created, because an object of another manager would be taken over; "
        "see that the cluster answers and lets its user get these objects, then run again"
    ]


def test_and_where_its_absences_do_not_count_in_this_run() -> None:
    decision = _decide(_memory(), {**BOTH, "media": Uncounted(answer(NFS, S3))}, "media/s3")

    assert declared(decision.adapters.servers["media"]) == [("nfs", 12049, "serving", 0)]


def test_a_later_poll_without_an_answer_changes_nothing_about_it() -> None:
    decision = _decide(_memory(), {**BOTH, "media": (answer(NFS, S3), UNREACHABLE)}, "media/s3")

    assert declared(decision.adapters.servers["media"]) == [("nfs", 12049, "kept", 0)]


def test_a_server_that_was_declared_without_adapters_is_known() -> None:
    memory = Memory(servers={"media": RememberedServer("files")})

    decision = _decide(memory, BOTH, "media/nfs")

    assert decision.refusals == ()
    assert declared(decision.adapters.servers["media"]) == [("s3", 9000, "serving", 0)]


def test_a_named_server_that_is_new_is_refused() -> None:
    [refusal] = _decide(Memory(), BOTH, "media/nfs").refusals

    assert isinstance(refusal, ExistsAlready)
    [refusal] = _decide(Memory(), BOTH, unread=("media/nfs",)).refusals
    assert isinstance(refusal, UnreadableObject)


def test_so_is_a_pinned_adapter_of_a_known_one() -> None:
    pinned = {"pinned": [{"type": "s3", "port": 9000}]}

    [refusal] = _decide(_memory(), BOTH, "media/s3", adapters=pinned).refusals

    assert isinstance(refusal, ExistsAlready)


def test_a_known_adapter_of_a_named_server_is_refused_as_ever() -> None:
    [refusal] = _decide(_memory(objects={}), BOTH, "media/nfs").refusals

    assert isinstance(refusal, ExistsAlready)


def test_two_found_servers_wait_each_with_its_own_reason() -> None:
    decision = _decide(Memory(), BOTH, "media/nfs", found=True, unread=("backup/nfs",))

    assert (decision.refusals, decision.declared) == ((), ())
    backup, media = _warnings(decision)
    assert backup.startswith("backup: nonsense: whether Service backup-adapter-nfs in namespace files exists")
    assert media.startswith("media: nonsense: Service media-adapter-nfs in namespace files (written by ")


def test_further_adapters_of_one_server_are_left_out_together() -> None:
    one, other = (SetAside(adapters={"media": frozenset({this})}) for this in ("nfs", "s3"))

    assert one.joined(other).adapters == {"media": {"nfs", "s3"}}


SHARED = ObjectPlace("v1", "Service", "files", "media-adapter-x-adapter-y")


def test_a_name_that_a_waiting_server_leaves_to_another_one_is_no_less_taken() -> None:
    polls: dict[str, ServerPolls] = {
        "media": (answer(serving("x-adapter-y", 1)),),
        "media-adapter-x": (answer(serving("y", 2)),),
    }
    listed = tuple(ListedObject("StatefulSet", "files", name) for name in polls)
    stack = StackSettings.model_validate({"namespace": "files", "serversFrom": [{"selector": {}}]})
    answers = Answers(Fingerprints(), polls, (Listing("serversFrom[0]", listed),))

    decision = decide(stack, Memory(), Observations(answers, ClusterFacts(), {SHARED: FOREIGN}))

    assert (decision.refusals, decision.declared) == ((), ())
    assert set(decision.aside.held) == {"media", "media-adapter-x"}


def test_what_the_cluster_was_not_asked_about_is_not_declared_instead() -> None:
    """Both servers want one host name, and the first one, which would have it, waits."""
    dns = {"service": {"dns": {"hostname": "{type}.example.com"}}}
    both: dict[str, ServerPolls] = {"backup": (answer(NFS),), "media": (answer(NFS),)}

    decision = _decide(Memory(), both, "backup/nfs", found=True, stack={"adapters": dns})

    assert (decision.refusals, decision.declared) == ((), ())
    [media] = [line for line in _warnings(decision) if line.startswith("media: ")]
    assert "could not be seen (the cluster was not asked about it, because another server was to" in media


def test_polls_are_left_without_what_is_set_aside() -> None:
    aside = _decide(_memory(), BOTH, "media/s3").aside
    heard: dict[str, ServerPolls] = {"media": AlreadyPolled(answer(NFS, S3)), "backup": (Nonsense("x"),)}

    left = aside.without(heard)

    assert left == {"media": AlreadyPolled(Answered((NFS,))), "backup": (Nonsense("x"),)}


def test_what_an_interrupted_run_may_have_made_is_said_there_too() -> None:
    ours = LiveObject({"managedFields": [{"manager": "pulumi-kubernetes-1a2b3c4d"}]})
    observations = Observations(
        Answers(Fingerprints(), BOTH, (FOUND,)), ClusterFacts(), {_service("media/nfs"): ours}
    )
    stack = StackSettings.model_validate({"namespace": "files", "serversFrom": [{"selector": {}}]})

    [why] = decide(stack, Memory(), observations).aside.held.values()

    assert why.why.endswith(
        "; `dittoinfra up` finds what an interrupted run of this stack made (docs/recovery.md)"
    )
