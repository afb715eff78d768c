"""The encodings in which a credential can appear in a text: plain, base64, escaped, quoted."""

import base64
import html
import json
from collections.abc import Callable, Iterator
from typing import Final
from urllib.parse import quote, quote_plus

PLAIN: Final = "in the clear"
BASE64: Final = "in base64"

_REST: Final = 12
"""Characters of a credential that a text may leave out: the rest is as good as the whole."""

_SHORTEST: Final = 8
_LINES_OF_A_CURVE: Final = 6

_ENCODINGS: Final[tuple[tuple[str, Callable[[str], str]], ...]] = (
    ("JSON-escaped", lambda text: json.dumps(text)[1:-1]),
    ("JSON-escaped", lambda text: json.dumps(text, ensure_ascii=False)[1:-1]),
    # JSON inside JSON, as events and states have it.
    ("JSON-escaped twice", lambda text: json.dumps(json.dumps(text)[1:-1])[1:-1]),
    # Go writes these for the sake of browsers.
    ("JSON-escaped", lambda text: _html_safe(json.dumps(text, ensure_ascii=False)[1:-1])),
    ("quoted by Python", lambda text: repr(text)[1:-1]),
    ("HTML-escaped", html.escape),
    ("URL-quoted", lambda text: quote(text, safe="", errors="replace")),
    ("URL-quoted", lambda text: quote(text, safe="", errors="replace").replace("%2F", "/")),
    ("URL-quoted", lambda text: quote_plus(text, errors="replace")),
)


def encoded_forms(secret: str) -> Iterator[tuple[bytes, str]]:
    """The byte strings to search for, each with the name of its encoding; a part counts as the whole."""
    for part in _parts(secret):
        raw = part.encode("utf-8", "surrogateescape")
        yield raw, PLAIN
        for name, write in _ENCODINGS:
            yield write(part).encode("utf-8", "surrogateescape"), name
        yield raw.hex().encode(), "in hex"
        yield raw.hex().upper().encode(), "in hex"
        for shift in range(3):
            inside = _base64_inside(raw, shift)
            yield inside, BASE64
            yield inside.translate(bytes.maketrans(b"+/", b"-_")), BASE64


def _parts(secret: str) -> Iterator[str]:
    lines = [line for line in secret.splitlines() if len(line) >= _SHORTEST]
    if secret.startswith("-----BEGIN"):
        yield from _private_lines(lines[1:-1])
    elif len(lines) > 1:
        # They are broken differently wherever they are written.
        yield from lines
    elif len(secret) < 2 * _REST:
        yield secret
    else:
        yield secret[:-_REST]
        yield secret[-_REST:]


def _private_lines(body: list[str]) -> list[str]:
    """Two lines of a PEM key that are private data only, not part of its public key."""
    # A short key, of an elliptic curve, ends with its public half; a long one, of RSA, begins with it.
    middle = 0 if len(body) <= _LINES_OF_A_CURVE else len(body) // 2
    return body[middle : middle + 2]


def _base64_inside(raw: bytes, shift: int) -> bytes:
    """The base64 characters that depend on these bytes only, at an offset of `shift` bytes."""
    encoded = base64.b64encode(bytes(shift) + raw)
    # Six bits a character: those at both ends that neighbours have a share in are left out.
    return encoded[-(-8 * shift // 6) : 8 * (shift + len(raw)) // 6]


def _html_safe(text: str) -> str:
    for character in "<>&":
        text = text.replace(character, f"\\u{ord(character):04x}")
    return text
