"""What people read."""

from bench.measurement import Fact
from bench.results import Result
from bench.table import lines, seconds
from tests.repository.bench.make import about


def test_a_line_for_each_result_and_each_fact_in_columns() -> None:
    result = Result(
        "poll_100",
        "many ÷ one",
        "",
        3.0,
        about(2.5, 2.4, 2.6),
        2.6,
        0.5,
        0.2,
        (Fact("memory", 60, "MB", 150),),
    )

    assert lines([result]) == [
        "          median  95 % interval  goal   verdict  itself  floor",
        "poll_100  2.5     2.4 … 2.6 (9)  ≤ 3    met      0.50 s  0.20 s",
        "  memory  60 MB                  ≤ 150  met",
    ]


def test_a_goal_inside_the_interval_is_said_to_be_undecided() -> None:
    open_question = Result("x", "x ÷ y", "", 1.0, about(1.0, 0.9, 1.1), 1.1, 0.5, 0.5)

    assert "undecided: the goal 1 lies inside the interval 0.9 … 1.1" in lines([open_question])[1]


def test_times_can_be_read() -> None:
    assert (seconds(1.234), seconds(0.0012), seconds(None)) == ("1.23 s", "1.2 ms", "")
