"""Configuration by which an adapter loses a Service: a removal, whatever the server answers."""

import pytest

from dittoinfra.decide.brake import refusals
from dittoinfra.decide.stack_rules import decide_stack
from dittoinfra.model import Outcome, Reason, RememberedAdapter, Removal, StackDecision, StackMemory
from dittoinfra.settings import StackSettings
from tests.pure.decide.make import NONSENSE, UNREACHABLE, answer, disabled, server, serving

MEDIA = server("media", namespace="new")
MOVED = Removal("media", "nfs", Reason.MOVED)


def _memory(namespace: str | None) -> StackMemory:
    return {"media": {"nfs": RememberedAdapter("nfs", 12049, namespace=namespace)}}


def _decide(outcome: Outcome, namespace: str | None = "old") -> StackDecision:
    return decide_stack([MEDIA], _memory(namespace), {"media": [outcome]})


def _lines(decision: StackDecision, *approved: str) -> list[str]:
    stack = StackSettings.model_validate({"approveRemovals": list(approved)})
    return list(map(str, refusals(decision, [MEDIA], stack)))


@pytest.mark.parametrize("outcome", [answer(serving("nfs", 12049)), answer(), UNREACHABLE, NONSENSE])
def test_a_move_needs_approval_whatever_the_server_says(outcome: Outcome) -> None:
    decision = _decide(outcome)

    assert decision.removals == (MOVED,)
    assert MOVED.service == "media/nfs"
    assert decision.notes[-1].text == "nfs moves to another namespace: its Service is replaced"
    assert _lines(decision) == [
        "brake: this run would remove 1 of 1 adapters (100 %): media/nfs (moved); "
        "moved means replaced by a Service in another namespace or cluster, which has another address; "
        "if that is right, approve exactly these: `dittoinfra:approveRemovals: [media/nfs]`"
    ]
    assert _lines(decision, "media/nfs") == []
    assert _lines(decision, "media/nfs", "media/smb") != []


@pytest.mark.parametrize("namespace", ["new", None], ids=["stays", "has no Service"])
def test_a_service_that_is_there_already_or_nowhere_does_not_move(namespace: str | None) -> None:
    assert _decide(UNREACHABLE, namespace).removals == ()


def test_an_adapter_that_goes_anyway_does_not_move_as_well() -> None:
    decision = _decide(answer(disabled("nfs", 12049)))

    assert decision.removals == (Removal("media", "nfs", Reason.DISABLED),)


def test_a_new_adapter_has_nothing_to_lose() -> None:
    decision = decide_stack([MEDIA], _memory("new"), {"media": [answer(serving("smb", 12445))]})

    assert decision.removals == ()


def test_settings_of_the_provider_that_lead_elsewhere_move_every_adapter() -> None:
    decision = decide_stack(
        [MEDIA],
        _memory(MEDIA.namespace),
        {"media": [answer(serving("smb", 12445), serving("nfs", 12049))]},
        ("kubeconfig", "context"),
    )

    assert {removal.reason for removal in decision.removals} == {Reason.MOVED}
    assert decision.notes[-1].text == (
        "nfs moves to where kubernetes:kubeconfig and kubernetes:context leads: its Service is replaced"
    )


def _unsplit(outcome: Outcome, **smb: object) -> StackDecision:
    """The decision on a server whose smb has a second Service, and these settings now."""
    memory = {"media": {"smb": RememberedAdapter("smb", 12445, namespace="new", split=True)}}
    media = server("media", namespace="new", adapters={"types": {"smb": smb}})
    return decide_stack([media], memory, {"media": [outcome]})


@pytest.mark.parametrize("outcome", [answer(serving("smb", 12445)), UNREACHABLE])
@pytest.mark.parametrize(
    "smb", [{"extras": {"wsDiscovery": True}}, {"splitUdp": True}], ids=["not split", "no UDP port"]
)
def test_a_second_service_for_udp_ports_needs_approval_to_go(
    outcome: Outcome, smb: dict[str, object]
) -> None:
    decision = _unsplit(outcome, **smb)

    assert decision.removals == (Removal("media", "smb", Reason.UNSPLIT),)
    assert decision.removals[0].service == "udp:media/smb"
    assert decision.notes[-1].text == ("smb has no UDP Service of its own any more: that Service is removed")
    assert _lines(decision) == [
        "brake: this run would remove 1 of 1 adapters (100 %): media/smb (unsplit); "
        "unsplit means that the Service of its UDP ports is removed, with its address; "
        "if that is right, approve exactly these: `dittoinfra:approveRemovals: [media/smb]`"
    ]
    assert _lines(decision, "media/smb") == []


def test_a_second_service_that_is_still_needed_is_kept() -> None:
    decision = _unsplit(UNREACHABLE, splitUdp=True, extras={"wsDiscovery": True})

    assert decision.removals == ()
