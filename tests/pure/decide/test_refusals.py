"""Every reason to stop before anything is declared, and the line that says so."""

import pytest

from dittoinfra.decide.brake import refusals
from dittoinfra.decide.refusals import ServerUnanswered
from dittoinfra.decide.stack_rules import decide_stack
from dittoinfra.model import Outcome, ServerMemory, StackMemory
from dittoinfra.settings import ServerSettings, StackSettings
from dittoinfra.settings.setting_words import STACK_WORDS
from tests.pure.decide.make import (
    DENIED,
    NONSENSE,
    UNREACHABLE,
    answer,
    disabled,
    remembering,
    server,
    serving,
    stopped,
)


def _lines(servers: list[ServerSettings], memory: StackMemory, polls: dict[str, list[Outcome]]) -> list[str]:
    decision = decide_stack(servers, memory, polls)
    return [str(refusal) for refusal in refusals(decision, servers, StackSettings())]


@pytest.mark.parametrize(
    ("outcome", "line"),
    [
        (UNREACHABLE, "media: unreachable: connection refused"),
        (DENIED, "media: denied: HTTP 401"),
        (NONSENSE, "media: nonsense: not JSON"),
    ],
    ids=["unreachable", "denied", "nonsense"],
)
def test_a_server_that_must_answer_and_does_not_stops_the_run(outcome: Outcome, line: str) -> None:
    servers = [server("media", onUnreachable="fail"), server("backup", onUnreachable="keep")]

    way = "refused, because onUnreachable is fail (`onUnreachable: keep` goes on without its answer)"
    assert _lines(servers, {}, {"media": [outcome], "backup": [outcome]}) == [f"{line}; {way}"]


def test_a_reason_that_names_no_setting_of_a_stack_is_worded_alike_everywhere() -> None:
    refusal = ServerUnanswered("media", UNREACHABLE)

    assert refusal.worded(STACK_WORDS) == str(refusal)


def test_a_server_that_must_answer_and_does_stops_nothing() -> None:
    assert _lines([server(onUnreachable="fail")], {}, {"media": [answer()]}) == []


@pytest.mark.parametrize(
    "outcome",
    [UNREACHABLE, answer(), answer(stopped("nfs", 12049))],
    ids=["unreachable", "missing", "not running"],
)
def test_an_adapter_to_be_kept_on_an_unknown_port_stops_the_run(outcome: Outcome) -> None:
    lines = _lines([server()], {"media": remembering(("nfs", None))}, {"media": [outcome]})

    assert lines == [
        "media: nfs must be kept, but the state's Service has lost its port, and without it the Service "
        "would go; restore the port in the cluster and run `pulumi refresh`, or pin it: "
        "`adapters: {pinned: [{type: nfs, port: PORT}]}`"
    ]


@pytest.mark.parametrize(
    ("memory", "outcome"),
    [
        (remembering(("nfs", None)), answer(serving("nfs", 12049))),
        (remembering(("nfs", None)), answer(disabled("nfs", 12049))),
        (remembering(("nfs", None, 2), ("smb", 12445)), answer(serving("smb", 12445))),
    ],
    ids=["serving", "disabled", "absent for the last time"],
)
def test_a_lost_port_that_is_not_needed_stops_nothing(memory: ServerMemory, outcome: Outcome) -> None:
    assert _lines([server()], {"media": memory}, {"media": [outcome]}) == []


def test_pinned_adapters_of_two_servers_that_would_share_a_service_stop_the_run() -> None:
    servers = [
        server("a", adapters={"pinned": [{"type": "b-adapter-c", "port": 1}]}),
        server("a-adapter-b", adapters={"pinned": [{"type": "c", "port": 2}]}),
    ]

    assert _lines(servers, {}, {"a": [UNREACHABLE], "a-adapter-b": [answer()]}) == [
        "a-adapter-b/c: its Service would be named a-adapter-b-adapter-c, as that of a/b-adapter-c is; "
        "rename or unpin one of them"
    ]


def test_one_name_in_two_namespaces_is_two_services() -> None:
    servers = [server("a", namespace="one"), server("a-adapter-b", namespace="two")]
    polls: dict[str, list[Outcome]] = {
        "a": [answer(serving("b-adapter-c", 1))],
        "a-adapter-b": [answer(serving("c", 2))],
    }

    assert _lines(servers, {}, polls) == []


@pytest.mark.parametrize("outcome", [UNREACHABLE, answer(serving("nfs", 12049))], ids=["silent", "answered"])
def test_a_pinned_adapter_that_would_share_a_service_with_a_remembered_one_stops_the_run(
    outcome: Outcome,
) -> None:
    pinned = server(adapters={"pinned": [{"type": "NFS", "port": 2049}]})

    lines = _lines([pinned], {"media": remembering(("nfs", 12049))}, {"media": [outcome]})

    assert lines == [
        "media/nfs: its Service would be named media-adapter-nfs, as that of media/NFS is; "
        "rename or unpin one of them"
    ]


def test_every_reason_is_given_at_once() -> None:
    servers = [server("media", onUnreachable="fail"), server("backup", absencePolls=1)]
    memory = {"media": remembering(("nfs", None)), "backup": remembering(("smb", 12445))}

    lines = _lines(servers, memory, {"media": [UNREACHABLE], "backup": [answer()]})

    assert [line.partition(":")[0] for line in lines] == ["media", "media", "brake"]
    assert all("\n" not in line for line in lines)


def test_a_pinned_adapter_whose_udp_service_is_named_like_a_remembered_one_stops_the_run() -> None:
    split = server(adapters={"pinned": [{"type": "nfs", "port": 2049}], "service": {"splitUdp": True}})

    assert _lines([split], {"media": remembering(("nfs-udp", 2))}, {"media": [UNREACHABLE]}) == [
        "media/nfs-udp: its Service would be named media-adapter-nfs-udp, as that of media/nfs is; "
        "rename or unpin one of them"
    ]
