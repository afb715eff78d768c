"""Retry-After: the longest wait that is accepted, and that it is honoured."""

import math
from datetime import UTC, datetime

import pytest

from dittoinfra.dittofs.http_api import retry_after
from dittoinfra.dittofs.poll_errors import RetryableError
from dittoinfra.model import Unreachable


@pytest.mark.parametrize(("header", "asked"), [("9" * 9, 999_999_999.0), ("1" + "0" * 9, math.inf)])
def test_more_digits_than_any_deadline_has_are_for_ever(header: str, asked: float) -> None:
    assert retry_after(header, datetime(2026, 5, 4, tzinfo=UTC)) == asked


def test_a_passing_error_carries_what_the_server_asked_for() -> None:
    assert RetryableError(Unreachable("busy"), 3.0).retry_after == 3.0
    assert RetryableError(Unreachable("busy")).retry_after is None
