"""Who may ask: logins, tokens, and what a refusal tells people."""

import asyncio
import json

import pytest

from dittoinfra.dittofs.client import DittoFSClient
from dittoinfra.model import Answered, Denied, Nonsense, ReportedAdapter
from lab.bed.credentials import credential
from lab.simulator import SimulatedDittoFS
from tests.unit.dittofs.bench import IMPATIENT, PASSWORD, USERNAME, access_to, asked, poll

PORTS = "/api/v1/adapters/ports"
ADAPTERS = "/api/v1/adapters"
LOGIN = "/api/v1/auth/login"
REFRESH = "/api/v1/auth/refresh"

FIRST_BOOT = {
    ReportedAdapter("nfs", 12049, enabled=True, running=True),
    ReportedAdapter("smb", 1445, enabled=True, running=True),
}


class Clock:
    """A clock that a test moves."""

    def __init__(self) -> None:
        self.now = 0.0

    def __call__(self) -> float:
        return self.now


def test_a_plain_user_is_told_the_adapters(server: SimulatedDittoFS) -> None:
    outcome = poll(access_to(server.url))

    assert isinstance(outcome, Answered)
    assert set(outcome.adapters) == FIRST_BOOT
    assert asked(server) == ["POST auth/login", "GET adapters/ports"]


def test_a_path_in_the_address_comes_first(server: SimulatedDittoFS) -> None:
    server.answer_with(404, path="/files/api/v1/auth/login")

    outcome = poll(access_to(f"{server.url}/files"))

    assert outcome == Nonsense(
        f"{server.url}/files/api/v1/auth/login answered HTTP 404", "check that api.url leads to a DittoFS API"
    )


def test_several_polls_share_one_login(server: SimulatedDittoFS) -> None:
    async def three_polls() -> None:
        async with DittoFSClient(access_to(server.url)) as client:
            for _ in range(3):
                assert isinstance(await client.poll(), Answered)

    asyncio.run(three_polls())

    assert asked(server) == ["POST auth/login", *["GET adapters/ports"] * 3]


def test_an_expired_token_is_refreshed_without_the_password(server: SimulatedDittoFS) -> None:
    clock = Clock()

    async def two_polls() -> None:
        async with DittoFSClient(access_to(server.url), clock=clock) as client:
            await client.poll()
            clock.now += 889
            await client.poll()
            clock.now += 2
            assert isinstance(await client.poll(), Answered)

    asyncio.run(two_polls())

    assert asked(server) == [
        "POST auth/login",
        "GET adapters/ports",
        "GET adapters/ports",
        "POST auth/refresh",
        "GET adapters/ports",
    ]


def test_a_refused_refresh_falls_back_to_the_password(server: SimulatedDittoFS) -> None:
    clock = Clock()
    server.answer_with(401, "Refresh token has expired", "text/plain", path=REFRESH)

    async def two_polls() -> None:
        async with DittoFSClient(access_to(server.url), clock=clock) as client:
            await client.poll()
            clock.now += 900
            assert isinstance(await client.poll(), Answered)

    asyncio.run(two_polls())

    assert asked(server)[2:] == ["POST auth/refresh", "POST auth/login", "GET adapters/ports"]


def test_a_login_without_a_refresh_token_is_repeated(server: SimulatedDittoFS) -> None:
    clock = Clock()
    server.answer_with(
        200, json.dumps({"access_token": "a", "token_type": "Bearer", "expires_in": 60}), path=LOGIN
    )
    server.answer_with(200, "[]", path=PORTS)

    async def two_polls() -> None:
        async with DittoFSClient(access_to(server.url), clock=clock) as client:
            await client.poll()
            clock.now += 60
            assert await client.poll() == Answered(())

    asyncio.run(two_polls())

    assert asked(server) == ["POST auth/login", "GET adapters/ports"] * 2


def test_a_refused_token_is_replaced_once(server: SimulatedDittoFS) -> None:
    server.answer_with(401, "Invalid or expired token", "text/plain", path=PORTS, times=1)

    assert isinstance(poll(access_to(server.url)), Answered)
    assert asked(server) == ["POST auth/login", "GET adapters/ports"] * 2


def test_a_token_refused_twice_is_a_denial(server: SimulatedDittoFS) -> None:
    server.answer_with(401, "Invalid or expired token", "text/plain", path=PORTS)

    assert poll(access_to(server.url)) == Denied(
        f"{server.url}{PORTS} answered HTTP 401 'Invalid or expired token' "
        "after a fresh login as 'dittoinfra'",
        "check the server's clock and JWT secret",
    )
    assert asked(server) == ["POST auth/login", "GET adapters/ports"] * 2


def test_the_second_login_is_spent_for_the_whole_poll(server: SimulatedDittoFS) -> None:
    server.answer_with(401, path=PORTS, times=1)
    server.answer_with(503, path=PORTS, times=1)
    server.answer_with(401, path=PORTS, times=1)

    assert isinstance(poll(access_to(server.url)), Denied)
    assert asked(server).count("POST auth/login") == 2


def test_a_denied_server_gets_a_fresh_login_at_the_next_poll(server: SimulatedDittoFS) -> None:
    server.answer_with(401, path=PORTS, times=2)

    async def two_polls() -> None:
        async with DittoFSClient(access_to(server.url), IMPATIENT) as client:
            assert isinstance(await client.poll(), Denied)
            assert isinstance(await client.poll(), Answered)

    asyncio.run(two_polls())

    assert asked(server).count("POST auth/login") == 3


