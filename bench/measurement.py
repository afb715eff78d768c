"""What a measurement is: something that gives samples, each beside its floor, and what it must not exceed."""

from collections.abc import Callable, Mapping
from contextlib import AbstractContextManager
from dataclasses import dataclass, field
from enum import StrEnum
from typing import TYPE_CHECKING, Protocol

from bench.bed import Bed
from bench.verdict import WIDEST

if TYPE_CHECKING:
    from bench.sampling import Samples


@dataclass(frozen=True, slots=True)
class Fact:
    """A number beside the ratio, and what it must not exceed."""

    name: str
    value: float
    unit: str = ""
    most: float | None = None

    @property
    def kept(self) -> bool:
        """Whether it stays within its limit, if it has one."""
        return self.most is None or self.value <= self.most


def no_facts() -> tuple[Fact, ...]:
    """Nothing to tell beside the ratio."""
    return ()


Sampler = Callable[[], float]
"""Does what is measured once, and says what it cost."""


@dataclass(frozen=True, slots=True)
class Pair:
    """What is measured and its floor, ready to be sampled in turn."""

    subject: Sampler
    floor: Sampler | None = None
    """None where the number itself is the result."""
    facts: Callable[[], tuple[Fact, ...]] = no_facts
    """Asked when the last sample is taken."""
    warm: bool = False
    """Whether what was set up has done the same work already: then the first round counts."""
    beside: "Mapping[str, Samples]" = field(default_factory=dict)
    """Samples of others that are taken along the way, by the name of the measurement."""


class Floor(StrEnum):
    """What the floor is made of."""

    WORK = "work"
    """The machine's: on a slower one both take longer, and the ratio stays."""
    CLOCK = "clock"
    """A latency or an hour: on a slower machine only the subject takes longer."""


class Opening(Protocol):
    """Sets everything up for the length of a `with` block."""

    def __call__(self, bed: Bed) -> AbstractContextManager[Pair]: ...


@dataclass(frozen=True, slots=True)
class Rounds:
    """How often something is sampled: more often while nothing can be said, up to a limit."""

    least: int = 7
    most: int = 21


@dataclass(frozen=True, slots=True)
class Measurement:
    """One number that is watched."""

    name: str
    what: str
    """What is divided by what."""
    opening: Opening
    goal: float | None = None
    unit: str = ""
    floor: Floor = Floor.WORK
    checked: bool = True
    """Whether `--check` has the time for it."""
    rounds: Rounds = field(default_factory=Rounds)
    beside: "tuple[Measurement, ...]" = ()
    """Others whose samples are taken along the way, so that they are not measured again."""
    widest: float = WIDEST
    """Samples whose middle half is spread over more of their median than this tell nothing."""
