"""What a server knows after its database was replaced, and what outlives it."""

import httpx
import pytest

from lab.bed.credentials import credential
from lab.bed.dittofs import DittoFSServer, client_of
from tests.contract.dittofs.subject import LOGIN, PORTS, REFRESH, assert_list, assert_object, assert_problem

pytestmark = pytest.mark.usefixtures("default_ports")


def log_in(client: httpx.Client, username: str, password: str) -> httpx.Response:
    return client.post(LOGIN, json={"username": username, "password": password})


def test_an_empty_database_has_the_first_starts_adapters_and_the_administrator(
    server: DittoFSServer,
) -> None:
    server.disable("smb")

    server.replace_database()

    assert server.adapters() == {
        "nfs": {"type": "nfs", "port": 12049, "enabled": True, "running": True},
        "smb": {"type": "smb", "port": 1445, "enabled": True, "running": True},
    }
    with client_of(server.url, None) as client:
        user = assert_object(log_in(client, "admin", server.admin_password))["user"]
    assert user["must_change_password"] is False


def test_a_user_of_the_old_database_is_unknown_but_its_token_stays_good(server: DittoFSServer) -> None:
    password = credential("user")
    server.create_user("reader", password)
    with client_of(server.url, None) as client:
        old = log_in(client, "reader", password).json()

        server.replace_database()

        assert_problem(
            log_in(client, "reader", password), 401, "Unauthorized", "Invalid username or password"
        )
        assert_problem(
            client.post(REFRESH, json={"refresh_token": old["refresh_token"]}),
            401,
            "Unauthorized",
            "User not found",
        )
        assert_list(client.get(PORTS, headers={"Authorization": f"Bearer {old['access_token']}"}))
