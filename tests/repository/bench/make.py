"""Spreads for tests."""

from bench.spread import Spread


def about(median: float, low: float | None = None, high: float | None = None, wide: float = 0.1) -> Spread:
    """Samples with this median and interval, their middle half as wide as told."""
    return Spread(
        median=median,
        low=median if low is None else low,
        high=median if high is None else high,
        first_quartile=median * (1 - wide / 2),
        third_quartile=median * (1 + wide / 2),
        confidence=0.96,
        count=9,
    )
