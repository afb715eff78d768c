"""How long a watch waits: between polls by a budget of processor time, after failures, and between counts."""

import math
import time
from collections.abc import Callable
from dataclasses import dataclass, field
from random import SystemRandom
from typing import Final

LONGEST_WAIT: Final = 300.0
"""Seconds: a server that has been silent for an hour is still noticed within five minutes of its return."""

JITTER: Final = 0.2
"""Random part of a wait: it spreads out a hundred servers that were first polled together."""

SHORTEST_INTERVAL: Final = 1.0
LONGEST_INTERVAL: Final = 30.0
"""Seconds: as often as the DittoFS operator asks, however many servers there are."""

FEW_SERVERS: Final = 20
MANY_SERVERS: Final = 1000
SHARE_OF_FEW: Final = 0.01
SHARE_OF_MANY: Final = 0.05
"""Of one processor: what the polls of few servers may use, and those of many; in between it grows slowly."""

POLLS_PART: Final = 0.85
"""Of that: the rest is for everything else that the watch does."""

RETRY_SECONDS: Final = 30.0
"""Before a failed run is tried again: the engine costs a thousand times as much as a poll."""

LOGIN_POLLS: Final = 4
"""Polls that cost as much as one that opens a connection and logs in."""

TICK_SECONDS: Final = 0.25
"""Polls begin together at such moments: the processor wakes up once for all of them."""

_FIRST_COST: Final = 0.0005
"""Seconds of processor time of one poll, until it has been measured."""
_MEASURED_POLLS: Final = 50
_MEASURED_SECONDS: Final = 5.0
"""What a measurement needs at least: fewer polls, or less time, would measure something else."""


def processor_share(servers: int) -> float:
    """The part of one processor that polls of so many servers may use. Pure."""
    grown = math.log(max(servers, 1) / FEW_SERVERS) / math.log(MANY_SERVERS / FEW_SERVERS)
    return SHARE_OF_FEW + (SHARE_OF_MANY - SHARE_OF_FEW) * min(1.0, max(0.0, grown))


def poll_interval(servers: int, cost: float) -> float:
    """Seconds between two polls of a server, where one costs so much processor time. Pure."""
    budget = processor_share(servers) * POLLS_PART
    return min(LONGEST_INTERVAL, max(SHORTEST_INTERVAL, servers * cost / budget))


class Pace:
    """The interval that follows from the number of servers of all stacks and the cost of their polls.

    Only the event loop's thread may call it: the processor time of that thread is what is measured, because
    runs of the engine have threads of their own.
    """

    def __init__(self, clock: Callable[[], float] = time.monotonic) -> None:
        self._clock = clock
        self._cost = _FIRST_COST
        self._by_stack: dict[str, int] = {}
        self.servers = 0
        """The number of servers of all stacks."""
        self._polls = 0
        self._since = clock(), time.thread_time()
        self.interval = SHORTEST_INTERVAL

    def watches(self, stack: str, servers: int) -> None:
        """So many servers of a stack are polled from now on."""
        self._by_stack[stack] = servers
        self.servers = sum(self._by_stack.values())
        # To prepare a thousand servers takes as long as thousands of polls, and is none of their cost.
        self._polls, self._since = 0, (self._clock(), time.thread_time())
        self._set()

    def polled(self, *, logged_in: bool = False) -> None:
        """One more poll has ended; whether it had to log in first, which most never have to."""
        self._polls += LOGIN_POLLS if logged_in else 1
        if self._polls < _MEASURED_POLLS:
            return
        now, used = self._clock(), time.thread_time()
        began, used_before = self._since
        if now - began < _MEASURED_SECONDS:
            return
        # Half of the estimate stays: one burst of logins after an outage says little about the next minute.
        self._cost = (self._cost + (used - used_before) / self._polls) / 2
        self._polls, self._since = 0, (now, used)
        self._set()

    def _set(self) -> None:
        self.interval = poll_interval(self.servers, self._cost)


@dataclass(frozen=True, slots=True)
class Timing:
    """Waits in seconds: even while all is well, doubling with every failure in a row."""

    fixed: float | None = None
    """The interval between two polls; None where the pace decides."""
    confirm: float = 0.3
    """Before the answer that confirms a new, moved or returned adapter; the run asks once more."""
    removal: float = 1.0
    """Before the answer that confirms a disabled one: people restart adapters by disabling them briefly."""
    debounce: float = 3.0
    """How long a first absence, or an edited file, must last: a moved port stops its adapter for a moment."""
    absence: float = 30.0
    """Between two runs that count absences, however often servers are asked and whatever causes the runs."""
    pace: Pace = field(default_factory=Pace)
    random: Callable[[], float] = SystemRandom().random

    @classmethod
    def chosen(cls, interval: float | None, debounce: float | None, absence: float) -> "Timing":
        """The timing with what a user has chosen: one debounce replaces every pause."""
        if debounce is None:
            return cls(interval, absence=absence)
        return cls(interval, debounce, debounce, debounce, absence)

    @property
    def interval(self) -> float:
        """Between two polls of a server that answers."""
        return self.pace.interval if self.fixed is None else self.fixed

    def backoff(self, failures: int) -> float:
        """The wait after so many failed polls in a row, before jitter: the interval, doubled each time."""
        return _doubled(self.interval, failures)

    def wait(self, failures: int = 0) -> float:
        """The wait after so many failed polls in a row, with jitter."""
        return self._spread(self.backoff(failures))

    def first_wait(self) -> float:
        """The wait before the first of many polls: servers that begin together are spread out."""
        return self.interval * self.random()

    def retry(self, failures: int = 0) -> float:
        """The wait after so many failed runs in a row, with jitter: 30, 60, 120, 240, 300."""
        return self._spread(_doubled(RETRY_SECONDS if self.fixed is None else self.fixed, failures))

    def _spread(self, seconds: float) -> float:
        return seconds * (1 - JITTER / 2 + JITTER * self.random())


def until_tick(wait: float, now: float) -> float:
    """The wait that ends at the first tick after that time; one below two ticks stays as it is. Pure."""
    if wait < 2 * TICK_SECONDS:
        return wait
    return math.ceil((now + wait) / TICK_SECONDS) * TICK_SECONDS - now


def _doubled(seconds: float, times: int) -> float:
    # Beyond 2**16 every wait is the longest one, and huge powers are slow to compute.
    return min(seconds * 2.0 ** min(times, 16), max(LONGEST_WAIT, seconds))
