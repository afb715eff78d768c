"""The search finds a credential in every encoding, and has no false positives."""

import base64
import html
import json
import time
from collections.abc import Callable
from functools import partial
from urllib.parse import quote, quote_plus

import pytest
import trustme

from lab.bed.credentials import credential, noted
from lab.bed.encoded_forms import PLAIN
from lab.bed.leaks import UNNOTED, Leak, Search, leaks

AWKWARD = credential('it\'s "so" <awkward> & é/?=+')


def in_base64(text: str, shift: int) -> str:
    """Base64 at an offset, which shifts its bits."""
    return base64.b64encode(f"{'x' * shift}{text}:more".encode()).decode()


FORMS: dict[str, tuple[Callable[[str], str], str]] = {
    "plain": (str, PLAIN),
    "JSON": (json.dumps, "JSON-escaped"),
    "JSON of Go": (
        lambda text: (
            json.dumps(text, ensure_ascii=False)
            .replace("<", "\\u003c")
            .replace(">", "\\u003e")
            # The ampersand comes last: the others bring none.
            .replace("&", "\\u0026")
        ),
        "JSON-escaped",
    ),
    "JSON in JSON": (lambda text: json.dumps(json.dumps({"password": text})), "JSON-escaped twice"),
    "repr": (repr, "quoted by Python"),
    "HTML": (html.escape, "HTML-escaped"),
    "address": (lambda text: f"http://me:{quote(text, safe='')}@proxy", "URL-quoted"),
    "form": (lambda text: f"password={quote_plus(text)}", "URL-quoted"),
    "hex": (lambda text: text.encode().hex(), "in hex"),
    "HEX": (lambda text: text.encode().hex().upper(), "in hex"),
    **{f"base64, {shift} before": (partial(in_base64, shift=shift), "in base64") for shift in range(3)},
    "base64 for addresses": (
        lambda text: base64.urlsafe_b64encode(text.encode()).decode().rstrip("="),
        "in base64",
    ),
}


@pytest.mark.parametrize("form", FORMS)
def test_every_form_is_found_in_the_middle_of_a_text(form: str) -> None:
    write, name = FORMS[form]
    text = f"something before {write(AWKWARD)} and after"

    assert Leak("a password", name) in leaks(text, {AWKWARD: "a password"})


def test_what_is_cut_short_is_found_too() -> None:
    secret = credential("cut")

    assert leaks(f"the answer was '{secret[:-5]}…", {secret: "it"}) == {Leak("it", PLAIN)}
    assert leaks(f"it ends with …{secret[-14:]}", {secret: "it"}) == {Leak("it", PLAIN)}


@pytest.mark.parametrize(
    "text", ["", "cut", "cut-", "aGVsbG8gd29ybGQsIHdoYXQgYSBkYXk=", "0123456789abcdef" * 9]
)
def test_nothing_is_found_where_nothing_is(text: str) -> None:
    assert leaks(text, {credential("cut"): "it", AWKWARD: "a password"}) == frozenset()


def test_the_private_half_of_a_key_is_found_and_not_the_public_one() -> None:
    authority = trustme.CA()
    pair = authority.issue_cert("127.0.0.1")
    key, certificate = (blob.bytes().decode() for blob in (pair.private_key_pem, pair.cert_chain_pems[0]))
    search = Search({noted(key, "key"): "key"})

    assert search.leaks(json.dumps({"key": key}).encode()) == {Leak("key", PLAIN)}
    assert search.leaks(base64.b64encode(f"tls: {key}".encode())) == {Leak("key", "in base64")}
    assert search.leaks(certificate.encode()) == frozenset()


def test_a_token_that_was_not_noted_is_found() -> None:
    part = base64.urlsafe_b64encode(json.dumps({"alg": "HS256", "typ": "JWT"}).encode()).decode().rstrip("=")
    token = f"{part}.{part}.{'s' * 43}"

    assert leaks(f"Authorization: Bearer {token}", {}) == {Leak(UNNOTED, PLAIN)}
    assert leaks(base64.b64encode(token.encode()), {}) == {Leak(UNNOTED, "in base64")}
    assert leaks(f"a token begins with {part}", {}) == frozenset()


def test_the_time_depends_on_the_text_and_hardly_on_the_number_of_credentials() -> None:
    text = json.dumps(
        [{"kind": "Service", "metadata": {"name": f"media-{n}"}} for n in range(40_000)]
    ).encode()

    def seconds(credentials: int) -> float:
        search = Search({f"password-{number:024d}": "one of many" for number in range(credentials)})
        started = time.process_time()
        assert search.leaks(text) == frozenset()
        return time.process_time() - started

    few, many = (min(seconds(count) for _ in range(3)) for count in (10, 5000))
    # One look per credential would take five hundred times as long.
    assert many < 50 * few + 1
