"""Whether the machine has time, and which one it is."""

from bench.machine import busy_share, describe, same_kind


def test_half_of_the_time_idle_is_half_busy() -> None:
    assert busy_share((1000, 400), (1200, 500)) == 0.5


def test_a_clock_that_stands_still_says_nothing() -> None:
    assert busy_share((1000, 400), (1000, 400)) == 0.0


def test_a_machine_is_described_without_its_name_or_any_place() -> None:
    described = describe("3.259.0")

    about = {"processors", "model", "system", "python", "pulumi CLI", "parts", "packages", "work"}
    assert set(described) == about
    assert "/" not in str(described["model"]) + str(described["system"])
    assert described["work"] > 0


def test_machines_are_of_a_kind_when_what_results_depend_on_is_the_same() -> None:
    one = {"processors": 2, "model": "fast", "system": "Linux x86_64", "python": "3.11.7", "work": 0.02}

    assert same_kind(one, {**one, "work": 0.03})
    assert not same_kind(one, {**one, "processors": 4})
