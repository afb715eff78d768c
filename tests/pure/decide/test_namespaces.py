"""Namespaces: declared once, and only where they are not foreign."""

from dittoinfra.decide.planned_objects import decide_namespaces
from dittoinfra.object_model import HeldObject
from dittoinfra.settings import ServerSettings
from tests.pure.decide.make import server

HELD = frozenset({HeldObject("v1", "Namespace", "files")})
NOTHING_HELD: frozenset[HeldObject] = frozenset()


def wanting(name: str = "media", namespace: str = "files") -> ServerSettings:
    return server(name, namespace=namespace, deploy={"createNamespace": True})


def test_a_namespace_is_declared_only_where_a_setting_asks_for_it() -> None:
    servers = [server("a", namespace="files"), server("b", namespace="more", deploy={})]

    assert decide_namespaces(servers, {}, NOTHING_HELD).declared == ()


def test_servers_in_one_namespace_declare_it_once() -> None:
    servers = [wanting("b"), wanting("a"), wanting("c", "archive")]

    assert decide_namespaces(servers, {"files": False}, NOTHING_HELD).declared == ("archive", "files")


def test_a_foreign_namespace_is_used_as_it_is() -> None:
    decision = decide_namespaces([wanting(), wanting("b", "mine")], {"files": True}, NOTHING_HELD)

    assert decision.declared == ("mine",)
    assert [(note.server, note.text, note.warning) for note in decision.notes] == [
        ("media", "namespace files exists already: used as it is, and not this stack's", False)
    ]


def test_a_namespace_that_the_stack_made_stays_declared() -> None:
    assert decide_namespaces([wanting()], {"files": True}, HELD).declared == ("files",)
