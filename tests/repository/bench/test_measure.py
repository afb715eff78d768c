"""A run of the benchmark goes on where one measurement cannot be taken."""

from collections.abc import Callable, Iterator
from contextlib import contextmanager, nullcontext
from pathlib import Path

import pytest

import bench.__main__ as command
from bench.bed import Bed, BenchError
from bench.measurement import Measurement, Pair, Rounds
from bench.sampling import Samples
from bench.work import BusyError

BED = Bed("pulumi", "3.259.0", Path("nowhere"))


def measurement(name: str, take: Callable[[], float]) -> Measurement:
    @contextmanager
    def opening(bed: Bed) -> Iterator[Pair]:
        yield Pair(take, lambda: 1.0)

    return Measurement(name, "this ÷ that", opening, rounds=Rounds(7, 7))


def failing(error: Exception) -> Callable[[], float]:
    def take() -> float:
        raise error

    return take


@pytest.mark.parametrize(
    ("error", "exit_code"),
    [(BenchError("out of order"), 1), (OSError("no such file"), 1), (BusyError("no time"), command.BUSY)],
)
def test_the_others_are_measured_and_the_exit_code_tells_of_it(
    error: Exception, exit_code: int, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    both = (measurement("first", failing(error)), measurement("second", lambda: 2.0))
    monkeypatch.setattr(command, "ALL", both)
    monkeypatch.setattr(command, "bed", lambda: nullcontext(BED))

    assert command.main(["--anyway"]) == exit_code

    printed = capsys.readouterr()
    assert "first: not measured: " in printed.err
    assert str(error) in printed.err
    assert "second" in printed.out


def test_what_is_sampled_along_the_way_is_not_measured_again(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    destroy = measurement("destroy", failing(BenchError("measured again")))

    @contextmanager
    def opening(bed: Bed) -> Iterator[Pair]:
        beside = Samples([6.0] * 7, [2.0] * 7)
        yield Pair(lambda: 2.0, lambda: 1.0, beside={"destroy": beside})

    up = Measurement("up", "this ÷ that", opening, rounds=Rounds(7, 7), beside=(destroy,))
    monkeypatch.setattr(command, "ALL", (up, destroy))
    monkeypatch.setattr(command, "bed", lambda: nullcontext(BED))

    assert command.main(["--anyway"]) == 0

    _, first, second = capsys.readouterr().out.splitlines()
    assert first.split()[:2] == ["up", "2"]
    assert second.split()[:2] == ["destroy", "3"]


def test_processes_write_what_they_compile_into_the_bed(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PYTHONDONTWRITEBYTECODE", "1")

    environment = BED.environment()

    assert "PYTHONDONTWRITEBYTECODE" not in environment
    assert Path(environment["PYTHONPYCACHEPREFIX"]).is_relative_to(BED.folder)
