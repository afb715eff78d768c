"""Accounts, as far as a test or a demo has to make them."""

from tests.contract.subject import USERS, Subject, assert_object, assert_problem, types_of

_PASSWORD = "long enough"


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


def test_nobody_removes_the_administrator_or_an_unknown_user(api: Subject) -> None:
    assert_problem(api.as_admin("DELETE", f"{USERS}/admin"), 403, "Forbidden", "Cannot delete admin user")
    for method in ("PUT", "DELETE"):
        answer = api.as_admin(method, f"{USERS}/nobody", {})

        assert_problem(answer, 404, "Not Found", "User not found")
