"""What samples say, whatever their distribution."""

import random

import pytest

from bench.spread import CONFIDENCE, interval_confidence, interval_rank, percentile, spread


def test_the_middle_of_an_odd_and_an_even_number_of_samples() -> None:
    assert spread([3.0, 1.0, 2.0]).median == 2.0
    assert spread([4.0, 1.0, 2.0, 3.0]).median == 2.5


@pytest.mark.parametrize(
    ("count", "rank"), [(1, 0), (5, 0), (6, 0), (8, 0), (9, 1), (12, 2), (15, 3), (25, 7)]
)
def test_the_interval_cuts_off_as_many_samples_as_the_textbook_does(count: int, rank: int) -> None:
    # Tables of the sign test give these ranks for 95 %.
    assert interval_rank(count) == rank


@pytest.mark.parametrize("count", range(6, 60))
def test_an_interval_keeps_its_promise_and_no_narrower_one_would(count: int) -> None:
    rank = interval_rank(count)

    assert interval_confidence(count, rank) >= CONFIDENCE
    assert interval_confidence(count, rank + 1) < CONFIDENCE


def test_few_samples_promise_less_than_asked_and_say_so() -> None:
    found = spread([1.0, 2.0, 3.0])

    assert (found.low, found.high) == (1.0, 3.0)
    assert found.confidence == pytest.approx(0.75)


def test_the_true_median_is_inside_as_often_as_promised() -> None:
    dice = random.Random(1)
    inside = 0
    for _ in range(2000):
        # Times are like that: never below a floor, and sometimes far above.
        found = spread([1.0 + dice.expovariate(1.0) for _ in range(15)])
        inside += found.low <= 1.0 + 0.6931471805599453 <= found.high

    assert inside / 2000 >= CONFIDENCE - 0.01


def test_one_wild_sample_moves_neither_median_nor_interval() -> None:
    calm = [1.0 + number / 100 for number in range(15)]
    wild = [*calm[:-1], 1000.0]

    assert (spread(wild).median, spread(wild).high) == (spread(calm).median, spread(calm).high)


def test_the_middle_half_as_a_share_of_the_median() -> None:
    assert spread([1.0, 2.0, 3.0, 4.0, 5.0]).wide == pytest.approx(2 / 3)
    assert spread([2.0]).wide == 0.0


@pytest.mark.parametrize(("share", "expected"), [(0.95, 19.0), (0.5, 10.0), (1.0, 20.0), (0.01, 1.0)])
def test_a_percentile_is_one_of_the_samples(share: float, expected: float) -> None:
    assert percentile([float(number) for number in range(20, 0, -1)], share) == expected
