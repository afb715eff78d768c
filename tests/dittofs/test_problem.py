"""What a server says when it refuses, as people read it."""

import httpx
import pytest

from dittoinfra.dittofs.problem import says, wants_new_password
from dittoinfra.dittofs.wire import Reply
from dittoinfra.dittofs.wording import Secrets


def refusal(body: bytes, status: int = 403) -> Reply:
    return Reply("http://h", status, httpx.Headers(), body)


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
    assert says(refusal(body), str) == words


def test_a_secret_in_them_is_hidden() -> None:
    assert says(refusal(b"no: hush"), Secrets("hush").hide) == " 'no: ***'"


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
    assert wants_new_password(refusal(text.encode()))
    assert wants_new_password(refusal(f'{{"detail":"{text}"}}'.encode()))
    assert not wants_new_password(refusal(text.encode(), status=401)), "a wrong password is another thing"


@pytest.mark.parametrize("body", [b"operators only", b"", b"wrong password"])
def test_any_other_refusal_is_not_taken_for_that(body: bytes) -> None:
    assert not wants_new_password(refusal(body))
