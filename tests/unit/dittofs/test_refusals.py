"""What a server says when it refuses, as people read it."""

import pytest

from dittoinfra.dittofs.http_api import Reply
from dittoinfra.dittofs.text import Secrets


def refusal(body: bytes, status: int = 403) -> Reply:
    return Reply("http://h", status, (), body)


@pytest.mark.parametrize(
    ("body", "words"),
    [
        (b'{"title":"Forbidden","detail":"operators only"}', " 'operators only'"),
        (b"operators only\n", " 'operators only'"),
        (b'{"detail":7}', """ '{"detail":7}'"""),
        (b'{"message":"no"}', """ '{"message":"no"}'"""),
        (b"no \xff", " 'no \N{REPLACEMENT CHARACTER}'"),
        (b"", ""),
        (b" \n", ""),
        (b'{"detail":" "}', ""),
    ],
)
def test_a_servers_own_words_follow_the_status(body: bytes, words: str) -> None:
    assert refusal(body).refusal(str) == f"http://h answered HTTP 403{words}"


def test_a_secret_in_them_is_hidden() -> None:
    assert refusal(b"no: hush").refusal(Secrets("hush").hide) == "http://h answered HTTP 403 'no: ***'"


@pytest.mark.parametrize(
    "text",
    [
        "You must change your password before continuing",
        "user must set a new password",
        "Password must be changed",
        "password change required",
        "PASSWORD CHANGE IS REQUIRED",
    ],
)
def test_a_password_that_must_be_changed_is_recognised(text: str) -> None:
    assert refusal(text.encode()).wants_new_password
    assert refusal(f'{{"detail":"{text}"}}'.encode()).wants_new_password
    assert not refusal(text.encode(), status=401).wants_new_password, "a wrong password is another thing"


@pytest.mark.parametrize("body", [b"operators only", b"", b"wrong password"])
def test_any_other_refusal_is_not_taken_for_that(body: bytes) -> None:
    assert not refusal(body).wants_new_password
