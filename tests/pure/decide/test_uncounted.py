"""An answer that follows too soon on one that counted decides on everything but absences."""

import pytest

from dittoinfra.decide.server_rules import decide_server
from dittoinfra.model import Answered, Uncounted, last_outcome
from tests.pure.decide.make import (
    UNREACHABLE,
    answer,
    declared,
    disabled,
    remembering,
    removed,
    said,
    server,
    serving,
    stopped,
)

MEDIA = server(namespace="files")
MEMORY = remembering(("nfs", 12049), ("smb", 12445, 2))


@pytest.mark.parametrize("counted", [0, 1, 2, 3])
def test_a_missing_adapter_stays_and_its_count_too(counted: int) -> None:
    memory = remembering(("nfs", 12049), ("smb", 12445, counted))

    decision = decide_server(MEDIA, memory, Uncounted(answer(serving("nfs", 12049))))

    assert declared(decision) == [("nfs", 12049, "serving", 0), ("smb", 12445, "absent", counted)]
    assert removed(decision) == []
    assert said(decision) == [f"smb is missing from the answer, absent {counted}/3: kept"]


def test_one_that_does_not_run_is_not_counted_either() -> None:
    strict = server(namespace="files", notRunning="remove")

    decision = decide_server(strict, MEMORY, Uncounted(answer(serving("nfs", 12049), stopped("smb", 12445))))

    assert ("smb", 12445, "absent", 2) in declared(decision)


def test_ports_follow_new_adapters_come_and_disabled_ones_go() -> None:
    told = answer(serving("nfs", 13049), disabled("smb", 12445), serving("s3", 9000))

    decision = decide_server(MEDIA, MEMORY, Uncounted(told))

    assert declared(decision) == [("nfs", 13049, "serving", 0), ("s3", 9000, "serving", 0)]
    assert removed(decision) == [("smb", "disabled")]


def test_an_adapter_that_is_back_begins_anew() -> None:
    decision = decide_server(MEDIA, MEMORY, Uncounted(answer(serving("nfs", 12049), serving("smb", 12445))))

    assert ("smb", 12445, "serving", 0) in declared(decision)


def test_without_an_answer_all_is_kept() -> None:
    decision = decide_server(MEDIA, MEMORY, Uncounted(UNREACHABLE))

    assert declared(decision) == [("nfs", 12049, "kept", 0), ("smb", 12445, "kept", 2)]
    assert last_outcome(Uncounted(Answered(()))) == Answered(())
