"""What the state tells of servers: which were found, where, and by which labels."""

from typing import Any

import pytest

from dittoinfra.model import FoundServer, RememberedServer
from dittoinfra.state import server_memory
from dittoinfra.state.remembered import remembered_servers

SERVER = "dittoinfra:index:Server"
STATEFUL_SET = f"{SERVER}$kubernetes:apps/v1:StatefulSet"
SERVICE = f"{SERVER}$kubernetes:core/v1:Service"


def resource(qualified_type: str, name: str, outputs: object) -> dict[str, Any]:
    return {f"urn:pulumi:prod::dittoinfra::{qualified_type}::{name}": {"outputs": outputs}}


def test_a_found_server_is_remembered_with_its_labels_and_a_configured_one_as_such() -> None:
    media = server_memory("files", (), FoundServer("media", "files", {"tier": "cold"}))

    assert remembered_servers(
        resource(SERVER, "media", media) | resource(SERVER, "backup", server_memory("vault", (), None))
    ) == {
        "media": RememberedServer("files", found={"tier": "cold"}),
        "backup": RememberedServer("vault"),
    }


def test_a_server_in_a_namespace_of_this_stack_is_a_server_too() -> None:
    inside = f"kubernetes:core/v1:Namespace${SERVER}"

    assert remembered_servers(resource(inside, "media", {"found": False, "namespace": "a"})) == {
        "media": RememberedServer("a")
    }


def test_a_deployed_server_does_not_count_as_found() -> None:
    resources = resource(SERVER, "media", {}) | resource(STATEFUL_SET, "media", {})

    assert remembered_servers(resources) == {"media": RememberedServer("default", deployed=True)}


def test_a_deployed_server_is_remembered_without_its_stateful_set() -> None:
    noted = server_memory("files", (), None, deployed=True)

    assert remembered_servers(resource(SERVER, "media", noted)) == {
        "media": RememberedServer("files", deployed=True)
    }


def test_its_services_know_best_where_it_is() -> None:
    standing = resource(SERVICE, "media/nfs", {"metadata": {"namespace": "files"}})

    assert remembered_servers(resource(SERVER, "media", {"namespace": "other"}) | standing)[
        "media"
    ].namespace == ("files")
    assert remembered_servers(resource(SERVER, "media", {}) | resource(SERVICE, "media/nfs", {}))[
        "media"
    ] == RememberedServer("default", found={})


@pytest.mark.parametrize("outputs", [None, {}, {"found": True, "labels": {"tier": 1.0}}, {"labels": "x"}])
def test_a_server_of_which_nothing_is_known_counts_as_found_without_labels(outputs: object) -> None:
    assert remembered_servers(resource(SERVER, "media", outputs))["media"].found == {}


@pytest.mark.parametrize(
    ("qualified_type", "name"),
    [(SERVICE, "udp:media/nfs"), ("kubernetes:core/v1:Service", "media/nfs"), ("pulumi:pulumi:Stack", "s")],
)
def test_nothing_else_is_taken_for_a_server(qualified_type: str, name: str) -> None:
    assert remembered_servers(resource(qualified_type, name, {})) == {}


@pytest.mark.parametrize(("counted", "remembered"), [(2, 2), (2.0, 2), ("2", 0), (-1, 0), (10**9, 0)])
def test_listings_that_missed_a_server_are_counted(counted: object, remembered: int) -> None:
    outputs = server_memory("files", (), FoundServer("media", "files", absences=1)) | {"absences": counted}

    assert remembered_servers(resource(SERVER, "media", outputs))["media"].absences == remembered
