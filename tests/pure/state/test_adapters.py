"""What a stack's state tells of adapters: the servers' components before their Services."""

from typing import Any

import pytest

from dittoinfra.model import DeclaredAdapter, RememberedAdapter, State
from dittoinfra.state import server_memory
from dittoinfra.state.remembered import remembered_adapters
from tests.pure.state.test_services import service, urn

SERVER = urn("media", "dittoinfra:index:Server")


def component(*adapters: DeclaredAdapter) -> dict[str, Any]:
    return {"type": "dittoinfra:index:Server", "outputs": server_memory("files", adapters, None)}


NFS = DeclaredAdapter("nfs", 2049, State.ABSENT, 2)


def test_an_adapter_without_a_service_is_not_forgotten() -> None:
    assert remembered_adapters({SERVER: component(NFS)}) == {
        "media": {"nfs": RememberedAdapter("nfs", 2049, 2)}
    }


def test_an_edited_service_changes_no_memory() -> None:
    edited = service(target="elsewhere", annotations={"dittofs.io/absence-count": "0"})

    assert remembered_adapters({SERVER: component(NFS), urn("media/nfs"): edited})["media"] == {
        "nfs": RememberedAdapter("nfs", 2049, 2, "files")
    }


def test_a_service_whose_removal_failed_is_remembered_until_it_is_gone() -> None:
    assert remembered_adapters({SERVER: component(), urn("media/nfs"): service()}) == {
        "media": {"nfs": RememberedAdapter("nfs", 12049, namespace="files")}
    }


def test_and_as_it_was_noted_when_it_was_to_go() -> None:
    smb = RememberedAdapter("smb", 12445, 2)
    noted = {"outputs": server_memory("files", (NFS,), None, removed=[smb])}
    edited = service(target=40000, annotations={})

    assert remembered_adapters({SERVER: noted, urn("media/smb"): edited})["media"][
        "smb"
    ] == RememberedAdapter("smb", 12445, 2, "files")
    assert set(remembered_adapters({SERVER: noted})["media"]) == {"nfs"}


def test_a_server_without_adapters_is_left_out() -> None:
    assert remembered_adapters({SERVER: component()}) == {}


@pytest.mark.parametrize("outputs", [None, {}, {"adapters": "nfs"}], ids=["none", "older", "nonsense"])
def test_a_state_of_an_older_version_is_read_from_its_services(outputs: object) -> None:
    assert remembered_adapters({SERVER: {"outputs": outputs}, urn("media/nfs"): service()}) == {
        "media": {"nfs": RememberedAdapter("nfs", 12049, namespace="files")}
    }


@pytest.mark.parametrize("port", [None, "2049", 0.0, 70000.0])
def test_a_port_that_is_none_is_asked_of_the_service(port: object) -> None:
    noted = {"outputs": {"adapters": {"nfs": {"port": port, "absences": 1.0}}}}

    assert remembered_adapters({SERVER: noted, urn("media/nfs"): service()})["media"]["nfs"].port == 12049
    assert remembered_adapters({SERVER: noted})["media"]["nfs"] == RememberedAdapter("nfs", None, 1)


@pytest.mark.parametrize("asked_at", ["https://media:8080", None], ids=["known", "as in older states"])
def test_where_a_server_was_asked_is_remembered(asked_at: str | None) -> None:
    nfs = DeclaredAdapter("nfs", 2049, State.SERVING, asked_at=asked_at)

    assert remembered_adapters({SERVER: component(nfs)})["media"]["nfs"].asked_at == asked_at
    assert ("askedAt" in component(nfs)["outputs"]["adapters"]["nfs"]) is (asked_at is not None)
