"""A cause on one line: short, escaped, with what to do about it, and without secrets."""

import pytest

from dittoinfra.dittofs.parse import InvalidAnswer, parse_adapters
from dittoinfra.dittofs.text import Secrets, cut, fitted, quote, seconds
from dittoinfra.model import Denied

ODD = 'a "b" <c> & é/+ü\\'


@pytest.mark.parametrize(
    ("value", "words"),
    [
        ("a\nb", r"'a\nb'"),
        (["anything"], "a list"),
        ({"anything": 1}, "an object"),
        (None, "null"),
        (12049.5, "12049.5"),
        ("x" * 78, f"'{'x' * 78}'"),
        ("x" * 79, f"'{'x' * 78}…"),
        (int("9" * 80), "9" * 80),
        (int("9" * 81), "9" * 79 + "…"),
    ],
)
def test_what_a_server_said_is_quoted_in_short(value: object, words: str) -> None:
    assert quote(value) == words


def test_a_secret_is_gone_before_a_quote_is_cut() -> None:
    assert quote("x" * 70 + "secret" * 5, Secrets("secret" * 5).hide) == f"'{'x' * 70}***'"
    assert quote(123456, Secrets("345").hide) == "12***6"


def test_a_text_is_cut_where_it_is_too_long() -> None:
    assert cut("abcd", 4) == "abcd"
    assert cut("abcde", 4) == "abc…"


def test_a_line_says_what_is_wrong_and_what_to_do() -> None:
    assert fitted(Denied("the  server\n\tsays no ", "ask again")) == Denied("the server says no", "ask again")


def test_of_a_long_line_the_cause_is_cut_and_the_next_step_stays() -> None:
    assert fitted(Denied("c" * 289, "ask again")) == Denied(f"{'c' * 289}", "ask again")
    assert fitted(Denied("c" * 290, "ask again")) == Denied(f"{'c' * 288}…", "ask again")
    assert fitted(Denied("c" * 500, "n" * 180)) == Denied(f"{'c' * 117}…", f"{'n' * 180}")
    assert fitted(Denied("c" * 500, "n" * 181)) == Denied(f"{'c' * 117}…", f"{'n' * 179}…")


@pytest.mark.parametrize(("value", "words"), [(20.0, "20 s"), (0.5, "0.5 s"), (1 / 3, "0.333333 s")])
def test_seconds_are_told_without_ado(value: float, words: str) -> None:
    assert seconds(value) == words


@pytest.mark.parametrize(
    "echo",
    [
        'a "b" <c> & é/+ü\\',
        r"a \"b\" <c> & \u00e9/+\u00fc\\",
        r"a \"b\" <c> & é/+ü\\",
        r'a "b" <c> & é/+ü\\',
        "a &quot;b&quot; &lt;c&gt; &amp; é/+ü\\",
        "a%20%22b%22%20%3Cc%3E%20%26%20%C3%A9%2F%2B%C3%BC%5C",
        "a+%22b%22+%3Cc%3E+%26+%C3%A9%2F%2B%C3%BC%5C",
    ],
    ids=["plain", "JSON", "JSON in Unicode", "Python", "HTML", "URL", "form"],
)
def test_a_secret_is_hidden_however_it_is_spelled(echo: str) -> None:
    assert Secrets(ODD).hide(f"no: {echo}!") == "no: ***!"


def test_a_secret_that_no_encoding_carries_is_hidden_all_the_same() -> None:
    secrets = Secrets("half a \udce9 character")

    assert secrets.hide("half a \udce9 character") == "***"
    assert secrets.hide("half%20a%20%3F%20character") == "***"
    assert secrets.hide("half+a+%3F+character") == "***"


def test_the_longest_secret_goes_first_wherever_another_one_is_in_it() -> None:
    assert Secrets("sesame", "open-sesame-now").hide("open-sesame-now, sesame") == "***, ***"


def test_secrets_do_not_show_themselves() -> None:
    assert repr(Secrets("hush")) == "Secrets(***)"


def test_a_type_that_echoes_a_secret_is_refused_without_it() -> None:
    body = b'[{"type":"x.hush","port":1,"enabled":true,"running":true}]'

    assert parse_adapters(body, hide=Secrets("hush").hide) == InvalidAnswer(
        "the answer has a type that contains one of our secrets: 'x.***'"
    )
