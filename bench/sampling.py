"""Samples of a measurement: the subject and its floor in turn, until something can be said."""

from collections.abc import Callable
from dataclasses import dataclass, field

from bench.measurement import Pair, Rounds
from bench.spread import Spread, spread


@dataclass(slots=True)
class Samples:
    """Everything that was sampled, in order."""

    subject: list[float] = field(default_factory=list)
    floor: list[float] = field(default_factory=list)

    @property
    def ratios(self) -> list[float]:
        """Each subject over the floor of its own round: what slowed both down does not count."""
        if not self.floor:
            return self.subject
        return [one / other for one, other in zip(self.subject, self.floor, strict=True)]

    @property
    def spread(self) -> Spread:
        """Of the ratios."""
        return spread(self.ratios)


def sample(
    pair: Pair,
    rounds: Rounds,
    enough: Callable[[Spread], bool],
    progress: Callable[[Samples], None],
    samples: Samples | None = None,
) -> Samples:
    """Sample in turn. The first round warms caches and does not count, unless they are warm.

    Whether it is enough is asked at a few fixed sizes only: a look after every sample stops at the
    first one that pleases.
    """
    taken = samples or Samples()
    if samples is None and not pair.warm:
        _round(pair, Samples(), first=False)
    looks = looks_at(rounds)
    for count in range(len(taken.subject) + 1, rounds.most + 1):
        # In turn who is first: whatever the first one leaves behind is not always the other's.
        _round(pair, taken, first=count % 2 == 0)
        progress(taken)
        if count in looks and enough(taken.spread):
            break
    return taken


def looks_at(rounds: Rounds) -> tuple[int, ...]:
    """Numbers of samples at which the spread is checked: the least, the most, and half-way."""
    return tuple(sorted({rounds.least, (rounds.least + rounds.most) // 2, rounds.most}))


def _round(pair: Pair, into: Samples, *, first: bool) -> None:
    if pair.floor is None:
        into.subject.append(pair.subject())
        return
    turns = [(pair.subject, into.subject), (pair.floor, into.floor)]
    for take, kept in turns if first else reversed(turns):
        kept.append(take())
