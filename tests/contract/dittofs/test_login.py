"""Logging in, refreshing, and asking who one is."""

from typing import Any

from lab.bed.credentials import credential
from tests.contract.dittofs.subject import (
    LOGIN,
    ME,
    REFRESH,
    USERS,
    Subject,
    assert_object,
    assert_problem,
    types_of,
)

_TOKENS = {
    "access_token": str,
    "refresh_token": str,
    "token_type": str,
    "expires_in": int,
    "expires_at": str,
    "user": dict,
}
_USER = {
    "id": str,
    "username": str,
    "role": str,
    "enabled": bool,
    "must_change_password": bool,
    "created_at": str,
    "last_login": str,
}


def assert_tokens(body: dict[str, Any]) -> None:
    assert types_of(body) == _TOKENS
    assert body["token_type"] == "Bearer"
    assert body["expires_in"] == 900
    assert body["expires_at"].endswith("Z")
    assert types_of(body["user"]) == _USER


def test_a_login_hands_out_tokens_and_the_user(api: Subject) -> None:
    who = api.new_user("operator")

    body = assert_object(api.login(who))

    assert_tokens(body)
    assert body["user"]["username"] == who.username
    assert body["user"]["role"] == "operator"
    assert body["user"]["must_change_password"] is False


def test_the_first_administrator_has_a_fuller_profile(api: Subject) -> None:
    user = assert_object(api.login(api.admin))["user"]

    assert types_of(user) == _USER | {"display_name": str, "uid": int, "groups": list}
    assert user["role"] == "admin"


def test_a_wrong_password_and_an_unknown_user_look_the_same(api: Subject) -> None:
    for username in ("admin", "nobody"):
        answer = api.call("POST", LOGIN, json={"username": username, "password": credential("wrong")})

        assert_problem(answer, 401, "Unauthorized", "Invalid username or password")


def test_a_login_needs_both_name_and_password(api: Subject) -> None:
    for body in ({"username": "admin"}, {"password": "x"}, {"username": "", "password": ""}, {}):
        answer = api.call("POST", LOGIN, json=body)

        assert_problem(answer, 400, "Bad Request", "Username and password are required")


def test_a_login_that_is_no_object_of_strings_is_refused(api: Subject) -> None:
    for raw in (b"", b"no json", b"[]", b'{"username": 1, "password": "x"}'):
        assert_problem(api.call("POST", LOGIN, raw=raw), 400, "Bad Request", "Invalid request body")


def test_a_refresh_token_buys_new_tokens(api: Subject) -> None:
    who = api.new_user()
    refresh_token = api.login(who).json()["refresh_token"]

    body = assert_object(api.call("POST", REFRESH, json={"refresh_token": refresh_token}))

    assert_tokens(body)
    assert body["user"]["username"] == who.username
    assert api.call("GET", ME, token=body["access_token"]).status_code == 200


def test_only_a_refresh_token_refreshes(api: Subject) -> None:
    for token in (api.token("user"), "nonsense"):
        answer = api.call("POST", REFRESH, json={"refresh_token": token})

        assert_problem(answer, 401, "Unauthorized", "Invalid refresh token")


def test_a_refresh_needs_a_token(api: Subject) -> None:
    assert_problem(api.call("POST", REFRESH, json={}), 400, "Bad Request", "Refresh token is required")


def test_me_is_the_user_of_the_token(api: Subject) -> None:
    who = api.new_user()
    token = api.login(who).json()["access_token"]

    user = assert_object(api.call("GET", ME, token=token))

    assert types_of(user) == _USER
    assert user["username"] == who.username


def test_a_disabled_user_can_neither_log_in_nor_refresh(api: Subject) -> None:
    who = api.new_user()
    refresh_token = api.login(who).json()["refresh_token"]

    disabled = assert_object(api.as_admin("PUT", f"{USERS}/{who.username}", {"enabled": False}))

    assert disabled["enabled"] is False
    for answer in (api.login(who), api.call("POST", REFRESH, json={"refresh_token": refresh_token})):
        assert_problem(answer, 403, "Forbidden", "User account is disabled")


def test_a_removed_user_is_unknown_to_refresh_and_me(api: Subject) -> None:
    who = api.new_user()
    tokens = api.login(who).json()

    assert api.as_admin("DELETE", f"{USERS}/{who.username}").status_code == 204

    refreshed = api.call("POST", REFRESH, json={"refresh_token": tokens["refresh_token"]})
    for answer in (refreshed, api.call("GET", ME, token=tokens["access_token"])):
        assert_problem(answer, 401, "Unauthorized", "User not found")
