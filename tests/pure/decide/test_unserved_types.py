"""Settings for a type that no server has are told, and only while that is certain."""

from typing import Any

import pytest

from dittoinfra.decide.stack_rules import decide_stack
from dittoinfra.decide.unserved_types import unserved_types
from dittoinfra.model import Outcome, StackMemory
from tests.pure.decide.make import UNREACHABLE, answer, remembering, server, serving, stopped

TYPES: dict[str, Any] = {"types": {"webdav": {}, "nfs": {}, "smb": {}}}


def told(outcomes: dict[str, Outcome], memory: StackMemory | None = None, **more: object) -> list[str]:
    servers = [server(name, adapters={**TYPES, **more}) for name in outcomes]
    decided = decide_stack(servers, memory or {}, {name: [said] for name, said in outcomes.items()})
    notes = list(unserved_types(servers, decided.servers, memory or {}))
    assert all(note.warning for note in notes)
    return [*map(str, notes)]


def test_a_type_that_no_server_has_is_told_once() -> None:
    nfs = answer(serving("nfs", 1))

    assert told({"media": nfs, "backup": nfs}) == [
        "media: adapters.types.webdav has no effect: no server has an adapter of that type; they have nfs"
    ]
    assert told({"media": answer()})[0].endswith("they have none")


@pytest.mark.parametrize("other", [UNREACHABLE, answer(stopped("webdav", 2))])
def test_a_type_that_another_server_has_or_may_have_is_none(other: Outcome) -> None:
    assert told({"media": answer(serving("nfs", 1)), "backup": other}) == []


def test_a_type_that_is_pinned_or_remembered_is_none() -> None:
    nfs = answer(serving("nfs", 1))

    assert told({"media": nfs}, pinned=[{"type": "webdav", "port": 2}]) == []
    assert told({"media": nfs}, {"media": remembering(("webdav", 2))}) == []
