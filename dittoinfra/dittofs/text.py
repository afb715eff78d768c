"""How a cause becomes one line for people: short, escaped, and without secrets."""

import html
import json
import re
from collections.abc import Callable
from dataclasses import replace
from typing import TypeVar
from urllib.parse import quote as percent_encode
from urllib.parse import quote_plus

from dittoinfra.trouble import Trouble

LINE_LIMIT = 300
NEXT_STEP_LIMIT = 180
QUOTE_LIMIT = 80
HIDDEN = "***"

_SPELLED_ONE_WAY = re.compile(r"[A-Za-z0-9._~-]+")
"""What needs no escaping, as in nearly every token."""

_Outcome = TypeVar("_Outcome", bound=Trouble)

Hide = Callable[[str], str]
"""Removes secrets from a text that another program wrote."""


class Secrets:
    """What must never be shown, in every spelling in which a server may echo it."""

    def __init__(self, *secrets: str) -> None:
        self._spellings: set[str] = set()
        self._longest_first: list[str] | None = None
        for secret in secrets:
            self.add(secret)

    def add(self, secret: str) -> None:
        self._longest_first = None
        if _SPELLED_ONE_WAY.fullmatch(secret):
            self._spellings.add(secret)
            return
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
        if self._longest_first is None:
            self._longest_first = sorted(self._spellings, key=len, reverse=True)
        for spelling in self._longest_first:
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


def fitted(outcome: _Outcome) -> _Outcome:
    """An outcome short enough for one line: the cause is cut before the next step is."""
    next_step = cut(outcome.next_step, NEXT_STEP_LIMIT)
    room = LINE_LIMIT - len(next_step) - len("; ")
    return replace(outcome, cause=cut(" ".join(outcome.cause.split()), room), next_step=next_step)


def seconds(value: float) -> str:
    return f"{value:g} s"


def cut(text: str, limit: int) -> str:
    return text if len(text) <= limit else f"{text[: limit - 1]}…"
