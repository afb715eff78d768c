"""Pinned adapters: explicit beats discovered."""

import pytest

from dittoinfra.decide.server_rules import decide_server
from dittoinfra.model import Outcome, ServerMemory
from tests.pure.decide.make import (
    DENIED,
    NONSENSE,
    UNREACHABLE,
    answer,
    declared,
    disabled,
    remembering,
    removed,
    server,
    serving,
    stopped,
)

PINNED = server(absencePolls=1, adapters={"pinned": [{"type": "nfs", "port": 2049}]})


@pytest.mark.parametrize(
    "outcome",
    [
        answer(),
        answer(serving("nfs", 12049)),
        answer(stopped("nfs", 12049)),
        answer(disabled("nfs", 12049)),
        UNREACHABLE,
        DENIED,
        NONSENSE,
    ],
    ids=["missing", "elsewhere", "not running", "disabled", "unreachable", "denied", "nonsense"],
)
@pytest.mark.parametrize(
    "memory",
    [{}, remembering(("nfs", 12049, 1)), remembering(("nfs", None))],
    ids=["new", "remembered", "port lost"],
)
def test_a_pinned_adapter_is_declared_whatever_the_api_says(outcome: Outcome, memory: ServerMemory) -> None:
    decision = decide_server(PINNED, memory, [outcome])

    assert declared(decision) == [("nfs", 2049, "pinned", 0)]
    assert removed(decision) == []
    assert decision.lost == ()


def test_what_is_not_pinned_follows_the_api() -> None:
    decision = decide_server(PINNED, remembering(("smb", 12445)), [answer(serving("ftp", 21))])

    assert declared(decision) == [("ftp", 21, "serving", 0), ("nfs", 2049, "pinned", 0)]
    assert removed(decision) == [("smb", "absent")]


def test_a_server_with_a_pinned_adapter_and_no_memory_is_still_in_bootstrap() -> None:
    decision = decide_server(PINNED, {}, [UNREACHABLE])

    assert decision.bootstrap


def test_an_unpinned_adapter_is_counted_from_the_start() -> None:
    decision = decide_server(server(), remembering(("nfs", 2049)), [answer()])

    assert declared(decision) == [("nfs", 2049, "absent", 1)]
