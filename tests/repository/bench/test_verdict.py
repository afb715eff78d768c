"""Noise is never called a result, neither a good one nor a bad one."""

from dataclasses import replace

from bench.verdict import Standing, verdict
from tests.repository.bench.make import about


def test_a_goal_is_met_when_the_whole_interval_is() -> None:
    assert verdict(about(1.02, 1.01, 1.05), 1.05).standing is Standing.MET


def test_a_goal_is_missed_when_the_whole_interval_is() -> None:
    told = verdict(about(1.2, 1.1, 1.3), 1.05)

    assert told.standing is Standing.MISSED
    assert told.why == "1.1 at the least, and the goal is 1.05"


def test_a_goal_inside_the_interval_is_neither() -> None:
    told = verdict(about(1.02, 1.0, 1.06), 1.05)

    assert told.standing is Standing.UNDECIDED
    assert not told.told
    assert told.kept
    assert "the goal 1.05 lies inside the interval 1 … 1.06" in told.why


def test_samples_far_apart_tell_nothing_however_good_they_look() -> None:
    told = verdict(about(0.5, 0.4, 0.6, wide=0.5), 1.05)

    assert told.standing is Standing.NOISY
    assert not told.kept
    assert "50% apart" in told.why


def test_what_is_spread_by_nature_may_be() -> None:
    assert verdict(about(15.0, 10.0, 20.0, wide=0.9), None, widest=2.0).standing is Standing.MEASURED


def test_few_samples_tell_nothing() -> None:
    few = replace(about(0.5), confidence=0.75, count=3)

    assert verdict(few, 1.05).standing is Standing.NOISY


def test_without_a_goal_there_is_only_a_number() -> None:
    assert verdict(about(3.0), None).standing is Standing.MEASURED
