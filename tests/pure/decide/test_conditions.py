"""The three conditions of a server."""

from dataclasses import asdict
from typing import Any

import pytest

from dittoinfra.decide.explanation import (
    UNCHECKED,
    Condition,
    conditions,
    held_outputs,
    held_server,
    held_text,
)
from dittoinfra.decide.server_rules import decide_server
from dittoinfra.model import (
    HostNames,
    Located,
    NameMemory,
    Outcome,
    RememberedNames,
    RememberedServer,
    ServerMemory,
)
from dittoinfra.object_model import HeldObject
from dittoinfra.settings import ServerSettings
from dittoinfra.state import Memory
from tests.pure.decide.make import DENIED, UNREACHABLE, answer, remembering, server, serving, stopped

ANSWERED = Condition("APIReachable", "True", "Answered", "the API answered")
SILENT = Condition("APIReachable", "False", "Unreachable", "connection refused")


def _conditions(
    memory: ServerMemory, outcome: Outcome, settings: ServerSettings | None = None
) -> tuple[Condition, Condition, Condition]:
    settings = settings or server()
    return conditions(settings, decide_server(settings, memory, [outcome]))


def test_whether_clients_can_connect_is_for_the_cluster_to_say() -> None:
    assert _conditions({}, answer(serving("smb", 12445), serving("nfs", 12049))) == (
        ANSWERED,
        Condition("AdaptersReady", "True", "Served", "nfs, smb"),
        UNCHECKED,
    )

    decision = decide_server(server(), {}, [answer(serving("nfs", 12049))])
    missing = Condition("Ready", "False", "NoReadyEndpoint", "nfs: no ready Pod")
    assert conditions(server(), decision, missing)[2] == missing


def test_a_server_without_adapters_says_why_there_are_none() -> None:
    reachable, adapters, ready = _conditions({}, answer())

    assert reachable == ANSWERED
    assert adapters == Condition("AdaptersReady", "True", "Served", "no adapters are enabled")
    assert ready == UNCHECKED


def test_an_absent_adapter_is_named_with_its_count() -> None:
    memory = remembering(("nfs", 12049), ("smb", 12445))

    assert _conditions(memory, answer(serving("nfs", 12049))) == (
        ANSWERED,
        Condition("AdaptersReady", "False", "NotServed", "smb absent 1/3"),
        Condition("Ready", "False", "NotServed", "smb absent 1/3"),
    )


def test_an_adapter_that_does_not_run_is_an_outage_and_not_an_absence() -> None:
    memory = remembering(("nfs", 12049), ("smb", 12445, 1))

    assert _conditions(memory, answer(stopped("nfs", 12049))) == (
        ANSWERED,
        Condition("AdaptersReady", "False", "NotRunning", "nfs not running, smb absent 2/3"),
        Condition("Ready", "False", "NotRunning", "nfs not running, smb absent 2/3"),
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


def test_a_held_stack_is_as_it_was_but_not_ready() -> None:
    ready = {"type": "Ready", "status": "True", "reason": "Ready", "message": "nfs"}
    reachable = {
        "type": "APIReachable",
        "status": "True",
        "reason": "Answered",
        "message": "the API answered",
    }
    media = {"namespace": "files", "adapters": {"nfs": {"port": 12049}}, "conditions": [reachable, ready]}

    held = held_outputs({"servers": {"media": media, "new": {}}, "other": 1}, "held: why")

    not_ready = {"type": "Ready", "status": "False", "reason": "Held", "message": "held: why"}
    assert held == {
        "servers": {
            "media": {**media, "conditions": [reachable, not_ready]},
            "new": {"conditions": [not_ready]},
        },
        "other": 1,
    }
    assert held_outputs({}, "held: why") == {"servers": {}}


def test_what_is_held_is_named_with_the_reason() -> None:
    memory = {"media": remembering(("smb", 12445), ("nfs", 12049)), "backup": remembering(("nfs", 12049))}
    assert held_text(["one", "two"], memory) == (
        "held: nothing changes (backup/nfs, media/nfs, media/smb stay as they are): one; two"
    )
    assert held_text(["one"], {}) == "held: nothing changes: one"

    many = {f"s{number:02}": remembering(("nfs", 12049)) for number in range(12)}
    assert "s09/nfs and 2 more stay as they are" in held_text(["one"], many)


def test_a_held_component_tells_what_its_state_holds_and_why_it_is_held() -> None:
    service: dict[str, Any] = {
        "metadata": {"name": "media-adapter-nfs", "namespace": "files"},
        "spec": {
            "type": "LoadBalancer",
            "ports": [{"name": "adapter-nfs", "port": 2049.0, "nodePort": 30049.0}],
        },
        "status": {"loadBalancer": {"ingress": [{"ip": "192.0.2.9"}]}},
    }
    names = HostNames("media", "nfs", "files", "media-adapter-nfs", "router-hosts", "nfs.example.com")
    memory = Memory(
        adapters={"media": remembering(("smb", 12445, 1), ("nfs", 12049))},
        servers={"media": RememberedServer("files")},
        names=NameMemory({"media/nfs": RememberedNames(names, Located(("192.0.2.9",)))}),
        contents={HeldObject("v1", "Service", "media/nfs"): service},
    )
    # Its server has gone to another namespace, and answers that it has no adapters any more.
    moved = server(namespace="elsewhere")
    decided = decide_server(moved, {}, [answer()])

    held = held_server("media", moved, decided, memory, "held: why")

    assert held == {
        "serverName": "media",
        "namespace": "files",
        "adapters": {
            "nfs": {
                "state": "kept",
                "port": 12049,
                "endpoints": {
                    "type": "LoadBalancer",
                    "internal": "media-adapter-nfs.files.svc:2049",
                    "external": ["192.0.2.9:2049"],
                    "nodePort": 30049,
                },
                "dns": {
                    "backend": "router-hosts",
                    "hostname": "nfs.example.com",
                    "aliases": [],
                    "addresses": ["192.0.2.9"],
                    "reason": "HostRequested",
                },
            },
            # Its Service could never be created.
            "smb": {"state": "absent 1/3", "port": 12445, "endpoints": {"external": []}},
        },
        "conditions": [
            asdict(ANSWERED),
            asdict(Condition("AdaptersReady", "False", "NotServed", "nfs kept, smb absent 1/3")),
            asdict(Condition("Ready", "False", "Held", "held: why")),
        ],
    }


def test_a_new_component_that_is_held_has_nothing_yet() -> None:
    decided = decide_server(server(), {}, [UNREACHABLE])

    held = held_server("media", server(namespace="files"), decided, Memory(), "held: why")

    assert (held["namespace"], held["adapters"]) == ("files", {})
    assert held["conditions"][2] == asdict(Condition("Ready", "False", "Held", "held: why"))
