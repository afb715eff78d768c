"""The gate: a true regression fails it, noise and a slow machine do not."""

import itertools
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from bench.bed import Bed
from bench.check import ROUNDS, check
from bench.measurement import Floor, Measurement, Pair
from bench.progress import Progress
from bench.results import Result, Results
from bench.work import BusyError
from tests.repository.bench.make import about

NOWHERE = Bed("pulumi", "3.259.0", Path("nowhere"))


def committed() -> Results:
    """A ratio of 2."""
    return Results({}, {"thing": Result("thing", "", "", None, about(2.0), 2.0, 2.0, 1.0)})


def thing(take: Callable[[], float], floor: Floor = Floor.WORK, name: str = "thing") -> Measurement:
    @contextmanager
    def opening(bed: Bed) -> Iterator[Pair]:
        yield Pair(take, lambda: 1.0)

    return Measurement(name, "this ÷ that", opening, floor=floor)


def verdict(measurement: Measurement, slower: float = 1.0) -> int:
    return check(committed(), [measurement], NOWHERE, Progress(), slower=slower, anyway=True)


def test_the_same_again_is_fine(capsys: pytest.CaptureFixture[str]) -> None:
    assert verdict(thing(lambda: 2.1)) == 0
    assert "thing: fine: 2.1 (2.1 … 2.1), committed 2, at most 2.5" in capsys.readouterr().err


def test_a_quarter_worse_and_more_fails_and_says_what(capsys: pytest.CaptureFixture[str]) -> None:
    assert verdict(thing(lambda: 2.6)) == 1
    assert "regressed by more than a quarter: thing" in capsys.readouterr().err


def test_what_looks_bad_is_looked_at_longer_and_then_acquitted() -> None:
    # The first seven rounds are disturbed; the warm-up is not counted.
    taken = itertools.chain([2.0], [2.4, 2.6, 2.4, 2.6, 2.4, 2.6, 2.6], itertools.repeat(2.0))
    seen: list[float] = []

    def take() -> float:
        seen.append(next(taken))
        return seen[-1]

    assert verdict(thing(take)) == 0
    assert len(seen) > 1 + ROUNDS.least


def test_what_stays_doubtful_does_not_fail_and_is_not_called_fine(capsys: pytest.CaptureFixture[str]) -> None:
    taken = itertools.cycle([2.0, 3.0, 3.0])

    assert verdict(thing(lambda: next(taken))) == 0
    assert "suspicious, but noise cannot be told from that" in capsys.readouterr().err


def test_a_slower_machine_is_forgiven_where_the_floor_is_a_clock() -> None:
    assert verdict(thing(lambda: 3.0, Floor.CLOCK), slower=2.0) == 0
    assert verdict(thing(lambda: 3.0, Floor.WORK), slower=2.0) == 1


def test_what_was_never_committed_is_said_not_to_be_checked(capsys: pytest.CaptureFixture[str]) -> None:
    assert verdict(thing(lambda: 9.0, name="new")) == 0
    assert "new: not checked, there is no committed result" in capsys.readouterr().err


def test_a_late_disturbance_does_not_hide_what_was_seen_before(
    capsys: pytest.CaptureFixture[str],
) -> None:
    def disturbed() -> float:
        raise BusyError("later: the machine was busy")

    kept = committed().results["thing"]
    both = Results({}, {"thing": kept, "later": kept})
    late = thing(disturbed, name="later")

    def outcome(first: float) -> int:
        these = [thing(lambda: first), late]
        return check(both, these, NOWHERE, Progress(), slower=1.0, anyway=True)

    assert outcome(2.6) == 1
    assert "later: the machine was busy" in capsys.readouterr().err
    with pytest.raises(BusyError):
        outcome(2.0)
