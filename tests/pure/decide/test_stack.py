"""A whole stack: every server on its own, and the servers that left the configuration."""

from dittoinfra.decide.brake import refusals
from dittoinfra.decide.stack_rules import decide_stack
from dittoinfra.model import StackMemory
from dittoinfra.settings import StackSettings
from tests.pure.decide.make import NONSENSE, UNREACHABLE, answer, declared, remembering, server, serving


def test_one_bad_server_spoils_no_other() -> None:
    servers = [server("media"), server("backup"), server("fresh")]
    memory = {"media": remembering(("nfs", 12049)), "backup": remembering(("smb", 12445))}

    decision = decide_stack(
        servers,
        memory,
        {"media": [answer(serving("nfs", 2049))], "backup": [NONSENSE], "fresh": [UNREACHABLE]},
    )

    assert list(decision.servers) == ["media", "backup", "fresh"]
    assert declared(decision.servers["media"]) == [("nfs", 2049, "serving", 0)]
    assert declared(decision.servers["backup"]) == [("smb", 12445, "kept", 0)]
    assert decision.servers["fresh"].bootstrap
    assert decision.remembered == 2
    assert decision.removals == ()
    assert [note.server for note in decision.notes] == ["media", "backup", "fresh"]


def test_the_adapters_of_a_server_that_left_the_configuration_go_and_people_are_told() -> None:
    memory: StackMemory = {
        "media": remembering(("nfs", 12049)),
        "old": remembering(("smb", 12445), ("nfs", 12049)),
    }

    decision = decide_stack([server("media")], memory, {"media": [answer(serving("nfs", 12049))]})

    assert [(r.name, str(r.reason)) for r in decision.removals] == [
        ("old/nfs", "unconfigured"),
        ("old/smb", "unconfigured"),
    ]
    assert decision.remembered == 3
    assert [(n.server, n.text, n.warning) for n in decision.notes] == [
        ("old", "is not configured any more: the Service of nfs is removed", True),
        ("old", "is not configured any more: the Service of smb is removed", True),
    ]


def test_a_stack_without_servers_and_memory_has_nothing_to_do_or_to_refuse() -> None:
    decision = decide_stack([], {}, {})

    assert (dict(decision.servers), decision.removals, decision.notes) == ({}, (), ())
    assert refusals(decision, [], StackSettings()) == ()
