"""More than a quarter worse fails, noise does not, and what cannot be told is looked at again."""

from dataclasses import replace

import pytest

from bench.regression import Change, change, limit
from tests.repository.bench.make import about


def test_a_quarter_is_tolerated() -> None:
    assert limit(about(2.0)) == 2.5


def test_on_a_slower_machine_what_is_held_against_a_clock_may_take_longer() -> None:
    assert limit(about(2.0), slower=2.0) == 5.0


def test_a_faster_machine_changes_no_limit() -> None:
    assert limit(about(2.0), slower=0.5) == 2.5


def test_a_median_within_the_limit_is_fine_whatever_its_interval() -> None:
    assert change(about(2.4, 1.0, 9.0), 2.5) is Change.FINE


def test_an_interval_beyond_the_limit_is_a_regression() -> None:
    assert change(about(3.0, 2.6, 3.4), 2.5) is Change.REGRESSED


def test_an_interval_across_the_limit_is_only_suspicious() -> None:
    assert change(about(2.6, 2.4, 3.4), 2.5) is Change.SUSPICIOUS


def test_few_samples_are_never_a_regression() -> None:
    few = replace(about(9.0, 8.0, 10.0), confidence=0.75)

    assert change(few, 2.5) is Change.SUSPICIOUS


@pytest.mark.parametrize("factor", [0.5, 1.0, 1.2])
def test_the_same_samples_a_little_faster_or_slower_are_fine(factor: float) -> None:
    before = about(2.0, 1.9, 2.1)
    now = about(2.0 * factor, 1.9 * factor, 2.1 * factor)

    assert change(now, limit(before)) is Change.FINE
