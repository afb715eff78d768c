"""What repeated samples say about the true value, and how sure that is. Pure."""

from collections.abc import Sequence
from dataclasses import dataclass
from math import ceil, comb
from statistics import median, quantiles

CONFIDENCE = 0.95


@dataclass(frozen=True, slots=True)
class Spread:
    """A median, the interval that holds the true one, and how far samples lie apart."""

    median: float
    low: float
    high: float
    """The true median lies between these, as likely as `confidence` says."""
    first_quartile: float
    third_quartile: float
    confidence: float
    count: int

    @property
    def wide(self) -> float:
        """The interquartile range as a share of the median: how noisy the samples are."""
        return (self.third_quartile - self.first_quartile) / self.median if self.median else 0.0


def spread(samples: Sequence[float]) -> Spread:
    """The spread of samples, of which there must be one at least."""
    ordered = sorted(samples)
    rank = interval_rank(len(ordered))
    low, high = ordered[rank], ordered[-1 - rank]
    quartiles = quantiles(ordered, n=4, method="inclusive") if len(ordered) > 1 else [low, low, low]
    return Spread(
        median=median(ordered),
        low=low,
        high=high,
        first_quartile=quartiles[0],
        third_quartile=quartiles[2],
        confidence=interval_confidence(len(ordered), rank),
        count=len(ordered),
    )


def interval_rank(count: int) -> int:
    """How many of the ordered samples may be cut off at each end without losing the confidence.

    The median's own distribution is known whatever the samples': each of them is above it or below, like a
    coin. No other assumption is made; the times that a busy machine gives are anything but normal.
    """
    rank = 0
    while 2 * (rank + 1) < count and interval_confidence(count, rank + 1) >= CONFIDENCE:
        rank += 1
    return rank


def interval_confidence(count: int, rank: int) -> float:
    """The probability that the true median is not outside the samples that are left."""
    outside = sum(comb(count, below) for below in range(rank + 1)) / (1 << count)
    return max(0.0, 1.0 - 2.0 * outside)


def percentile(samples: Sequence[float], share: float) -> float:
    """The smallest sample that at least this share of them does not exceed."""
    ordered = sorted(samples)
    return ordered[max(0, ceil(share * len(ordered)) - 1)]
