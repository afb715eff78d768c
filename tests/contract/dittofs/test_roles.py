"""What each role may read and write."""

import pytest

from tests.contract.dittofs.subject import (
    ADAPTERS,
    PORTS,
    USERS,
    Role,
    Subject,
    assert_list,
    assert_object,
    assert_plain,
)

_ROLES: list[Role] = ["admin", "operator", "user"]
_WRITES = [("POST", ADAPTERS), ("PUT", f"{ADAPTERS}/nfs"), ("DELETE", f"{ADAPTERS}/nfs"), ("POST", USERS)]
_ADMIN_READS = [f"{ADAPTERS}/nfs", f"{ADAPTERS}/nfs/status", f"{ADAPTERS}/nfs/settings"]


@pytest.mark.parametrize("role", _ROLES)
def test_everybody_may_read_the_ports(api: Subject, role: Role) -> None:
    assert {adapter["type"] for adapter in assert_list(api.as_role(role, "GET", PORTS))} == {"nfs", "smb"}


@pytest.mark.parametrize("role", ["admin", "operator"])
def test_administrators_and_operators_may_list_adapters(api: Subject, role: Role) -> None:
    assert len(assert_list(api.as_role(role, "GET", ADAPTERS))) == 2


def test_a_plain_user_may_not_list_adapters(api: Subject) -> None:
    assert_plain(api.as_role("user", "GET", ADAPTERS), 403, "Insufficient permissions")


@pytest.mark.parametrize("path", _ADMIN_READS)
def test_an_administrator_may_look_at_one_adapter(api: Subject, path: str) -> None:
    assert_object(api.as_admin("GET", path))


@pytest.mark.parametrize("role", ["operator", "user"])
@pytest.mark.parametrize("path", [*_ADMIN_READS, f"{ADAPTERS}/nothing-here", f"{ADAPTERS}/nfs/nothing-here"])
def test_no_other_role_may_look_at_one_adapter(api: Subject, role: Role, path: str) -> None:
    assert_plain(api.as_role(role, "GET", path), 403, "Admin access required")


@pytest.mark.parametrize("role", ["operator", "user"])
@pytest.mark.parametrize(("method", "path"), _WRITES)
def test_no_other_role_may_write(api: Subject, role: Role, method: str, path: str) -> None:
    assert_plain(api.as_role(role, method, path, {}), 403, "Admin access required")


def test_without_a_login_existing_paths_are_not_told(api: Subject) -> None:
    assert_plain(api.call("GET", f"{ADAPTERS}/nfs/nothing-here"), 401, "Authorization header required")
