"""Unexpected behaviour of the server, each first seen on the real one."""

import httpx
import pytest

from lab.bed.dittofs import DittoFSServer
from lab.bed.process import free_ports
from tests.contract.dittofs.subject import ADAPTERS, Subject, assert_object, assert_problem


@pytest.mark.usefixtures("default_ports")
def test_port_zero_is_reported_as_zero(api: Subject) -> None:
    """The adapter listens on its type's default port; the API does not say which."""
    changed = assert_object(api.as_admin("PUT", f"{ADAPTERS}/smb", {"port": 0}))

    assert changed["port"] == 0
    assert api.adapters()["smb"] == {"type": "smb", "port": 0, "enabled": True, "running": True}


def test_a_negative_port_is_refused_or_stored_and_said_to_run(api: Subject) -> None:
    answer = api.as_admin("PUT", f"{ADAPTERS}/smb", {"port": -5})

    if api.version.checks_adapters:
        assert_refused(api, answer, -5)
    else:
        assert_object(answer)
        assert api.adapters()["smb"] == {"type": "smb", "port": -5, "enabled": True, "running": True}


def test_too_high_a_port_is_refused_or_panics_and_is_stored(api: Subject) -> None:
    answer = api.as_admin("PUT", f"{ADAPTERS}/smb", {"port": 70000})

    if api.version.checks_adapters:
        assert_refused(api, answer, 70000)
    else:
        assert_panicked(api, answer)


def test_a_disabled_adapter_is_refused_too_high_a_port_or_takes_it_without_a_word(api: Subject) -> None:
    answer = api.as_admin("PUT", f"{ADAPTERS}/smb", {"port": 70000, "enabled": False})

    if api.version.checks_adapters:
        assert_refused(api, answer, 70000)
    else:
        changed = assert_object(answer)
        assert (changed["port"], changed["enabled"], changed["running"]) == (70000, False, False)


def test_a_new_adapter_with_too_high_a_port_is_refused_or_panics_and_stays(api: Subject) -> None:
    assert api.as_admin("DELETE", f"{ADAPTERS}/smb").status_code == 204

    answer = api.as_admin("POST", ADAPTERS, {"type": "smb", "port": 70000})

    if api.version.checks_adapters:
        assert_problem(answer, 400, "Bad Request", "invalid port 70000: must be 0-65535")
        assert api.adapters().keys() == {"nfs"}
    else:
        assert_panicked(api, answer)


def test_two_adapters_may_carry_one_port_and_both_or_one_of_them_runs(api: Subject) -> None:
    shared = api.home_ports["nfs"]

    answer = api.as_admin("PUT", f"{ADAPTERS}/smb", {"port": shared})

    runs = not api.version.waits_for_listener
    if runs:
        assert assert_object(answer)["running"] is True
    else:
        assert_not_bound(answer, "Failed to update adapter: failed to restart adapter after update", shared)
    assert api.adapters() == {
        "nfs": {"type": "nfs", "port": shared, "enabled": True, "running": True},
        "smb": {"type": "smb", "port": shared, "enabled": True, "running": runs},
    }


def test_a_port_in_use_is_stored_and_said_to_run_or_not(server: DittoFSServer) -> None:
    with server.taken_port() as port:
        answer = server.ask("PUT", "/adapters/smb", {"port": port})

        runs = not server.version.waits_for_listener
        if runs:
            assert assert_object(answer)["running"] is True
        else:
            assert_not_bound(answer, "Failed to update adapter: failed to restart adapter after update", port)
        stored = {"type": "smb", "port": port, "enabled": True, "running": runs}
        assert server.adapters()["smb"] == stored

        server.stop()
        server.start()
        assert server.adapters()["smb"] == stored

    # The server does not look again once the port is free, until an administrator asks for it.
    assert server.adapters()["smb"] == stored
    server.enable("smb")
    assert server.adapters()["smb"] == stored | {"running": True}


def test_a_new_adapter_on_a_port_in_use_is_said_to_run_or_leaves_no_row(server: DittoFSServer) -> None:
    server.delete("smb")
    with server.taken_port() as port:
        answer = server.ask("POST", "/adapters", {"type": "smb", "port": port})

        if server.version.waits_for_listener:
            assert_not_bound(answer, "Failed to create adapter: failed to start adapter", port)
            assert server.adapters().keys() == {"nfs"}
        else:
            assert_object(answer, 201)
            assert server.adapters()["smb"]["running"] is True


def assert_refused(api: Subject, answer: httpx.Response, port: int) -> None:
    """Nothing was stored, and the adapter goes on."""
    assert_problem(answer, 400, "Bad Request", f"invalid port {port}: must be 0-65535")
    home = {"type": "smb", "port": api.home_ports["smb"], "enabled": True, "running": True}
    assert api.adapters()["smb"] == home


def assert_panicked(api: Subject, answer: httpx.Response) -> None:
    assert (answer.status_code, answer.content) == (500, b"")
    assert api.adapters()["smb"] == {"type": "smb", "port": 70000, "enabled": True, "running": False}


def assert_not_bound(answer: httpx.Response, what: str, port: int) -> None:
    why = f"failed to create SMB listener on port {port}: listen tcp :{port}: bind: address already in use"
    assert_problem(answer, 500, "Internal Server Error", f"{what}: {why}")


@pytest.mark.parametrize("enabled", [True, False])
def test_a_new_adapter_is_enabled_whatever_one_asked_for_and_says_it_does_not_run(
    api: Subject, enabled: bool
) -> None:
    assert api.as_admin("DELETE", f"{ADAPTERS}/smb").status_code == 204
    [port] = free_ports(1)

    created = assert_object(
        api.as_admin("POST", ADAPTERS, {"type": "smb", "port": port, "enabled": enabled}), 201
    )

    assert (created["port"], created["enabled"], created["running"]) == (port, True, False)
    assert api.adapters()["smb"] == {"type": "smb", "port": port, "enabled": True, "running": True}


@pytest.mark.usefixtures("default_ports")
@pytest.mark.parametrize(("adapter_type", "first_boot_port"), [("nfs", 12049), ("smb", 1445)])
def test_deleting_does_not_last(api: Subject, adapter_type: str, first_boot_port: int) -> None:
    assert api.as_admin("DELETE", f"{ADAPTERS}/{adapter_type}").status_code == 204
    assert adapter_type not in api.adapters()

    api.restart()

    assert api.adapters()[adapter_type] == {
        "type": adapter_type,
        "port": first_boot_port,
        "enabled": True,
        "running": True,
    }


def test_disabling_lasts(api: Subject) -> None:
    assert api.as_admin("PUT", f"{ADAPTERS}/smb", {"enabled": False}).status_code == 200

    api.restart()

    assert api.adapters()["smb"]["enabled"] is False
    assert api.adapters()["smb"]["running"] is False


def test_a_moved_adapter_stays_where_it_was_moved(api: Subject) -> None:
    [port] = free_ports(1)
    assert api.as_admin("PUT", f"{ADAPTERS}/nfs", {"port": port}).status_code == 200

    api.restart()

    assert api.adapters()["nfs"] == {"type": "nfs", "port": port, "enabled": True, "running": True}
