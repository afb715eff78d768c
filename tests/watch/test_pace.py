"""How long a watch waits."""

import pytest

from dittoinfra.watch.pace import Pace


def test_waits_double_up_to_five_minutes() -> None:
    pace = Pace()

    assert [pace.backoff(failures) for failures in range(6)] == [30, 60, 120, 240, 300, 300]
    assert pace.backoff(10_000) == 300


def test_an_interval_longer_than_that_is_kept() -> None:
    assert [Pace(interval=600).backoff(failures) for failures in range(2)] == [600, 600]


@pytest.mark.parametrize(("dice", "wait"), [(0.0, 54), (0.5, 60), (1.0, 66)])
def test_the_dice_spread_a_wait_around_what_was_told(dice: float, wait: float) -> None:
    assert Pace(random=lambda: dice).wait(1) == pytest.approx(wait)
