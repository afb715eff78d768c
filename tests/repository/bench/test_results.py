"""Results survive being written down, and the same ones give the same bytes."""

from pathlib import Path

from bench.measurement import Fact, Measurement, Pair
from bench.results import Result, Results, read, result_of, write
from bench.sampling import Samples
from bench.verdict import Standing


def _measured(goal: float | None = 1.5, most: float | None = 10.0) -> Result:
    def opening(_: object) -> Pair:
        raise NotImplementedError

    measurement = Measurement("thing", "this ÷ that", opening, goal=goal)  # type: ignore[arg-type]  # never opened
    samples = Samples([2.0, 2.2, 2.1, 2.0, 2.2, 2.1, 2.0], [2.0] * 7)
    return result_of(measurement, samples, (Fact("memory", 12.3456, "MB", most),))


def test_what_is_read_is_what_was_written(tmp_path: Path) -> None:
    path = tmp_path / "results.json"
    written = Results({"processors": 2, "work": 0.02}, {"thing": _measured()})

    write(written, path)
    first = path.read_bytes()
    found = read(path)
    assert found is not None
    write(found, path)

    assert path.read_bytes() == first
    assert found.results["thing"].verdict.standing is Standing.MET
    assert found.results["thing"].spread.median == 1.05


def test_nothing_is_read_where_nothing_was_committed(tmp_path: Path) -> None:
    assert read(tmp_path / "results.json") is None


def test_a_fact_beyond_its_limit_is_told() -> None:
    assert [fact.name for fact in _measured().broken] == ["memory"]
    assert _measured(most=20.0).broken == ()
    assert _measured(most=None).broken == ()
