"""How long to wait before the next poll or the next attempt. Pure but for the dice."""

from collections.abc import Callable
from dataclasses import dataclass
from random import SystemRandom

LONGEST_WAIT = 300.0
"""Seconds: what has been silent for an hour is still noticed within five minutes of its return."""

JITTER = 0.2
"""Part of a wait that the dice decide: a hundred servers first asked together soon are no more."""


@dataclass(frozen=True, slots=True)
class Pace:
    """Waits in seconds: even while all is well, doubling with every failure in a row."""

    interval: float = 30.0
    debounce: float = 3.0
    """How long a change must last before it is acted on: a moved port stops its adapter for a moment."""
    random: Callable[[], float] = SystemRandom().random

    def backoff(self, failures: int) -> float:
        """The wait after so many failures in a row, before the dice: 30, 60, 120, 240, 300."""
        # Beyond 2**16 every wait is the longest one, and huge powers are slow to compute.
        return min(self.interval * 2.0 ** min(failures, 16), max(LONGEST_WAIT, self.interval))

    def wait(self, failures: int = 0) -> float:
        """The wait after so many failures in a row, a little earlier or later than told."""
        return self.backoff(failures) * (1 - JITTER / 2 + JITTER * self.random())
