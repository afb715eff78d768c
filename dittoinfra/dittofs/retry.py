"""When to ask again: exponential backoff with full jitter, inside the deadline."""

import math
from collections.abc import Callable
from dataclasses import dataclass
from datetime import UTC, datetime
from email.utils import parsedate_to_datetime
from random import SystemRandom

_LONGEST_DELAY_DIGITS = 9


@dataclass(frozen=True, slots=True)
class Backoff:
    """How long to wait before another attempt; full jitter keeps a hundred clients from asking in step."""

    first: float = 0.25
    longest: float = 4.0
    random: Callable[[], float] = SystemRandom().random

    def wait(self, attempt: int) -> float:
        """Anything between nothing and the ceiling of this attempt, counted from 0."""
        # Beyond 2**16 every ceiling is the longest one, and huge powers are slow to compute.
        return self.random() * min(self.longest, self.first * 2.0 ** min(attempt, 16))


def next_wait(backoff: Backoff, attempt: int, asked: float | None, remaining: float) -> float | None:
    """How long to wait, or None when the deadline would pass meanwhile.

    A server's own `Retry-After` is a least time: with 0 the backoff still keeps us from hammering it.
    """
    wait = max(backoff.wait(attempt), asked or 0.0)
    return wait if wait < remaining else None


def retry_after(header: str | None, now: datetime) -> float | None:
    """Seconds that `Retry-After` asks for: never negative, endless when absurd, None when it says nothing."""
    if header is None:
        return None
    text = header.strip()
    if text.isascii() and text.isdigit():
        # int() of a million digits is an attack; so many seconds are longer than any deadline anyway.
        return float(text) if len(text) <= _LONGEST_DELAY_DIGITS else math.inf
    try:
        moment = parsedate_to_datetime(text)
    except (ValueError, OverflowError):
        return None
    if moment.tzinfo is None:
        moment = moment.replace(tzinfo=UTC)
    return max(0.0, (moment - now).total_seconds())
