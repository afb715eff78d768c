"""Results survive being written down, and the same ones give the same bytes."""

from dataclasses import replace
from pathlib import Path

from bench.measurement import Fact, Measurement, Pair
from bench.results import Result, Results, read, result_of, store, write
from bench.sampling import Samples
from bench.verdict import Standing


def _measured(
    goal: float | None = 1.5, most: float | None = 10.0, wild: float = 2.1, day: str = ""
) -> Result:
    def opening(_: object) -> Pair:
        raise NotImplementedError

    measurement = Measurement("thing", "this ÷ that", opening, goal=goal)  # type: ignore[arg-type]  # never opened
    samples = Samples([2.0, 2.2, wild, 2.0, 2.2, wild, 2.0], [2.0] * 7)
    return result_of(measurement, samples, (Fact("memory", 12.3456, "MB", most),), day)


def test_what_is_read_is_what_was_written(tmp_path: Path) -> None:
    path = tmp_path / "results.json"
    written = Results({"processors": 2, "work": 0.02}, {"thing": _measured()})

    write([written], path)
    first = path.read_bytes()
    found = read(path)
    assert found is not None
    write([found], path)

    assert path.read_bytes() == first
    assert found.results["thing"].verdict.standing is Standing.MET
    assert found.results["thing"].spread.median == 1.05


def test_nothing_is_read_where_nothing_was_committed(tmp_path: Path) -> None:
    assert read(tmp_path / "results.json") is None


def test_a_result_says_of_which_day_and_commit_it_is_and_a_later_noisy_try_is_noted(tmp_path: Path) -> None:
    path = tmp_path / "results.json"

    store({"processors": 2}, _measured(day="Monday, abc"), path)
    store({"processors": 2}, _measured(day="Tuesday, def", wild=9.0), path)

    [thing] = _stored(path).results.values()
    assert (thing.measured, thing.noisy_since) == ("Monday, abc", "Tuesday, def")
    assert thing.spread.median == 1.05
    store({"processors": 2}, _measured(day="Wednesday, fed"), path)
    [thing] = _stored(path).results.values()
    assert (thing.measured, thing.noisy_since) == ("Wednesday, fed", "")


def test_noise_is_not_stored(tmp_path: Path) -> None:
    path = tmp_path / "results.json"

    store({"processors": 2}, _measured(wild=9.0), path)

    assert _stored(path).results == {}


def test_a_goal_inside_the_interval_is_a_value_that_is_stored(tmp_path: Path) -> None:
    path = tmp_path / "results.json"

    store({"processors": 2}, _measured(goal=1.05), path)

    assert _stored(path).results["thing"].verdict.standing is Standing.UNDECIDED


def test_results_of_another_configuration_stay_apart(tmp_path: Path) -> None:
    path = tmp_path / "results.json"
    stand_in, official = {"parts": "stand-in"}, {"parts": "official"}

    store(stand_in, _measured(day="Monday, abc"), path)
    store(official, _measured(day="Tuesday, def"), path)
    assert _stored(path).machine == official
    store({**stand_in, "work": 0.02}, replace(_measured(day="Wednesday, fed"), name="other"), path)

    current = _stored(path)
    assert current.machine == {**stand_in, "work": 0.02}
    assert {name: each.measured for name, each in current.results.items()} == {
        "thing": "Monday, abc",
        "other": "Wednesday, fed",
    }
    assert "Tuesday, def" in path.read_text()


def _stored(path: Path) -> Results:
    found = read(path)
    assert found is not None
    return found


def test_a_fact_beyond_its_limit_is_told() -> None:
    assert [fact.name for fact in _measured().broken] == ["memory"]
    assert _measured(most=20.0).broken == ()
    assert _measured(most=None).broken == ()
