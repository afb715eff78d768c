"""How a cause becomes one line for people: short, escaped, and without secrets."""

import html
import json
from collections.abc import Callable
from urllib.parse import quote as percent_encode
from urllib.parse import quote_plus

LINE_LIMIT = 300
NEXT_STEP_LIMIT = 180
QUOTE_LIMIT = 80
HIDDEN = "***"

Hide = Callable[[str], str]
"""Takes secrets out of a text that somebody else wrote."""


class Secrets:
    """What must never be shown, in every spelling in which a server may echo it."""

    def __init__(self, *secrets: str) -> None:
        self._spellings: set[str] = set()
        for secret in secrets:
            self.add(secret)

    def add(self, secret: str) -> None:
        self._spellings |= {
            secret,
            json.dumps(secret)[1:-1],
            json.dumps(secret, ensure_ascii=False)[1:-1],
            repr(secret)[1:-1],
            html.escape(secret),
            percent_encode(secret, safe="", errors="replace"),
            quote_plus(secret, errors="replace"),
        } - {""}

    def hide(self, text: str) -> str:
        # The longest first: one secret may be a part of another, and its rest must not stay behind.
        for spelling in sorted(self._spellings, key=len, reverse=True):
            text = text.replace(spelling, HIDDEN)
        return text

    def __repr__(self) -> str:
        return f"Secrets({HIDDEN})"


def quote(value: object, hide: Hide = str) -> str:
    """What a server said, fit for our line; secrets go before the cut, or their beginning would stay."""
    match value:
        case str():
            return cut(repr(hide(value)), QUOTE_LIMIT)
        case list():
            return "a list"
        case dict():
            return "an object"
        case _:
            return cut(hide(json.dumps(value)), QUOTE_LIMIT)


def line(cause: str, next_step: str) -> str:
    """A cause and what to do about it; when it grows too long, the next step is what stays whole."""
    next_step = cut(next_step, NEXT_STEP_LIMIT)
    room = LINE_LIMIT - len(next_step) - len("; ")
    return f"{cut(' '.join(cause.split()), room)}; {next_step}"


def seconds(value: float) -> str:
    return f"{value:g} s"


def cut(text: str, limit: int) -> str:
    return text if len(text) <= limit else f"{text[: limit - 1]}…"
