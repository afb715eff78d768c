"""Creating, changing and deleting accounts."""

from http import HTTPStatus

from lab.simulator.accounts import Account, AccountExistsError, PasswordTooShortError, is_role
from lab.simulator.answers import Answer, empty, ok, problem
from lab.simulator.api import Call
from lab.simulator.bodies import members
from lab.simulator.handlers.auth import tokens_for


def create(call: Call) -> Answer:
    given = members(call.body, {"username": str, "password": str, "role": str, "enabled": bool})
    for name, label in (("username", "Username"), ("password", "Password")):
        if not given.get(name):
            return problem(HTTPStatus.BAD_REQUEST, f"{label} is required")
    role = given.get("role") or "user"
    if not is_role(role):
        return problem(HTTPStatus.BAD_REQUEST, "Invalid role. Must be 'user', 'admin', or 'operator'")
    # Only its owner should know an administrator's password for long.
    account = Account(
        given["username"],
        given["password"],
        role,
        enabled=given.get("enabled", True),
        must_change_password=role == "admin",
    )
    try:
        call.server.accounts.add(account)
    except PasswordTooShortError:
        return _unhashable()
    except AccountExistsError:
        return problem(HTTPStatus.CONFLICT, "User already exists")
    return ok(account.shown(), HTTPStatus.CREATED)


def get(call: Call) -> Answer:
    username = call.params["username"]
    if not call.claims.is_admin and call.claims.username != username:
        return problem(HTTPStatus.FORBIDDEN, "Access denied")
    account = call.server.accounts.get(username)
    return ok(account.shown()) if account else _missing()


def update(call: Call) -> Answer:
    given = members(call.body, {"enabled": bool})
    accounts, username = call.server.accounts, call.params["username"]
    account = accounts.set_enabled(username, given["enabled"]) if given else accounts.get(username)
    return ok(account.shown()) if account else _missing()


def remove(call: Call) -> Answer:
    username = call.params["username"]
    if username == "admin":
        return problem(HTTPStatus.FORBIDDEN, "Cannot delete admin user")
    return empty(HTTPStatus.NO_CONTENT) if call.server.accounts.remove(username) else _missing()


def change_own_password(call: Call) -> Answer:
    given = members(call.body, {"current_password": str, "new_password": str})
    if not given.get("new_password"):
        return problem(HTTPStatus.BAD_REQUEST, "New password is required")
    account = call.server.accounts.get(call.claims.username)
    if account is None:
        return problem(HTTPStatus.UNAUTHORIZED, "User not found")
    if not account.must_change_password:
        if not given.get("current_password"):
            return problem(HTTPStatus.BAD_REQUEST, "Current password is required")
        if not account.has_password(given["current_password"]):
            return problem(HTTPStatus.UNAUTHORIZED, "Current password is incorrect")
    try:
        changed = call.server.accounts.set_password(account.username, given["new_password"])
    except PasswordTooShortError:
        return _unhashable()
    return tokens_for(call.server, changed or account)


def reset_password(call: Call) -> Answer:
    given = members(call.body, {"new_password": str})
    if not given.get("new_password"):
        return problem(HTTPStatus.BAD_REQUEST, "New password is required")
    accounts, account = call.server.accounts, call.server.accounts.get(call.params["username"])
    if account is None:
        return _missing()
    try:
        # An administrator's new password is good for one thing: choosing another.
        accounts.set_password(
            account.username, given["new_password"], must_change_password=account.role == "admin"
        )
    except PasswordTooShortError:
        return _unhashable()
    return empty(HTTPStatus.NO_CONTENT)


def _missing() -> Answer:
    return problem(HTTPStatus.NOT_FOUND, "User not found")


def _unhashable() -> Answer:
    return problem(HTTPStatus.INTERNAL_SERVER_ERROR, "Failed to hash password")
