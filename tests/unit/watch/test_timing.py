"""How long a watch waits."""

import pytest

from dittoinfra.watch.poll_timing import (
    TICK_SECONDS,
    Pace,
    Timing,
    poll_interval,
    processor_share,
    until_tick,
)


def test_waits_for_a_silent_server_double_up_to_five_minutes() -> None:
    timing = Timing(30.0)

    assert [timing.backoff(failures) for failures in range(6)] == [30, 60, 120, 240, 300, 300]
    assert timing.backoff(10_000) == 300
    assert [Timing().backoff(failures) for failures in (0, 1, 8, 9)] == [1, 2, 256, 300]


def test_an_interval_longer_than_that_is_kept() -> None:
    assert [Timing(600).backoff(failures) for failures in range(2)] == [600, 600]


@pytest.mark.parametrize(("dice", "wait"), [(0.0, 54), (0.5, 60), (1.0, 66)])
def test_the_dice_spread_a_wait_around_what_was_told(dice: float, wait: float) -> None:
    assert Timing(30.0, random=lambda: dice).wait(1) == pytest.approx(wait)
    assert Timing(random=lambda: dice).retry(1) == pytest.approx(wait), "a run costs more than a poll"
    assert Timing(30.0, random=lambda: dice).first_wait() == pytest.approx(30 * dice)


@pytest.mark.parametrize(
    ("servers", "share"), [(0, 0.01), (1, 0.01), (20, 0.01), (141, 0.03), (1000, 0.05), (100_000, 0.05)]
)
def test_the_budget_grows_with_the_servers_from_one_hundredth_of_a_processor_to_five(
    servers: int, share: float
) -> None:
    assert processor_share(servers) == pytest.approx(share, rel=0.01)


@pytest.mark.parametrize(
    ("servers", "cost", "interval"),
    [
        (0, 0.001, 1),
        (1, 0.003, 1),
        (20, 0.0002, 1),
        (20, 0.003, 7.06),
        (1000, 0.0002, 4.71),
        (9000, 0.003, 30),
    ],
)
def test_the_interval_keeps_the_polls_within_the_budget_and_within_its_bounds(
    servers: int, cost: float, interval: float
) -> None:
    assert poll_interval(servers, cost) == pytest.approx(interval, rel=0.01)


def test_the_pace_follows_the_servers_of_all_stacks_and_what_a_poll_really_costs() -> None:
    now = 0.0
    pace = Pace(lambda: now)
    pace.watches("prod", 1000)
    pace.watches("test", 1000)
    first = pace.interval
    assert first == pytest.approx(23.5, rel=0.01), "half a millisecond is assumed"

    for _ in range(5):
        now += 10.0
        for _ in range(100_000):
            pace.polled()

    assert pace.interval < first / 4, "a poll that does nothing costs next to nothing"
    pace.watches("test", 0)
    pace.watches("prod", 1)
    assert pace.interval == 1.0


@pytest.mark.parametrize("debounce", [None, 5.0])
def test_a_chosen_debounce_stands_for_every_pause(debounce: float | None) -> None:
    timing = Timing.chosen(None, debounce, 30.0)

    assert (timing.confirm, timing.removal, timing.debounce) == (
        (0.3, 1.0, 3.0) if debounce is None else (debounce,) * 3
    )
    assert (timing.absence, Timing.chosen(5.0, None, 60.0).interval) == (30.0, 5.0)


@pytest.mark.parametrize(
    ("wait", "ends", "common"),
    [(0.3, 10.4, False), (0.5, 10.75, True), (1.0, 11.25, True), (30.0, 40.25, True)],
)
def test_polls_begin_at_common_moments_but_for_short_waits(wait: float, ends: float, common: bool) -> None:
    assert 10.1 + until_tick(wait, 10.1) == pytest.approx(ends)
    assert (ends / TICK_SECONDS).is_integer() is common


def test_a_login_counts_as_several_polls() -> None:
    now = 0.0
    with_logins, without = Pace(lambda: now), Pace(lambda: now)
    for pace, logged_in in ((with_logins, True), (without, False)):
        pace.watches("prod", 1)
        now += 10.0
        for _ in range(20):
            pace.polled(logged_in=logged_in)
    with_logins.watches("prod", 1000)
    without.watches("prod", 1000)

    assert with_logins.interval < without.interval == pytest.approx(11.76, rel=0.01), (
        "20 polls alone measure nothing"
    )
