"""An administrator made by another one first has to change the password."""

import httpx
import pytest

from lab.bed.credentials import credential
from tests.contract.dittofs.subject import (
    ADAPTERS,
    ME,
    PORTS,
    USERS,
    Subject,
    assert_list,
    assert_object,
    assert_plain,
    assert_problem,
)

OWN_PASSWORD = f"{USERS}/me/password"


@pytest.mark.parametrize(
    ("method", "path"),
    [("GET", PORTS), ("GET", ADAPTERS), ("PATCH", ADAPTERS), ("DELETE", f"{ADAPTERS}/nfs"), ("POST", USERS)],
)
def test_until_then_everything_is_forbidden_by_name(api: Subject, method: str, path: str) -> None:
    who = api.new_user("admin")
    token = api.login(who).json()["access_token"]

    answer = api.call(method, path, token=token)

    name = who.username
    assert_plain(
        answer,
        403,
        f'account "{name}" must set a new password before performing other operations; '
        f"run 'dfsctl user change-password' (as \"{name}\") to set one",
    )


def test_the_user_is_told_at_login_and_may_ask_who_it_is(api: Subject) -> None:
    body = api.login(api.new_user("admin")).json()

    assert body["user"]["must_change_password"] is True
    assert assert_object(api.call("GET", ME, token=body["access_token"]))["must_change_password"] is True


def test_the_old_token_stays_forbidden_and_the_new_one_works(api: Subject) -> None:
    old_token = api.login(api.new_user("admin")).json()["access_token"]

    body = assert_object(
        api.call("POST", OWN_PASSWORD, token=old_token, json={"new_password": credential("new")})
    )

    assert body["user"]["must_change_password"] is False
    assert api.call("GET", PORTS, token=old_token).status_code == 403
    assert_list(api.call("GET", PORTS, token=body["access_token"]))


def test_a_new_password_must_be_given_and_be_long_enough(api: Subject) -> None:
    token = api.login(api.new_user("admin")).json()["access_token"]

    missing = api.call("POST", OWN_PASSWORD, token=token, json={})
    short = api.call("POST", OWN_PASSWORD, token=token, json={"new_password": "1234567"})

    assert_problem(missing, 400, "Bad Request", "New password is required")
    assert_problem(short, 500, "Internal Server Error", "Failed to hash password")


def test_a_user_who_need_not_change_it_has_to_know_the_old_one(api: Subject) -> None:
    who = api.new_user()
    token = api.login(who).json()["access_token"]

    def change(**body: str) -> httpx.Response:
        return api.call("POST", OWN_PASSWORD, token=token, json={"new_password": credential("new"), **body})

    assert_problem(change(), 400, "Bad Request", "Current password is required")
    assert_problem(change(current_password="wrong"), 401, "Unauthorized", "Current password is incorrect")
    assert_object(change(current_password=who.password))
