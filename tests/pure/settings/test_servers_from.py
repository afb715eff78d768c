"""Servers that are found in the cluster: what can be said about them, and what cannot."""

from typing import Any

import pytest

from dittoinfra.model import FoundServer
from dittoinfra.settings import ServerSettings, effective_servers
from dittoinfra.settings.checks import check_found
from tests.pure.settings.reading import problems, read

ALL: dict[str, Any] = {"selector": {}}


def _found(found: FoundServer, **keys: object) -> ServerSettings:
    *_, server = effective_servers(read(serversFrom=[ALL], **keys), [found])
    return server


def _wrong(**keys: object) -> list[str]:
    settings = read(serversFrom=[ALL], **keys)
    return [str(problem) for problem in check_found(settings, FoundServer("media", "files"))]


def test_statefulsets_in_the_stacks_namespace_unless_told_otherwise() -> None:
    (source,) = read(serversFrom=[{"selector": {"matchLabels": {"app": "dittofs-server"}}}]).servers_from

    assert (source.kind, source.namespaces, source.namespace_selector) == ("StatefulSet", [], None)


@pytest.mark.parametrize(
    ("source", "line"),
    [
        ({}, "dittoinfra:serversFrom[0].selector: is required"),
        (
            {"selector": {}, "kind": "Deployment"},
            "dittoinfra:serversFrom[0].kind: must be 'StatefulSet' or 'Service' (it is 'Deployment')",
        ),
        (
            {"selector": {}, "namespaces": ["a"], "namespaceSelector": {}},
            "dittoinfra:serversFrom[0]: takes namespaces or namespaceSelector, not both",
        ),
    ],
)
def test_what_cannot_be_meant_is_refused(source: dict[str, Any], line: str) -> None:
    assert problems(serversFrom=[source]) == [line]


def test_a_found_server_is_where_it_was_found_whatever_the_stack_says() -> None:
    server = _found(FoundServer("media", "files"), namespace="storage", absencePolls=5)

    assert (server.name, server.namespace, server.absence_polls) == ("media", "files", 5)


def test_its_labels_choose_settings_and_are_put_on_nothing() -> None:
    selectors = [{"selector": {"matchLabels": {"tier": "cold"}}, "removal": "never"}]

    cold = _found(FoundServer("media", "files", {"tier": "cold"}), selectors=selectors)
    other = _found(FoundServer("media", "files", {"tier": "hot"}), selectors=selectors)

    assert (cold.removal, other.removal) == ("never", "sync")
    assert cold.labels == {}


def test_configured_servers_come_first() -> None:
    stack = read(serversFrom=[ALL], servers=[{"name": "zoo"}])

    assert [s.name for s in effective_servers(stack, [FoundServer("a", "files")])] == ["zoo", "a"]


def test_a_password_may_be_for_a_server_that_is_found() -> None:
    assert read(serversFrom=[ALL], passwords={"media": "x"}).passwords.keys() == {"media"}


def test_what_a_selector_gets_wrong_about_a_found_server_is_one_line() -> None:
    pinned = [{"type": "nfs", "port": 1}, {"type": "smb", "port": 1}]
    selectors = [{"selector": {}, "adapters": {"pinned": pinned}}]

    assert _wrong(selectors=selectors) == ["adapters.pinned[1].port: port 1 is pinned twice"]


def test_policies_around_a_found_server_must_say_what_stays_open() -> None:
    (line,) = _wrong(networkPolicy={"mode": "enabled"})

    assert line.startswith("networkPolicy.ports: is required for a server")


def test_policies_that_say_it_are_fine() -> None:
    assert _wrong(networkPolicy={"mode": "enabled", "ports": []}) == []
