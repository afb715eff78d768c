"""Whether samples show that a goal is met, that it is missed, or nothing at all. Pure."""

from dataclasses import dataclass
from enum import StrEnum

from bench.spread import CONFIDENCE, Spread

WIDEST = 0.35
"""How far apart the middle half of samples may lie, as a share of their median."""


class Standing(StrEnum):
    """What can be said."""

    MET = "met"
    MISSED = "missed"
    UNDECIDED = "undecided"
    """The value is known, but its interval holds the goal."""
    NOISY = "too noisy"
    MEASURED = "measured"
    """There is no goal."""


@dataclass(frozen=True, slots=True)
class Verdict:
    """What can be said about one value, and why."""

    standing: Standing
    why: str = ""

    @property
    def told(self) -> bool:
        """Whether more samples are not needed."""
        return self.standing not in (Standing.NOISY, Standing.UNDECIDED)

    @property
    def kept(self) -> bool:
        """Whether the samples are worth keeping: a known value is, whatever it says about the goal."""
        return self.standing is not Standing.NOISY


def verdict(found: Spread, goal: float | None, widest: float = WIDEST) -> Verdict:
    """What the samples say about a goal that must not be exceeded."""
    if found.confidence < CONFIDENCE:
        return Verdict(Standing.NOISY, f"{found.count} samples are too few to be sure of anything")
    if found.wide > widest:
        return Verdict(
            Standing.NOISY, f"half of the samples lie {found.wide:.0%} apart, more than {widest:.0%}"
        )
    if goal is None:
        return Verdict(Standing.MEASURED)
    if found.high <= goal:
        return Verdict(Standing.MET)
    if found.low > goal:
        return Verdict(Standing.MISSED, f"{found.low:.3g} at the least, and the goal is {goal:g}")
    return Verdict(
        Standing.UNDECIDED, f"the goal {goal:g} lies inside the interval {found.low:.3g} … {found.high:.3g}"
    )
