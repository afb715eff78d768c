"""Servers that leave the configuration: what goes unasked, and what needs approval."""

from dittoinfra.decide.decision import AdapterDecision, decide_adapters
from dittoinfra.decide.observations import Answers, Fingerprints
from dittoinfra.model import ListedObject, Listing, Reason, RememberedServer
from dittoinfra.settings import StackSettings
from dittoinfra.state import HeldStack, Memory
from tests.pure.decide.make import UNREACHABLE, answer, remembering, serving

NFS = answer(serving("nfs", 12049))
MEMORY = Memory(
    adapters={name: remembering(("nfs", 12049)) for name in ("media", "home")},
    servers={name: RememberedServer("files") for name in ("media", "home", "empty")},
    held=HeldStack(),
)
FROM = {"serversFrom": [{"kind": "StatefulSet", "selector": {"matchLabels": {"app": "dittofs-server"}}}]}


def _decided(*servers: str, listings: tuple[Listing, ...] = (), **settings: object) -> AdapterDecision:
    stack = StackSettings.model_validate(
        {"namespace": "files", "servers": [{"name": name} for name in servers], **settings}
    )
    # Whether a new server answers is not known yet, and a rename is one in either case.
    polls = {name: (UNREACHABLE if name == "silent" else NFS,) for name in (*servers, "found")}
    return decide_adapters(stack, MEMORY, Answers(Fingerprints(), polls, listings))


def _listing(*places: tuple[str, str]) -> tuple[Listing, ...]:
    objects = (ListedObject("StatefulSet", namespace, name) for namespace, name in places)
    return (Listing("serversFrom[0]", tuple(objects)),)


def _reasons(decision: AdapterDecision) -> dict[str, Reason]:
    return {removal.name: removal.reason for removal in decision.stack.removals}


def test_a_server_that_just_goes_needs_no_approval() -> None:
    decision = _decided("home")

    assert _reasons(decision) == {"media/nfs": Reason.UNCONFIGURED}
    assert decision.refusals == ()


def test_a_server_that_goes_while_another_one_is_new_may_be_the_same_one() -> None:
    for new in ("films", "silent"):
        decision = _decided("home", new)

        assert _reasons(decision) == {"media/nfs": Reason.RENAMED}
        assert "is not configured any more, while another server is new: the Service of nfs is removed" in [
            note.text for note in decision.stack.notes if note.server == "media"
        ]
        assert list(map(str, decision.refusals)) == [
            "brake: this run would remove 1 of 2 adapters (50 %): media/nfs (renamed); renamed means that "
            "its server is not configured any more while another one is new, whose Services have other names "
            "and addresses; "
            "if that is right, approve exactly these: `dittoinfra:approveRemovals: [media/nfs]`"
        ]
        assert _decided("home", new, approveRemovals=["media/nfs"]).refusals == ()


def test_a_server_that_is_found_may_be_the_one_that_was_named() -> None:
    decision = _decided("home", listings=_listing(("files", "found")), **FROM)

    assert _reasons(decision) == {"media/nfs": Reason.RENAMED}


def test_a_server_that_was_there_before_is_not_the_one_that_goes() -> None:
    assert _reasons(_decided("home", "empty")) == {"media/nfs": Reason.UNCONFIGURED}


def test_a_server_that_nothing_is_declared_for_replaces_none() -> None:
    decision = _decided("home", listings=_listing(("a", "found"), ("b", "found")), **FROM)

    assert set(decision.discovery.held) == {"found"}
    assert _reasons(decision) == {"media/nfs": Reason.UNCONFIGURED}


def test_a_named_server_that_is_found_in_another_namespace_moves() -> None:
    decision = _decided("home", listings=_listing(("elsewhere", "media")), **FROM)

    assert _reasons(decision) == {"media/nfs": Reason.MOVED}
    assert [str(refusal).partition(";")[0] for refusal in decision.refusals] == [
        "brake: this run would remove 1 of 2 adapters (50 %): media/nfs (moved)"
    ]


def test_a_stack_that_never_removes_needs_approval_for_a_server_that_goes() -> None:
    decision = _decided("home", removal="never")

    assert _reasons(decision) == {"media/nfs": Reason.WITHHELD}
    assert list(map(str, decision.refusals)) == [
        "brake: this run would remove 1 of 2 adapters (50 %): media/nfs (withheld); withheld means that its "
        "server is not configured any more, and the stack says `removal: never`; "
        "if that is right, approve exactly these: `dittoinfra:approveRemovals: [media/nfs]`"
    ]
    assert _decided("home", removal="never", approveRemovals=["media/nfs"]).refusals == ()
