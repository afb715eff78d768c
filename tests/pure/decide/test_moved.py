"""Another namespace for a server: its adapters' Services are replaced, so that is a removal."""

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
