"""The three conditions of a server."""

import pytest

from dittoinfra.decide import decide_server
from dittoinfra.decide.conditions import Condition, conditions
from dittoinfra.model import Outcome, ServerMemory
from dittoinfra.settings import ServerSettings
from tests.decide.make import DENIED, UNREACHABLE, answer, remembering, server, serving

ANSWERED = Condition("APIReachable", "True", "Answered", "the API answered")
SILENT = Condition("APIReachable", "False", "Unreachable", "connection refused")


def _conditions(
    memory: ServerMemory, outcome: Outcome, settings: ServerSettings | None = None
) -> tuple[Condition, Condition, Condition]:
    settings = settings or server()
    return conditions(settings, decide_server(settings, memory, [outcome]))


def test_a_server_whose_adapters_all_serve_is_ready() -> None:
    assert _conditions({}, answer(serving("smb", 12445), serving("nfs", 12049))) == (
        ANSWERED,
        Condition("AdaptersReady", "True", "Served", "nfs, smb"),
        Condition("Ready", "True", "Ready", "nfs, smb"),
    )


def test_a_server_without_adapters_is_ready_and_says_why_there_are_none() -> None:
    reachable, adapters, ready = _conditions({}, answer())

    assert reachable == ANSWERED
    assert adapters == Condition("AdaptersReady", "True", "Served", "no adapters are enabled")
    assert ready.status == "True"


def test_an_absent_adapter_is_named_with_its_count() -> None:
    memory = remembering(("nfs", 12049), ("smb", 12445))

    assert _conditions(memory, answer(serving("nfs", 12049))) == (
        ANSWERED,
        Condition("AdaptersReady", "False", "NotServed", "smb absent 1/3"),
        Condition("Ready", "False", "NotServed", "smb absent 1/3"),
    )


def test_several_absent_adapters_are_named_one_by_one() -> None:
    memory = remembering(("nfs", 12049, 1), ("smb", 12445))

    assert _conditions(memory, answer())[1].message == "nfs absent 2/3, smb absent 1/3"


def test_without_an_answer_the_api_is_the_first_thing_to_mend() -> None:
    assert _conditions(remembering(("nfs", 12049)), UNREACHABLE) == (
        SILENT,
        Condition("AdaptersReady", "False", "NotServed", "nfs kept"),
        Condition("Ready", "False", "Unreachable", "connection refused"),
    )


def test_a_server_in_bootstrap_is_not_ready() -> None:
    assert _conditions({}, UNREACHABLE)[1] == Condition(
        "AdaptersReady", "False", "Bootstrap", "no adapters are known yet"
    )


def test_a_pinned_adapter_counts_as_served_even_in_bootstrap() -> None:
    pinned = server(adapters={"pinned": [{"type": "nfs", "port": 2049}]})

    assert _conditions({}, UNREACHABLE, pinned)[1] == Condition("AdaptersReady", "True", "Served", "nfs")


@pytest.mark.parametrize("outcome", [UNREACHABLE, DENIED], ids=["unreachable", "denied"])
def test_the_same_run_again_says_the_same(outcome: Outcome) -> None:
    memory = remembering(("nfs", 12049, 1))

    assert _conditions(memory, outcome) == _conditions(memory, outcome)
