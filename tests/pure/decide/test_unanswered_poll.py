"""A poll without a usable answer: exactly what memory holds, nothing counted, and people are told."""

import pytest

from dittoinfra.decide.server_rules import decide_server
from dittoinfra.model import Nonsense, Outcome, ServerMemory
from tests.pure.decide.make import (
    NONSENSE,
    UNANSWERED,
    UNREACHABLE,
    answer,
    declared,
    remembering,
    removed,
    said,
    server,
    serving,
)


@pytest.mark.parametrize("outcome", UNANSWERED, ids=lambda outcome: type(outcome).__name__)
@pytest.mark.parametrize("removal", ["sync", "never"])
def test_everything_remembered_is_declared_as_it_was(outcome: Outcome, removal: str) -> None:
    memory = remembering(("nfs", 12049, 2), ("smb", 12445))

    decision = decide_server(server(absencePolls=3, removal=removal), memory, [outcome])

    assert declared(decision) == [("nfs", 12049, "kept", 2), ("smb", 12445, "kept", 0)]
    assert removed(decision) == []
    assert not decision.bootstrap
    assert decision.outcome == outcome


@pytest.mark.parametrize("outcome", UNANSWERED, ids=lambda outcome: type(outcome).__name__)
def test_without_any_memory_it_is_bootstrap(outcome: Outcome) -> None:
    decision = decide_server(server(), {}, [outcome])

    assert decision.bootstrap
    assert declared(decision) == []
    assert removed(decision) == []


@pytest.mark.parametrize(
    ("memory", "outcome", "line"),
    [
        ({}, UNREACHABLE, "unreachable: connection refused; no adapters are known yet, so none are declared"),
        (remembering(("nfs", 1)), NONSENSE, "nonsense: not JSON; 1 remembered adapter kept as is"),
        (
            remembering(("nfs", 1), ("smb", 2)),
            UNREACHABLE,
            "unreachable: connection refused; 2 remembered adapters kept as is",
        ),
    ],
)
def test_people_read_what_happened_and_what_follows(
    memory: ServerMemory, outcome: Outcome, line: str
) -> None:
    decision = decide_server(server(), memory, [outcome])

    assert said(decision) == [line]
    assert all(note.warning and note.server == "media" for note in decision.notes)


def test_people_read_that_only_pinned_adapters_are_known() -> None:
    pinned = server(adapters={"pinned": [{"type": "nfs", "port": 2049}]})

    assert said(decide_server(pinned, {}, [UNREACHABLE])) == [
        "unreachable: connection refused; no adapters but the pinned ones are known, "
        "so no others are declared"
    ]


def test_a_counter_above_a_lowered_limit_is_not_touched_either() -> None:
    decision = decide_server(server(absencePolls=1), remembering(("nfs", 12049, 5)), [UNREACHABLE])

    assert declared(decision) == [("nfs", 12049, "kept", 5)]


@pytest.mark.parametrize(
    ("remembered", "first", "second"),
    [((), "nfs", "NFS"), (("nfs",), "smb", "NFS"), (("a-b",), "nfs", "a.b")],
    ids=["within the answer", "with what is remembered", "dots and dashes"],
)
def test_types_that_would_share_a_name_make_an_answer_nonsense(
    remembered: tuple[str, ...], first: str, second: str
) -> None:
    memory = remembering(*((adapter_type, 12049) for adapter_type in remembered))

    decision = decide_server(server(), memory, [answer(serving(first, 1), serving(second, 2))])

    assert isinstance(decision.outcome, Nonsense)
    assert repr(second) in decision.outcome.why
    assert "would both be named 'media-adapter-" in decision.outcome.why
    assert [adapter[0] for adapter in declared(decision)] == list(remembered)


def test_a_type_that_would_share_a_name_with_a_pinned_one_makes_an_answer_nonsense() -> None:
    pinned = server(adapters={"pinned": [{"type": "nfs", "port": 2049}]})

    decision = decide_server(pinned, {}, [answer(serving("NFS", 1))])

    assert isinstance(decision.outcome, Nonsense)
    assert declared(decision) == [("nfs", 2049, "pinned", 0)]


@pytest.mark.parametrize("remembered", [(), ("nfs",), ("nfs-udp",)], ids=["new", "plain", "udp"])
def test_a_type_named_like_anothers_udp_service_makes_an_answer_nonsense(remembered: tuple[str, ...]) -> None:
    memory = remembering(*((adapter_type, 12049) for adapter_type in remembered))

    decision = decide_server(server(), memory, [answer(serving("nfs-udp", 1), serving("nfs", 2))])

    assert decision.outcome == Nonsense(
        "adapter types 'nfs' and 'nfs-udp' would both be named 'media-adapter-nfs-udp'"
    )
    assert [adapter[0] for adapter in declared(decision)] == list(remembered)


def test_types_that_would_share_a_port_name_make_an_answer_nonsense() -> None:
    # Long port names are cut to two letters of the type and four digits of a hash: these two agree in both.
    decision = decide_server(server(), {}, [answer(serving("gateway-108", 1), serving("gateway-221", 2))])

    assert isinstance(decision.outcome, Nonsense)
    assert decision.outcome.why == (
        "adapter types 'gateway-108' and 'gateway-221' would both be named 'adapter-ga-504d'"
    )
