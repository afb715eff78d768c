"""JSON read strictly: what two readers could understand in two ways is not understood at all."""

import json
import math
from typing import Any, NoReturn

from dittoinfra.dittofs.wording import Hide, quote

LONGEST_NUMBER = 20
"""Digits of the largest 64-bit number, with its sign."""

_NOTHING = object()


class UnbelievableError(ValueError):
    """An answer that cannot be believed: the problem in our words, the excerpt in the server's."""

    def __init__(self, problem: str, excerpt: object = _NOTHING) -> None:
        super().__init__(problem)
        self.problem = problem
        self.excerpt = excerpt

    def quoted(self, hide: Hide) -> str:
        return self.problem if self.excerpt is _NOTHING else f"{self.problem}: {quote(self.excerpt, hide)}"


def read_json(body: bytes) -> object:
    """The value a body holds; everything dubious raises UnbelievableError."""
    try:
        # Decoded here, because json.loads would guess UTF-16 and UTF-32 from bytes.
        text = body.decode("utf-8")
    except UnicodeDecodeError as error:
        raise UnbelievableError(f"is not UTF-8 from byte {error.start} on") from None
    if not text.strip():
        raise UnbelievableError("is empty")
    if text.startswith("\ufeff"):
        raise UnbelievableError("starts with a byte order mark")
    try:
        value: object = json.loads(
            text,
            object_pairs_hook=_unique_keys,
            parse_int=_bounded_int,
            parse_float=_finite_float,
            parse_constant=_no_constant,
        )
    except json.JSONDecodeError as error:
        raise UnbelievableError(f"is not JSON from character {error.pos} on", text) from None
    except RecursionError:
        raise UnbelievableError("is nested too deeply") from None
    return value


def _unique_keys(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    items: dict[str, Any] = {}
    for key, value in pairs:
        if key in items:
            raise UnbelievableError("repeats a key", key)
        items[key] = value
    return items


def _bounded_int(digits: str) -> int:
    if len(digits) > LONGEST_NUMBER:
        raise UnbelievableError("holds a number too large", digits)
    return int(digits)


def _finite_float(digits: str) -> float:
    number = float(digits)
    if not math.isfinite(number):
        raise UnbelievableError("holds a number too large", digits)
    return number


def _no_constant(name: str) -> NoReturn:
    raise UnbelievableError("holds a number that JSON does not have", name)
