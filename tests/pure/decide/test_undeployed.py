"""Everything that runs a deployed server goes only where the brake or an approval lets it."""

from collections.abc import Mapping, Sequence

from dittoinfra.adapter_usage import Usage
from dittoinfra.decide.decision import AdapterDecision, decide, decide_adapters
from dittoinfra.decide.observations import Answers, ClusterFacts, Fingerprints, Observations
from dittoinfra.exitcodes import ExitCode
from dittoinfra.model import Outcome, RememberedServer
from dittoinfra.settings import StackSettings
from dittoinfra.state import Memory
from tests.pure.decide.make import UNREACHABLE, answer, disabled, remembering, serving

NFS = answer(serving("nfs", 12049))
HOME = {"name": "home"}
MEMORY = Memory(
    adapters={"media": remembering(("nfs", 12049)), "home": remembering(("nfs", 12049))},
    servers={"media": RememberedServer("files", deployed=True), "home": RememberedServer("files")},
)


def _stack(*approved: str, **media: object) -> StackSettings:
    servers = [{"name": "media", **media}, {"name": "home"}]
    return StackSettings.model_validate({"servers": servers, "approveRemovals": list(approved)})


def _decided(stack: StackSettings, outcome: Outcome = NFS) -> AdapterDecision:
    polls = {"media": (outcome,), "home": (NFS,)}
    return decide_adapters(stack, MEMORY, Answers(Fingerprints(), polls))


def test_a_server_that_stays_keeps_its_workload_unless_that_is_approved() -> None:
    for outcome in (NFS, UNREACHABLE):
        [refusal] = _decided(_stack(), outcome).refusals

        assert refusal.exit_code is ExitCode.POLICY
        assert str(refusal) == (
            "media: deploy is not configured any more, so this run would delete its StatefulSet, its "
            "configuration and the Services of its API, with their addresses; restore deploy, or if they are "
            "to go, approve exactly these: `dittoinfra:approveRemovals: [media/deploy]`"
        )
        assert _decided(_stack("media/deploy"), outcome).refusals == ()


def test_a_server_that_is_still_deployed_or_never_was_is_none_of_these() -> None:
    deployed = _decided(_stack(deploy={}, api={"portForward": {}}))

    assert deployed.refusals == ()


def test_it_is_approved_beside_adapters_and_is_no_stale_approval() -> None:
    heard = {"media": (answer(disabled("nfs", 12049)),), "home": (answer(disabled("nfs", 12049)),)}
    seen = Observations(Answers(Fingerprints(), heard), ClusterFacts(), None, {})

    decision = decide(_stack("media/deploy"), MEMORY, seen)

    assert decision.refusals == ()
    assert not any("is approved, but nothing removes it" in note.text for note in decision.notes)
    assert any(
        "is approved, but nothing removes it" in note.text
        for note in decide(_stack("home/deploy", "media/deploy"), MEMORY, seen).notes
    )


def test_a_server_that_leaves_as_a_whole_is_left_to_the_brake() -> None:
    stack = StackSettings.model_validate({"servers": [{"name": "home"}]})

    assert _decided(stack).refusals == ()


def _silent(replacing: tuple[str, ...] = ()) -> Memory:
    """A deployed server that has never answered."""
    servers = {"media": RememberedServer("files", deployed=True), "home": RememberedServer("files")}
    return Memory({"home": remembering(("nfs", 12049))}, servers=servers, replacing=replacing)


def _refused(memory: Memory, *servers: Mapping[str, object], approved: Sequence[str] = ()) -> list[str]:
    names = [str(server["name"]) for server in servers]
    stack = StackSettings.model_validate({"servers": list(servers), "approveRemovals": list(approved)})
    polls = {name: (UNREACHABLE if name == "media" else NFS,) for name in names}
    return list(map(str, decide_adapters(stack, memory, Answers(Fingerprints(), polls)).refusals))


def test_a_server_without_adapters_that_leaves_the_configuration_needs_approval() -> None:
    [refusal] = _refused(_silent(), HOME)

    assert refusal == (
        "media: it is not configured any more, so this run would delete its StatefulSet, its configuration "
        "and the Services of its API, with their addresses; restore it, or if they are to go, approve "
        "exactly these: `dittoinfra:approveRemovals: [media/deploy]`"
    )
    assert _refused(_silent(), HOME, approved=["media/deploy"]) == []


def test_a_server_without_adapters_that_stays_deployed_needs_none() -> None:
    assert _refused(_silent(), HOME, {"name": "media", "deploy": {}, "api": {"portForward": {}}}) == []


def test_a_server_without_adapters_that_gets_another_name_needs_approval() -> None:
    [refusal] = _refused(_silent(), HOME, {"name": "films"})

    assert refusal.startswith("media: it is not configured any more")


def test_a_server_without_adapters_that_moves_to_another_cluster_needs_approval() -> None:
    deployed = {"name": "media", "deploy": {}, "api": {"portForward": {}}}
    moved = _silent(("context",))
    needed = "approve exactly these: `dittoinfra:approveRemovals: [home/nfs, media/deploy]`"

    [brake, workload] = _refused(moved, HOME, deployed)

    assert "media: kubernetes:context leads elsewhere, so this run would delete its StatefulSet" in workload
    assert "; set it back, or if they are to go" in workload
    # Either line lets the whole run through.
    assert brake.endswith(needed)
    assert workload.endswith(needed)
    assert _refused(moved, HOME, deployed, approved=["home/nfs", "media/deploy"]) == []


def test_an_adapter_type_of_that_name_is_approved_by_it_as_well() -> None:
    memory = Memory(
        {"media": remembering(("deploy", 1), ("nfs", 12049))},
        servers={"media": RememberedServer("files", deployed=True)},
    )
    stack = StackSettings.model_validate(
        {"servers": [{"name": "media"}], "brake": {"adapters": 1}, "approveRemovals": ["media/deploy"]}
    )
    polls = {"media": (answer(serving("nfs", 12049), disabled("deploy", 1)),)}

    assert decide_adapters(stack, memory, Answers(Fingerprints(), polls)).refusals == ()


def test_clients_of_a_server_whose_workload_goes_are_protected() -> None:
    stack = StackSettings.model_validate(
        {"servers": [{"name": "media"}, {"name": "home"}], "protectInUse": True}
    )
    heard = {"media": (NFS,), "home": (NFS,)}
    used = {"media": {"nfs": Usage(clients=2)}}
    seen = Observations(Answers(Fingerprints(), heard), ClusterFacts(), None, {}, in_use=used)

    lines = list(map(str, decide(stack, MEMORY, seen).refusals))

    assert any(
        line.startswith("in use: this run would delete the StatefulSet of media, which cuts off 2 clients")
        and line.endswith("`dittoinfra:approveRemovals: [media/deploy]`")
        for line in lines
    ), lines


def test_what_an_approved_run_deletes_is_said() -> None:
    seen = Observations(Answers(Fingerprints(), {"media": (NFS,), "home": (NFS,)}), ClusterFacts(), None, {})

    assert (
        "deploy is not configured any more: its StatefulSet, its configuration and the Services of its API "
        "are deleted"
    ) in [note.text for note in decide(_stack("media/deploy"), MEMORY, seen).notes]
