"""When to ask again, decided without a clock."""

import math
from datetime import UTC, datetime

import pytest
from hypothesis import given
from hypothesis import strategies as st

from dittoinfra.dittofs.client import Backoff
from dittoinfra.dittofs.http_api import retry_after

NOW = datetime(2026, 5, 4, 12, 0, 0, tzinfo=UTC)
LONGEST = Backoff(first=0.25, longest=4.0, random=lambda: 1.0)


def test_ceilings_double_up_to_the_longest() -> None:
    assert [LONGEST.wait(attempt) for attempt in range(7)] == [0.25, 0.5, 1.0, 2.0, 4.0, 4.0, 4.0]


@given(st.floats(0, 1), st.integers(0, 10**9))
def test_full_jitter_waits_anything_up_to_the_ceiling(drawn: float, attempt: int) -> None:
    assert 0 <= Backoff(random=lambda: drawn).wait(attempt) <= LONGEST.wait(attempt)


def test_two_clients_do_not_wait_alike() -> None:
    assert len({Backoff().wait(3) for _ in range(20)}) > 1


@pytest.mark.parametrize(
    ("asked", "remaining", "wait"),
    [
        (None, 10.0, 0.25),
        (3.0, 10.0, 3.0),
        (0.0, 10.0, 0.25),
        (None, 0.2, None),
        (10.0, 10.0, None),
        (math.inf, 10.0, None),
        (None, -1.0, None),
    ],
)
def test_a_wait_stays_inside_the_deadline(asked: float | None, remaining: float, wait: float | None) -> None:
    assert LONGEST.wait_within(remaining, 0, asked) == wait


@pytest.mark.parametrize(
    ("header", "asked"),
    [
        (None, None),
        ("", None),
        ("soon", None),
        ("-5", None),
        ("1.5", None),
        ("٣", None),
        ("0", 0.0),
        (" 120 ", 120.0),
        ("9" * 100_000, math.inf),
        ("Mon, 04 May 2026 12:00:30 GMT", 30.0),
        ("Mon, 04 May 2026 12:00:30 -0000", 30.0),
        ("Mon, 04 May 2026 11:00:00 GMT", 0.0),
        ("Mon, 99 May 2026 12:00:30 GMT", None),
        ("Mon, 04 May 99999999999999999999 12:00:30 GMT", None),
    ],
)
def test_retry_after_is_read_and_bounded(header: str | None, asked: float | None) -> None:
    assert retry_after(header, NOW) == asked


@given(st.text())
def test_no_retry_after_upsets_us(header: str) -> None:
    asked = retry_after(header, NOW)

    assert asked is None or asked >= 0
