"""Whether a ratio has become worse than the committed one by more than noise explains. Pure."""

from enum import StrEnum

from bench.spread import CONFIDENCE, Spread

TOLERATED = 1.25
"""What counts as a regression: more than a quarter."""


class Change(StrEnum):
    """How a ratio stands to the committed one."""

    FINE = "fine"
    REGRESSED = "regressed"
    SUSPICIOUS = "suspicious"
    """The median has passed the limit, its interval has not: more rounds will tell, or it is noise."""


def limit(committed: Spread, slower: float = 1.0) -> float:
    """What a ratio must stay below; `slower` is how much slower this machine is than the committed one.

    It only matters where the floor is a clock, and not work that the machine does as slowly.
    """
    return committed.median * TOLERATED * max(1.0, slower)


def change(found: Spread, most: float) -> Change:
    """How the samples stand to the limit."""
    if found.median <= most:
        return Change.FINE
    if found.low > most and found.confidence >= CONFIDENCE:
        return Change.REGRESSED
    return Change.SUSPICIOUS
