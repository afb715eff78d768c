"""Who is connected: what an administrator is told of clients, mounts and durable handles."""

from contextlib import suppress

import pytest

from lab.bed.dittofs import DittoFSServer, wait_until
from tests.contract.dittofs.subject import Role, Subject, assert_list, assert_object, assert_plain, types_of

CLIENTS, MOUNTS, HANDLES = "/clients", "/mounts", "/durable-handles"

ROLES: tuple[Role, ...] = ("operator", "user")

_CLIENT = {
    "client_id": str,
    "protocol": str,
    "address": str,
    "connected_at": str,
    "last_activity": str,
}
_DETAILS = {"user": str, "shares": type(None)}
_HANDLE = {
    "id": str,
    "file_id": str,
    "path": str,
    "share_name": str,
    "username": str,
    "is_v2": bool,
    "created_at": str,
    "disconnected_at": str,
    "timeout_ms": int,
    "remaining_ms": int,
}


@pytest.mark.parametrize("path", [CLIENTS, MOUNTS, HANDLES])
def test_no_clients_are_an_empty_list(api: Subject, path: str) -> None:
    assert assert_list(api.as_admin("GET", f"/api/v1{path}")) == []


@pytest.mark.parametrize("path", [CLIENTS, MOUNTS, HANDLES])
@pytest.mark.parametrize("role", ROLES)
def test_only_administrators_are_told(api: Subject, role: Role, path: str) -> None:
    assert_plain(api.as_role(role, "GET", f"/api/v1{path}"), 403, "Admin access required")


def test_uploads_are_drained_for_administrators(api: Subject) -> None:
    drain = "/api/v1/system/drain-uploads"

    drained = assert_object(api.as_admin("POST", drain, {}))

    assert types_of(drained) == {"status": str, "duration": str}
    assert drained["status"] == "drained"
    for role in ROLES:
        assert_plain(api.as_role(role, "POST", drain, {}), 403, "Admin access required")


def test_a_client_that_mounts_is_listed_until_it_leaves(server: DittoFSServer) -> None:
    with server.nfs_mount():
        (client,) = assert_list(server.ask("GET", CLIENTS))
        (mount,) = assert_list(server.ask("GET", MOUNTS))
        assert assert_list(server.ask("GET", HANDLES)) == []

    assert types_of(client) == _CLIENT | (
        {**_DETAILS, "nfs": dict} if server.version.tells_client_details else {}
    )
    assert client["protocol"] == "nfs"
    assert client["address"].startswith("127.0.0.1:")
    assert mount | {"mounted_at": ""} == {
        "client_addr": "127.0.0.1",
        "protocol": "nfs",
        "share_name": "/export",
        "mounted_at": "",
    }
    wait_until(lambda: assert_list(server.ask("GET", CLIENTS)) == [])
    assert assert_list(server.ask("GET", MOUNTS)) == []


def test_an_smb_session_is_listed_until_it_logs_off_and_its_open_file_nowhere(server: DittoFSServer) -> None:
    with server.smb_session():
        (client,) = assert_list(server.ask("GET", CLIENTS))
        assert assert_list(server.ask("GET", MOUNTS)) == []
        assert assert_list(server.ask("GET", HANDLES)) == []

    more = server.version.tells_client_details
    assert types_of(client) == _CLIENT | {"smb": dict} | (_DETAILS if more else {})
    assert client["protocol"] == "smb"
    assert client["address"].startswith("127.0.0.1:")
    assert client["smb"] == {"session_id": client["smb"]["session_id"]} | (
        {"dialect": "", "signed": False, "encrypted": False} if more else {}
    )
    wait_until(lambda: assert_list(server.ask("GET", CLIENTS)) == [])
    assert assert_list(server.ask("GET", HANDLES)) == []


def test_a_file_of_an_smb_client_that_was_cut_off_is_listed_until_it_is_claimed(
    server: DittoFSServer,
) -> None:
    with server.lost_smb_file():
        assert assert_list(server.ask("GET", CLIENTS)) == []
        (handle,) = assert_list(server.ask("GET", HANDLES))

    assert types_of(handle) == _HANDLE
    assert (handle["share_name"], handle["is_v2"]) == ("/export", True)
    wait_until(lambda: assert_list(server.ask("GET", CLIENTS)) == [])
    assert assert_list(server.ask("GET", HANDLES)) == []


def test_a_disabled_adapter_has_no_sessions_and_its_clients_files_wait_for_them(
    server: DittoFSServer,
) -> None:
    with suppress(OSError), server.smb_session():
        server.disable("smb")

        wait_until(lambda: assert_list(server.ask("GET", CLIENTS)) == [])
        assert len(assert_list(server.ask("GET", HANDLES))) == 1

    server.enable("smb")
    wait_until(lambda: server.listens("smb"))
    with server.smb_session():
        assert assert_list(server.ask("GET", HANDLES)) == []
