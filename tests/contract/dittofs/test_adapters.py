"""Reading and changing adapters when nothing surprising happens."""

import pytest

from lab.bed.credentials import credential
from lab.bed.process import free_ports
from tests.contract.dittofs.subject import (
    ADAPTERS,
    PORTS,
    Subject,
    assert_list,
    assert_object,
    assert_problem,
    types_of,
)

_LEAN = {"type": str, "port": int, "enabled": bool, "running": bool}
_WHOLE = _LEAN | {"id": str, "created_at": str, "updated_at": str, "status": dict}
_CONFIG = {"bind_address": "127.0.0.1"}


def test_the_lean_list_has_four_members_and_no_more(api: Subject) -> None:
    listed = assert_list(api.as_admin("GET", PORTS))

    assert all(types_of(adapter) == _LEAN for adapter in listed)
    assert sorted(listed, key=lambda adapter: str(adapter["type"])) == [
        {"type": adapter_type, "port": port, "enabled": True, "running": True}
        for adapter_type, port in sorted(api.home_ports.items())
    ]


def test_the_whole_list_leaves_out_an_empty_config(api: Subject) -> None:
    listed = assert_list(api.as_admin("GET", ADAPTERS))

    assert {adapter["type"] for adapter in listed} == {"nfs", "smb"}
    assert all(types_of(adapter) == _WHOLE for adapter in listed)
    assert all({"status", "checked_at"} <= adapter["status"].keys() for adapter in listed)


def test_one_adapter_looks_like_its_entry_in_the_list(api: Subject) -> None:
    adapter = assert_object(api.as_admin("GET", f"{ADAPTERS}/nfs"))
    listed = assert_list(api.as_admin("GET", ADAPTERS))

    adapter.pop("status")
    assert adapter in [{name: entry[name] for name in entry if name != "status"} for entry in listed]
    assert "status" in assert_object(api.as_admin("GET", f"{ADAPTERS}/nfs/status"))


def test_a_config_is_stored_and_shown_as_it_is(api: Subject) -> None:
    config = _CONFIG | {"password": credential("shown-to-all-who-may-list-adapters")}

    changed = assert_object(api.as_admin("PUT", f"{ADAPTERS}/smb", {"config": config}))

    assert types_of(changed) == _WHOLE | {"config": dict}
    assert changed["config"] == config
    shown = {entry["type"]: entry for entry in api.as_role("operator", "GET", ADAPTERS).json()}
    assert shown["smb"]["config"] == config
    assert "config" not in api.adapters()["smb"]


def test_a_change_is_partial(api: Subject) -> None:
    for nothing in ({}, {"port": None, "enabled": None}, {"unknown": 1}):
        changed = assert_object(api.as_admin("PUT", f"{ADAPTERS}/nfs", nothing))

        assert (changed["port"], changed["enabled"], changed["running"]) == (
            api.home_ports["nfs"],
            True,
            True,
        )


def test_disabling_stops_the_adapter_and_enabling_starts_it(api: Subject) -> None:
    disabled = assert_object(api.as_admin("PUT", f"{ADAPTERS}/smb", {"enabled": False}))
    assert (disabled["enabled"], disabled["running"]) == (False, False)
    assert api.adapters()["smb"] == {
        "type": "smb",
        "port": api.home_ports["smb"],
        "enabled": False,
        "running": False,
    }

    enabled = assert_object(api.as_admin("PUT", f"{ADAPTERS}/smb", {"enabled": True}))
    assert (enabled["enabled"], enabled["running"]) == (True, True)


def test_a_port_change_is_stored_and_ends_running(api: Subject) -> None:
    """In between others may read `running: false`: see the tests of a move."""
    [port] = free_ports(1)

    changed = assert_object(api.as_admin("PUT", f"{ADAPTERS}/nfs", {"port": port}))

    assert (changed["port"], changed["enabled"], changed["running"]) == (port, True, True)
    assert api.adapters()["nfs"] == {"type": "nfs", "port": port, "enabled": True, "running": True}


def test_a_deleted_adapter_is_gone_and_an_empty_list_is_a_list(api: Subject) -> None:
    for adapter_type in ("nfs", "smb"):
        answer = api.as_admin("DELETE", f"{ADAPTERS}/{adapter_type}")
        assert (answer.status_code, answer.content) == (204, b"")

    for path in (PORTS, ADAPTERS):
        assert api.as_admin("GET", path).text == "[]\n"
    assert_problem(api.as_admin("DELETE", f"{ADAPTERS}/nfs"), 404, "Not Found", "Adapter not found")


def test_there_is_one_adapter_of_a_type(api: Subject) -> None:
    answer = api.as_admin("POST", ADAPTERS, {"type": "nfs", "port": 1})

    assert_problem(answer, 409, "Conflict", "Adapter already exists")


def test_an_adapter_needs_a_type(api: Subject) -> None:
    answer = api.as_admin("POST", ADAPTERS, {"port": 1})

    assert_problem(answer, 400, "Bad Request", "Adapter type is required")


@pytest.mark.parametrize("adapter_type", ["ftp", "NFS"])
def test_an_unknown_type_is_refused_and_types_are_case_sensitive(api: Subject, adapter_type: str) -> None:
    answer = api.as_admin("POST", ADAPTERS, {"type": adapter_type})

    if api.version.checks_adapters:
        why = f'unsupported adapter type "{adapter_type}": must be one of nfs, smb'
        assert_problem(answer, 400, "Bad Request", why)
    else:
        assert_problem(answer, 500, "Internal Server Error", "Failed to create adapter")
    assert api.adapters().keys() == {"nfs", "smb"}
