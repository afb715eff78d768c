"""Which tokens are accepted, and for how long."""

import time

import httpx
import pytest

from lab.bed.credentials import credential
from lab.simulator.tokens import Claims, TokenSigner
from lab.simulator.tokens import Kind as TokenKind
from tests.contract.dittofs.conftest import NewServer
from tests.contract.dittofs.subject import (
    LOGIN,
    PORTS,
    REFRESH,
    USERS,
    Subject,
    assert_list,
    assert_object,
    assert_plain,
    assert_problem,
)
from tests.dittofs_kinds import Kind


def signed(secret: str, kind: TokenKind, age: float) -> str:
    """A token of one minute, issued some time ago."""
    claims = Claims(username="admin", user_id="1", role="admin")
    return TokenSigner(secret).sign(claims, kind, time.time() - age, lifetime=60)


def test_a_request_without_a_token_is_refused(api: Subject) -> None:
    assert_plain(api.call("GET", PORTS), 401, "Authorization header required")


def test_only_bearer_tokens_count(api: Subject) -> None:
    answer = api.client.get(PORTS, auth=("admin", api.admin.password))

    assert_plain(answer, 401, "Authorization header required")


@pytest.mark.parametrize("token", ["nonsense", "a.b.c", "ä"])
def test_nonsense_is_no_token(api: Subject, token: str) -> None:
    answer = api.client.get(PORTS, headers=[(b"Authorization", f"Bearer {token}".encode())])

    assert_plain(answer, 401, "Invalid or expired token")


def test_a_token_is_good_wherever_its_secret_is_known(api: Subject) -> None:
    assert_list(api.call("GET", PORTS, token=signed(api.secret, "access", age=0)))


def test_a_token_of_another_secret_is_refused(api: Subject) -> None:
    token = signed(credential("another-key"), "access", age=0)

    assert_plain(api.call("GET", PORTS, token=token), 401, "Invalid or expired token")


def test_an_expired_access_token_is_refused(api: Subject) -> None:
    token = signed(api.secret, "access", age=61)

    assert_plain(api.call("GET", PORTS, token=token), 401, "Invalid or expired token")


def test_an_expired_refresh_token_says_so(api: Subject) -> None:
    answer = api.call("POST", REFRESH, json={"refresh_token": signed(api.secret, "refresh", age=61)})

    assert_problem(answer, 401, "Unauthorized", "Refresh token has expired")


def test_a_refresh_token_is_no_access_token(api: Subject) -> None:
    token = signed(api.secret, "refresh", age=0)

    assert_plain(api.call("GET", PORTS, token=token), 401, "Invalid or expired token")


def test_a_token_outlives_its_user_and_a_restart(api: Subject) -> None:
    who = api.new_user()
    token = api.login(who).json()["access_token"]

    assert api.as_admin("PUT", f"{USERS}/{who.username}", {"enabled": False}).status_code == 200
    assert_list(api.call("GET", PORTS, token=token))

    api.restart()
    assert_list(api.call("GET", PORTS, token=token))


def test_a_short_lifetime_is_announced_and_kept(kind: Kind, new_server: NewServer) -> None:
    short_lived = new_server(**({"access_token_duration": "2s"} if kind.real else {"access_lifetime": 2}))
    with short_lived as server, httpx.Client(base_url=server.url, timeout=60, trust_env=False) as client:
        credentials = {"username": "admin", "password": server.admin_password}
        body = client.post(LOGIN, json=credentials).json()
        headers = {"Authorization": f"Bearer {body['access_token']}"}

        assert body["expires_in"] == 2
        deadline = time.monotonic() + 10
        while (answer := client.get(PORTS, headers=headers)).status_code == 200:
            assert time.monotonic() < deadline, "the token never expired"
            time.sleep(0.05)
        assert_plain(answer, 401, "Invalid or expired token")
        assert_object(client.post(REFRESH, json={"refresh_token": body["refresh_token"]}))
