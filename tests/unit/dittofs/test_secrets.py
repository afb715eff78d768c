"""A server that echoes credentials gets none of them into our messages."""

import json
from collections.abc import Callable
from urllib.parse import quote_plus

import pytest

from dittoinfra.dittofs.text import Secrets, quote
from dittoinfra.model import Answered, Nonsense
from lab.bed.credentials import credential
from lab.simulator import SimulatedDittoFS
from tests.unit.dittofs.bench import PASSWORD, access_to, poll

PORTS = "/api/v1/adapters/ports"
ADAPTERS = "/api/v1/adapters"
LOGIN = "/api/v1/auth/login"
ACCESS_TOKEN = credential("access.token.echoed")
REFRESH_TOKEN = credential("refresh.token.echoed")
LOGGED_IN = json.dumps(
    {"access_token": ACCESS_TOKEN, "refresh_token": REFRESH_TOKEN, "token_type": "Bearer", "expires_in": 900}
)
SECRETS = (PASSWORD, ACCESS_TOKEN, REFRESH_TOKEN)
SPELLINGS: tuple[Callable[[str], str], ...] = (
    str,
    lambda secret: json.dumps({"detail": secret}),
    lambda secret: json.dumps([{"type": secret, "port": 1, "enabled": True, "running": True}]),
    lambda secret: json.dumps({"unclosed": secret})[:-1],
    lambda secret: f"[{json.dumps(secret)}]",
    quote_plus,
    lambda secret: "x" * 50 + secret,
)


def assert_hidden(said: str) -> None:
    for secret in SECRETS:
        for part in secret.split():
            assert part not in said


@pytest.mark.parametrize("spell", SPELLINGS)
@pytest.mark.parametrize("secret", SECRETS, ids=["password", "access token", "refresh token"])
@pytest.mark.parametrize("status", [200, 400, 401, 403])
def test_an_echo_of_a_secret_is_hidden(
    server: SimulatedDittoFS, status: int, secret: str, spell: Callable[[str], str]
) -> None:
    server.answer_with(200, LOGGED_IN, path=LOGIN)
    server.answer_with(status, spell(secret), path=PORTS)
    server.answer_with(status, spell(secret), path=ADAPTERS)

    outcome = poll(access_to(server.url))

    assert not isinstance(outcome, Answered)
    assert_hidden(outcome.why)


def test_an_adapter_named_like_a_secret_is_not_declared(server: SimulatedDittoFS) -> None:
    server.answer_with(200, LOGGED_IN, path=LOGIN)
    password = credential("adapter")
    server.add_user("adapter", password)
    server.answer_with(200, f'[{{"type":"x.{password}","port":1,"enabled":true,"running":true}}]', path=PORTS)

    assert poll(access_to(server.url, password=password)) == Nonsense(
        f"{server.url}{PORTS}: the answer has a type that contains one of our secrets: 'x.***'",
        "check that api.url leads to a DittoFS API, and its log",
    )


def test_a_redirect_that_carries_a_secret_away_is_shown_without_it(server: SimulatedDittoFS) -> None:
    server.answer_with(200, LOGGED_IN, path=LOGIN)
    server.answer_with(302, headers={"Location": f"http://evil.invalid/?t={ACCESS_TOKEN}"}, path=PORTS)

    outcome = poll(access_to(server.url))

    assert not isinstance(outcome, Answered)
    assert_hidden(outcome.why)


def test_an_address_that_a_redirect_chose_is_not_shown(server: SimulatedDittoFS) -> None:
    server.answer_with(200, LOGGED_IN, path=LOGIN)
    server.answer_with(302, headers={"Location": f"/{ACCESS_TOKEN}"}, path=PORTS)
    server.answer_with(418, path=f"/{ACCESS_TOKEN}")

    outcome = poll(access_to(server.url))

    assert not isinstance(outcome, Answered)
    assert ACCESS_TOKEN not in outcome.why


@pytest.mark.parametrize("status", [400, 403])
def test_a_login_that_echoes_the_password_is_shown_without_it(server: SimulatedDittoFS, status: int) -> None:
    server.answer_with(status, json.dumps({"detail": f"no: {PASSWORD}"}), path=LOGIN)

    outcome = poll(access_to(server.url))

    assert not isinstance(outcome, Answered)
    assert_hidden(outcome.why)


def test_an_encoding_named_like_the_password_is_shown_without_it(server: SimulatedDittoFS) -> None:
    password = credential("encoding")
    server.answer_with(200, headers={"Content-Encoding": password}, path=LOGIN)

    outcome = poll(access_to(server.url, password=password))

    assert not isinstance(outcome, Answered)
    assert password not in outcome.why


def test_no_repr_shows_a_secret() -> None:
    access = access_to("http://127.0.0.1")
    secrets = Secrets(PASSWORD)

    assert PASSWORD not in f"{access!r} {access} {secrets!r} {secrets}"
    assert "correct" not in repr(access)


def test_a_secret_inside_another_leaves_nothing_behind() -> None:
    assert Secrets("open", "open-sesame").hide("open-sesame, open") == "***, ***"


def test_an_empty_secret_hides_nothing() -> None:
    assert Secrets("").hide("text") == "text"


def test_a_secret_of_undecodable_bytes_is_hidden() -> None:
    assert quote("say \udcff!", Secrets("\udcff").hide) == "'say ***!'"
