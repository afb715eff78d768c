"""Accounts, as far as a test or a demo has to make them."""

from lab.bed.credentials import credential
from tests.contract.dittofs.subject import (
    USERS,
    Credentials,
    Subject,
    assert_object,
    assert_problem,
    types_of,
)

_PASSWORD = credential("user")


def test_a_new_user_has_never_logged_in(api: Subject) -> None:
    body = {"username": "fresh", "password": _PASSWORD}

    user = assert_object(api.as_admin("POST", USERS, body), 201)

    assert user["role"] == "user"
    assert types_of(user) == {
        "id": str,
        "username": str,
        "role": str,
        "enabled": bool,
        "must_change_password": bool,
        "created_at": str,
    }
    assert api.as_admin("DELETE", f"{USERS}/fresh").status_code == 204


def test_a_new_user_needs_a_name_a_password_and_a_known_role(api: Subject) -> None:
    nameless = api.as_admin("POST", USERS, {"password": _PASSWORD})
    without_password = api.as_admin("POST", USERS, {"username": "x"})
    stranger = api.as_admin("POST", USERS, {"username": "x", "password": _PASSWORD, "role": "boss"})

    assert_problem(nameless, 400, "Bad Request", "Username is required")
    assert_problem(without_password, 400, "Bad Request", "Password is required")
    assert_problem(stranger, 400, "Bad Request", "Invalid role. Must be 'user', 'admin', or 'operator'")


def test_a_password_of_seven_characters_is_an_internal_error(api: Subject) -> None:
    answer = api.as_admin("POST", USERS, {"username": "x", "password": "1234567"})

    assert_problem(answer, 500, "Internal Server Error", "Failed to hash password")


def test_a_name_is_given_once(api: Subject) -> None:
    who = api.new_user()

    answer = api.as_admin("POST", USERS, {"username": who.username, "password": _PASSWORD})

    assert_problem(answer, 409, "Conflict", "User already exists")


def test_the_administrator_and_an_unknown_user_cannot_be_removed(api: Subject) -> None:
    assert_problem(api.as_admin("DELETE", f"{USERS}/admin"), 403, "Forbidden", "Cannot delete admin user")
    for method in ("PUT", "DELETE"):
        answer = api.as_admin(method, f"{USERS}/nobody", {})

        assert_problem(answer, 404, "Not Found", "User not found")


def test_an_administrator_sees_everybody_and_a_user_itself_alone(api: Subject) -> None:
    who, other = api.new_user(), api.new_user()
    token = api.login(who).json()["access_token"]

    assert assert_object(api.as_admin("GET", f"{USERS}/{who.username}"))["role"] == "user"
    assert assert_object(api.call("GET", f"{USERS}/{who.username}", token=token))["username"] == who.username
    strange = api.call("GET", f"{USERS}/{other.username}", token=token)
    assert_problem(strange, 403, "Forbidden", "Access denied")
    assert_problem(api.as_admin("GET", f"{USERS}/nobody"), 404, "Not Found", "User not found")


def test_a_users_new_password_is_good_at_once_and_an_administrators_is_not(api: Subject) -> None:
    who, chief = api.new_user(), api.new_user("admin")
    new = {"new_password": _PASSWORD}

    for username in (who.username, chief.username):
        assert api.as_admin("POST", f"{USERS}/{username}/password", new).status_code == 204

    assert api.login(who).status_code == 401
    assert api.login(Credentials(who.username, _PASSWORD)).json()["user"]["must_change_password"] is False
    assert api.login(Credentials(chief.username, _PASSWORD)).json()["user"]["must_change_password"] is True


def test_a_new_password_is_refused_without_a_user_without_itself_and_when_short(api: Subject) -> None:
    path = f"{USERS}/{api.new_user().username}/password"

    missing = api.as_admin("POST", path, {})
    short = api.as_admin("POST", path, {"new_password": "1234567"})
    nobody = api.as_admin("POST", f"{USERS}/nobody/password", {"new_password": _PASSWORD})

    assert_problem(missing, 400, "Bad Request", "New password is required")
    assert_problem(short, 500, "Internal Server Error", "Failed to hash password")
    assert_problem(nobody, 404, "Not Found", "User not found")
