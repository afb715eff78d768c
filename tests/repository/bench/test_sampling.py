"""The subject and its floor in turn, as often as it takes and no more often than allowed."""

from collections.abc import Callable

from bench.measurement import Pair, Rounds
from bench.sampling import Samples, looks_at, sample
from bench.spread import Spread


def silent(_: Samples) -> None:
    """Progress that is not shown."""


def counting(log: list[str], name: str, values: Callable[[int], float]) -> Callable[[], float]:
    def take() -> float:
        log.append(name)
        return values(log.count(name))

    return take


def enough_at(*counts: int) -> Callable[[Spread], bool]:
    return lambda found: found.count in counts


def test_both_are_sampled_in_turn_and_who_is_first_changes() -> None:
    log: list[str] = []
    pair = Pair(counting(log, "s", lambda _: 2.0), counting(log, "f", lambda _: 1.0))

    sample(pair, Rounds(2, 2), enough_at(2), silent)

    assert "".join(log) == "fs" + "fs" + "sf"


def test_the_first_round_warms_up_and_does_not_count() -> None:
    log: list[str] = []
    pair = Pair(counting(log, "s", lambda times: 100.0 if times == 1 else 2.0), lambda: 1.0)

    assert sample(pair, Rounds(3, 3), enough_at(3), silent).ratios == [2.0, 2.0, 2.0]


def test_each_subject_is_held_against_the_floor_of_its_own_round() -> None:
    # A machine that becomes three times as slow in the middle slows both down.
    log: list[str] = []
    slow = [1.0, 1.0, 3.0, 3.0, 3.0]
    pair = Pair(
        counting(log, "s", lambda times: 2.0 * slow[times - 1]),
        counting(log, "f", lambda times: slow[times - 1]),
    )

    assert sample(pair, Rounds(4, 4), enough_at(4), silent).ratios == [2.0] * 4


def test_it_is_judged_from_the_least_number_of_rounds_on_and_ends_when_it_is_enough() -> None:
    looked: list[int] = []

    def enough(found: Spread) -> bool:
        looked.append(found.count)
        return found.count >= 9

    taken = sample(Pair(lambda: 1.0), Rounds(5, 13), enough, silent)

    assert looked == [5, 9]
    assert len(taken.subject) == 9


def test_it_ends_at_the_most_even_if_nothing_can_be_said() -> None:
    taken = sample(Pair(lambda: 1.0), Rounds(5, 13), lambda _: False, silent)

    assert len(taken.subject) == 13


def test_without_a_floor_the_number_itself_is_the_result() -> None:
    assert sample(Pair(lambda: 7.0), Rounds(2, 2), enough_at(2), silent).ratios == [7.0, 7.0]


def test_looks_are_few() -> None:
    assert looks_at(Rounds(7, 7)) == (7,)
    assert looks_at(Rounds(9, 25)) == (9, 17, 25)


def test_where_everything_is_warm_the_first_round_counts() -> None:
    log: list[str] = []
    pair = Pair(counting(log, "s", float), lambda: 1.0, warm=True)

    assert sample(pair, Rounds(2, 2), enough_at(2), silent).ratios == [1.0, 2.0]
