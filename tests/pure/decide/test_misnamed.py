"""An adapter that cannot be named spoils its own server's answer, and no other server's run."""

import pytest

from dittoinfra.decide.brake import refusals
from dittoinfra.decide.names import decide_names
from dittoinfra.decide.stack_rules import decide_stack
from dittoinfra.model import Nonsense, Outcome, StackDecision, StackMemory
from dittoinfra.settings import ServerSettings, StackSettings
from tests.pure.decide.make import UNREACHABLE, answer, declared, remembering, server, serving

LONG = "x" * 63
FIRST, SECOND = server("a"), server("a-adapter-b")
BOTH: dict[str, list[Outcome]] = {
    "a": [answer(serving("b-adapter-c", 1))],
    "a-adapter-b": [answer(serving("c", 2))],
}


def _decide(
    servers: list[ServerSettings], polls: dict[str, list[Outcome]], memory: StackMemory | None = None
) -> StackDecision:
    """A decision that nothing stops."""
    decision = decide_stack(servers, memory or {}, polls)
    assert refusals(decision, servers, StackSettings()) == ()
    assert decide_names(decision, servers).refusals == ()
    return decision


def _named(name: str, hostname: str, **settings: object) -> ServerSettings:
    return server(name, adapters={"service": {"dns": {"hostname": hostname}}}, **settings)


def _why(decision: StackDecision, name: str) -> str:
    outcome = decision.servers[name].outcome
    assert isinstance(outcome, Nonsense)
    return outcome.why


def test_of_two_servers_that_would_share_a_service_the_later_one_is_not_believed() -> None:
    decision = _decide([FIRST, SECOND], BOTH)

    assert declared(decision.servers["a"]) == [("b-adapter-c", 1, "serving", 0)]
    assert declared(decision.servers["a-adapter-b"]) == []
    assert _why(decision, "a-adapter-b") == (
        "adapter type 'c' cannot be named: Service default/a-adapter-b-adapter-c is that of a/b-adapter-c"
    )


def test_a_remembered_adapter_keeps_its_name_in_any_order() -> None:
    memory = {"a": remembering(("nfs", 9)), "a-adapter-b": remembering(("c", 2))}

    decision = _decide([FIRST, SECOND], BOTH, memory)

    assert declared(decision.servers["a"]) == [("nfs", 9, "kept", 0)]
    assert "is that of a-adapter-b/c" in _why(decision, "a")
    assert declared(decision.servers["a-adapter-b"]) == [("c", 2, "serving", 0)]


def test_a_name_is_free_only_when_its_service_is_gone() -> None:
    memory = {"a-adapter-b": remembering(("c", 2, 2))}

    decision = decide_stack([FIRST, SECOND], memory, {**BOTH, "a-adapter-b": [answer()]})

    assert [removal.name for removal in decision.removals] == ["a-adapter-b/c"]
    assert "is that of a-adapter-b/c" in _why(decision, "a")


def test_a_pin_has_its_name_before_any_answer() -> None:
    pinned = server("a-adapter-b", adapters={"pinned": [{"type": "c", "port": 2}]})

    decision = _decide([FIRST, pinned], {"a": BOTH["a"], "a-adapter-b": [UNREACHABLE]})

    assert "is that of a-adapter-b/c" in _why(decision, "a")


def test_one_name_in_two_namespaces_is_two_services() -> None:
    decision = _decide([FIRST, server("a-adapter-b", namespace="other")], BOTH)

    assert [len(server.adapters) for server in decision.servers.values()] == [1, 1]


def test_a_type_that_is_too_long_for_a_host_name_spoils_its_own_answer() -> None:
    servers = [_named("a", "{server}-{type}.example.com"), server("b")]
    polls: dict[str, list[Outcome]] = {
        "a": [answer(serving(LONG, 1), serving("smb", 2))],
        "b": [answer(serving(LONG, 1))],
    }

    decision = _decide(servers, polls, {"a": remembering(("smb", 2))})

    assert declared(decision.servers["a"]) == [("smb", 2, "kept", 0)]
    assert _why(decision, "a") == (
        f"adapter type '{LONG}' cannot be named: 'a-{LONG}.example.com' "
        "has a part of 65 characters; 63 are allowed"
    )
    assert declared(decision.servers["b"]) == [(LONG, 1, "serving", 0)]