def test_a_wrong_password_is_denied_with_its_place(server: SimulatedDittoFS) -> None:
    outcome = poll(access_to(server.url, password=credential("wrong")))

    assert outcome == Denied(
        f"{server.url}{LOGIN} refused user 'dittoinfra' with the password from dittoinfra:passwords.media "
        "(HTTP 401)",
        "pulumi config set --secret …",
    )
    assert asked(server) == ["POST auth/login"]


def test_a_disabled_user_is_denied(server: SimulatedDittoFS) -> None:
    server.disable_user(USERNAME)

    assert poll(access_to(server.url)) == Denied(
        f"{server.url}{LOGIN} answered HTTP 403 'User account is disabled'",
        "check that user 'dittoinfra' is enabled there",
    )


def test_a_password_that_must_be_changed_is_denied_at_the_login(server: SimulatedDittoFS) -> None:
    server.add_user("fresh", PASSWORD, must_change_password=True)

    assert poll(access_to(server.url, username="fresh")) == Denied(
        f"{server.url}{LOGIN}: user 'fresh' must change the password first",
        "run dfsctl user change-password as 'fresh' and put it into dittoinfra:passwords.media",
    )


@pytest.mark.parametrize("path", [PORTS, LOGIN])
def test_a_password_that_must_be_changed_is_denied_by_its_text(server: SimulatedDittoFS, path: str) -> None:
    text = 'account "dittoinfra" must set a new password before performing other operations'
    server.answer_with(403, text, "text/plain", path=path)

    outcome = poll(access_to(server.url))

    assert isinstance(outcome, Denied)
    assert f"{server.url}{path}: user 'dittoinfra' must change the password first" in outcome.why
    assert "GET adapters" not in asked(server)


@pytest.mark.parametrize("role", ["operator", "admin"])
def test_an_old_server_is_asked_for_the_whole_list(old_server: SimulatedDittoFS, role: str) -> None:
    old_server.add_user(USERNAME, PASSWORD, "admin" if role == "admin" else "operator")

    outcome = poll(access_to(old_server.url))

    assert isinstance(outcome, Answered)
    assert set(outcome.adapters) == FIRST_BOOT
    assert asked(old_server) == ["POST auth/login", "GET adapters/ports", "GET adapters"]


def test_a_plain_user_of_an_old_server_is_denied(old_server: SimulatedDittoFS) -> None:
    old_server.add_user(USERNAME, PASSWORD)

    outcome = poll(access_to(old_server.url))

    assert isinstance(outcome, Denied)
    assert outcome.why.startswith(f"{old_server.url}{ADAPTERS} answered HTTP 403 '")
    assert outcome.why.endswith("; give user 'dittoinfra' the role operator, or upgrade to DittoFS v0.28")


def test_an_address_without_adapters_is_a_wrong_one(server: SimulatedDittoFS) -> None:
    server.answer_with(404, path=PORTS)
    server.answer_with(404, path=ADAPTERS)

    assert poll(access_to(server.url)) == Nonsense(
        f"{server.url}{ADAPTERS} answered HTTP 404", "check that api.url leads to a DittoFS API"
    )


GOOD_LOGIN = {"access_token": "a.b.c", "refresh_token": "d.e.f", "token_type": "Bearer", "expires_in": 900}


@pytest.mark.parametrize(
    ("change", "complaint"),
    [
        ({"access_token": None}, "access_token: Input should be a valid string"),
        ({"access_token": ""}, "access_token: String should match pattern"),
        ({"access_token": "a\r\nX-Evil: 1"}, "access_token: String should match pattern"),
        ({"access_token": "ä"}, "access_token: String should match pattern"),
        ({"refresh_token": 5}, "refresh_token: Input should be a valid string"),
        ({"token_type": "MAC"}, "token_type: String should match pattern"),
        ({"expires_in": 0}, "expires_in: Input should be greater than 0"),
        ({"expires_in": "900"}, "expires_in: Input should be a valid integer"),
        ({"expires_in": True}, "expires_in: Input should be a valid integer"),
        ({"user": {"must_change_password": 0}}, "user.must_change_password: Input should be a valid boolean"),
    ],
)
def test_a_login_of_the_wrong_shape_is_nonsense(
    server: SimulatedDittoFS, change: dict[str, object], complaint: str
) -> None:
    server.answer_with(200, json.dumps({**GOOD_LOGIN, **change}), path=LOGIN)

    outcome = poll(access_to(server.url))

    assert isinstance(outcome, Nonsense)
    assert outcome.why.startswith(f"{server.url}{LOGIN}: the answer is no login ({complaint}")
    assert asked(server) == ["POST auth/login"]


@pytest.mark.parametrize("body", ["[]", "null", "7"])
def test_a_login_that_is_no_object_is_nonsense(server: SimulatedDittoFS, body: str) -> None:
    server.answer_with(200, body, path=LOGIN)

    outcome = poll(access_to(server.url))

    assert isinstance(outcome, Nonsense)
    assert "the answer is no login (it: " in outcome.why


def test_a_sign_in_page_is_nonsense(server: SimulatedDittoFS) -> None:
    server.answer_with(200, "<html>Sign in</html>", "text/html", path=LOGIN)

    assert poll(access_to(server.url)) == Nonsense(
        f"{server.url}{LOGIN}: the answer is not JSON from character 0 on",
        "check that api.url leads to a DittoFS API",
    )


def test_half_a_login_is_not_quoted(server: SimulatedDittoFS) -> None:
    server.answer_with(200, '{"access_token": "eyJhbGciOiJIUzI1NiJ9', path=LOGIN)

    outcome = poll(access_to(server.url))

    assert isinstance(outcome, Nonsense)
    assert "eyJ" not in outcome.why
