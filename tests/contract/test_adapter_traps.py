"""What surprises people, pinned down: each of these was seen on the real server first."""

import pytest

from tests.bed.process import free_ports
from tests.contract.subject import ADAPTERS, Subject, assert_object


def test_port_zero_is_reported_as_zero(api: Subject) -> None:
    """The adapter listens on its type's default port; the API does not say which."""
    changed = assert_object(api.as_admin("PUT", f"{ADAPTERS}/smb", {"port": 0}))

    assert changed["port"] == 0
    assert api.adapters()["smb"] == {"type": "smb", "port": 0, "enabled": True, "running": True}


def test_a_negative_port_is_stored_and_said_to_run(api: Subject) -> None:
    assert_object(api.as_admin("PUT", f"{ADAPTERS}/smb", {"port": -5}))

    assert api.adapters()["smb"] == {"type": "smb", "port": -5, "enabled": True, "running": True}


def test_too_high_a_port_panics_and_is_stored_all_the_same(api: Subject) -> None:
    answer = api.as_admin("PUT", f"{ADAPTERS}/smb", {"port": 70000})

    assert (answer.status_code, answer.content) == (500, b"")
    assert api.adapters()["smb"] == {"type": "smb", "port": 70000, "enabled": True, "running": False}


def test_a_disabled_adapter_takes_too_high_a_port_without_a_word(api: Subject) -> None:
    changed = assert_object(api.as_admin("PUT", f"{ADAPTERS}/smb", {"port": 70000, "enabled": False}))

    assert (changed["port"], changed["enabled"], changed["running"]) == (70000, False, False)


def test_a_new_adapter_with_too_high_a_port_panics_and_stays(api: Subject) -> None:
    assert api.as_admin("DELETE", f"{ADAPTERS}/smb").status_code == 204

    answer = api.as_admin("POST", ADAPTERS, {"type": "smb", "port": 70000})

    assert (answer.status_code, answer.content) == (500, b"")
    assert api.adapters()["smb"] == {"type": "smb", "port": 70000, "enabled": True, "running": False}


def test_two_adapters_may_carry_one_port(api: Subject) -> None:
    shared = api.home_ports["nfs"]

    changed = assert_object(api.as_admin("PUT", f"{ADAPTERS}/smb", {"port": shared}))

    assert changed["running"] is True
    assert [adapter["port"] for adapter in api.adapters().values()] == [shared, shared]


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