def test_a_type_that_makes_the_host_name_of_another_adapter_spoils_its_own_answer() -> None:
    servers = [_named("a-b", "{server}-{type}.example.com"), _named("a", "{server}-{type}.example.com")]

    decision = _decide(servers, {"a-b": [answer(serving("c", 1))], "a": [answer(serving("b-c", 1))]})

    assert "host name a-b-c.example.com is that of a-b/c" in _why(decision, "a")


def test_a_type_that_makes_the_host_name_of_an_api_spoils_its_own_answer() -> None:
    deploy = {"api": {"ingress": {"host": "a-api.example.com"}}}
    media = _named("a", "{server}-{type}.example.com", deploy=deploy)

    decision = _decide([media], {"a": [answer(serving("api", 1))]})

    assert "host name a-api.example.com is that of the API of a" in _why(decision, "a")


@pytest.mark.parametrize(
    ("hostname", "fault"),
    [
        ("files.example.com", "HostnameTaken"),
        ("{type}.example.com", "HostnameTaken"),
        ("-{server}-{type}.example.com", "InvalidHostname"),
    ],
)
def test_what_is_wrong_with_every_type_is_the_configurations_fault(hostname: str, fault: str) -> None:
    servers = [_named("a", hostname), _named("b", hostname)]
    polls: dict[str, list[Outcome]] = {name: [answer(serving("nfs", 1))] for name in ("a", "b")}

    decision = decide_stack(servers, {}, polls)

    assert {str(refusal.fault) for refusal in decide_names(decision, servers).refusals} == {fault}


@pytest.mark.parametrize("hostname", ["files.example.com", "{type}.example.com"])
def test_a_known_server_that_begins_to_serve_what_has_no_name_left_stops_no_other(hostname: str) -> None:
    servers = [
        _named("a", hostname),
        server("b", adapters={"types": {"nfs": {"dns": {"hostname": hostname}}}}),
    ]
    memory = {"a": remembering(("nfs", 1)), "b": remembering(("smb", 2))}
    polls: dict[str, list[Outcome]] = {
        "a": [answer(serving("nfs", 3))],
        "b": [answer(serving("smb", 2), serving("nfs", 4))],
    }

    decision = _decide(servers, polls, memory)

    assert declared(decision.servers["a"]) == [("nfs", 3, "serving", 0)]
    assert declared(decision.servers["b"]) == [("smb", 2, "kept", 0)]
    assert "is that of a/nfs" in _why(decision, "b")


@pytest.mark.parametrize(("known_before", "found"), [("b", ""), ("", "b")], ids=["declared before", "found"])
def test_the_first_answer_of_a_server_that_is_not_new_in_the_configuration_stops_no_other(
    known_before: str, found: str
) -> None:
    servers = [_named(name, "{type}.example.com") for name in ("a", "b")]
    polls: dict[str, list[Outcome]] = {name: [answer(serving("nfs", 1))] for name in ("a", "b")}
    memory = {"a": remembering(("nfs", 1))}

    decision = decide_stack(servers, memory, polls, known_before={known_before}, found={found})

    assert declared(decision.servers["a"]) == [("nfs", 1, "serving", 0)]
    assert declared(decision.servers["b"]) == []
    assert "is that of a/nfs" in _why(decision, "b")
    assert decide_names(decision, servers).refusals == ()


def test_two_servers_that_are_found_at_once_with_one_name_stop_no_other() -> None:
    servers = [_named(name, "{type}.example.com") for name in ("a", "b")]
    polls: dict[str, list[Outcome]] = {name: [answer(serving("nfs", 1))] for name in ("a", "b")}

    decision = decide_stack(servers, {}, polls, found={"a", "b"})

    assert declared(decision.servers["a"]) == [("nfs", 1, "serving", 0)]
    assert declared(decision.servers["b"]) == []


def test_a_new_server_whose_configuration_asks_for_a_name_that_is_taken_is_refused() -> None:
    servers = [_named("a", "{type}.example.com"), _named("b", "{type}.example.com")]
    polls: dict[str, list[Outcome]] = {name: [answer(serving("nfs", 1))] for name in ("a", "b")}

    decision = decide_stack(servers, {"a": remembering(("nfs", 1))}, polls)

    assert {str(r.fault) for r in decide_names(decision, servers).refusals} == {"HostnameTaken"}
