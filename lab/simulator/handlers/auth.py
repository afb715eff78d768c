"""Login, token refresh, and the current user."""

import time
from datetime import UTC, datetime
from http import HTTPStatus

from lab.simulator.accounts import Account
from lab.simulator.answers import Answer, RefusedError, ok, problem, timestamp
from lab.simulator.api import Call, Server
from lab.simulator.bodies import members
from lab.simulator.tokens import TokenExpiredError, TokenInvalidError


def login(call: Call) -> Answer:
    given = members(call.body, {"username": str, "password": str})
    if not given.get("username") or not given.get("password"):
        return problem(HTTPStatus.BAD_REQUEST, "Username and password are required")
    account = call.server.accounts.get(given["username"])
    if account is None or not account.has_password(given["password"]):
        return problem(HTTPStatus.UNAUTHORIZED, "Invalid username or password")
    _refuse_disabled(account)
    return tokens_for(call.server, call.server.accounts.note_login(account.username) or account)


def refresh(call: Call) -> Answer:
    given = members(call.body, {"refresh_token": str})
    if not given.get("refresh_token"):
        return problem(HTTPStatus.BAD_REQUEST, "Refresh token is required")
    try:
        claims = call.server.signer.verify(given["refresh_token"], "refresh", time.time())
    except TokenExpiredError:
        return problem(HTTPStatus.UNAUTHORIZED, "Refresh token has expired")
    except TokenInvalidError:
        return problem(HTTPStatus.UNAUTHORIZED, "Invalid refresh token")
    account = call.server.accounts.get(claims.username)
    if account is None:
        return problem(HTTPStatus.UNAUTHORIZED, "User not found")
    _refuse_disabled(account)
    return tokens_for(call.server, account)


def me(call: Call) -> Answer:
    account = call.server.accounts.get(call.claims.username)
    if account is None:
        return problem(HTTPStatus.UNAUTHORIZED, "User not found")
    return ok(account.shown())


def tokens_for(server: Server, account: Account) -> Answer:
    """A new pair of tokens, as returned by login, refresh and password change."""
    issued_at, claims, lifetimes = time.time(), account.claims(), server.lifetimes
    return ok(
        {
            "access_token": server.signer.sign(claims, "access", issued_at, lifetimes.access),
            "refresh_token": server.signer.sign(claims, "refresh", issued_at, lifetimes.refresh),
            "token_type": "Bearer",
            "expires_in": int(lifetimes.access),
            "expires_at": timestamp(datetime.fromtimestamp(issued_at + lifetimes.access, UTC)),
            "user": account.shown(),
        }
    )


def _refuse_disabled(account: Account) -> None:
    if not account.enabled:
        raise RefusedError(problem(HTTPStatus.FORBIDDEN, "User account is disabled"))
