"""Pictures come from results alone, and come out the same every time."""

from pathlib import Path

from bench.plots import draw
from bench.results import Result, Results
from tests.repository.bench.make import about


def results() -> Results:
    sizes = (10, 100, 1000)
    names = (*(f"{kind}_{size}" for kind in ("poll", "resource", "decide") for size in sizes), "react")
    return Results(
        {}, {name: Result(name, "", "", 3.0, about(2.0, 1.9, 2.1), 2.1, 2.0, 1.0) for name in names}
    )


def test_the_same_results_give_the_same_bytes(tmp_path: Path) -> None:
    first = {path.name: path.read_bytes() for path in draw(results(), tmp_path / "one")}
    second = {path.name: path.read_bytes() for path in draw(results(), tmp_path / "two")}

    assert first == second
    assert {"goals.svg", "goals.png", "polls.svg", "resources.png", "reactions.svg"} <= set(first)


def test_no_picture_says_when_it_was_drawn(tmp_path: Path) -> None:
    for path in draw(results(), tmp_path):
        assert b"<dc:date>" not in path.read_bytes()


def test_two_points_are_no_curve(tmp_path: Path) -> None:
    few = Results({}, {name: it for name, it in results().results.items() if name != "poll_1000"})

    assert "polls" not in {path.stem for path in draw(few, tmp_path)}
    assert "resources" in {path.stem for path in draw(few, tmp_path)}


def test_what_was_not_measured_is_not_drawn(tmp_path: Path) -> None:
    assert [path.name for path in draw(results(), tmp_path) if path.stem == "backend"] == []
