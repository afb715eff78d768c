"""What a preview costs for each adapter, against a program that has the same resources hard-coded."""

from collections.abc import Iterator
from contextlib import contextmanager

from bench.bed import Bed, servers
from bench.measurement import Fact, Measurement, Opening, Pair, Rounds
from bench.spread import spread
from bench.stage import FAST_SETUP, stage

TYPES = 2


def _opening(count: int) -> Opening:
    @contextmanager
    def opening(bed: Bed) -> Iterator[Pair]:
        number = count // TYPES
        with servers(bed, number, 0.0, TYPES) as asked, stage(bed, f"resource-{count}") as project:
            project.configure("ours", asked)
            project.configure("flat", None)
            project.configure("nested", None)
            project.discovering("ours", "up", FAST_SETUP)
            for shape in ("flat", "nested"):
                project.hard_coded(shape, shape, number, TYPES, "up", FAST_SETUP)
            against_flat: list[float] = []

            def ours() -> float:
                seconds = project.discovering("ours").whole
                alone = project.hard_coded("flat", "flat", number, TYPES).whole
                against_flat.append(seconds / alone)
                return seconds

            def floor() -> float:
                return project.hard_coded("nested", "nested", number, TYPES).whole

            def facts() -> tuple[Fact, ...]:
                return (Fact("÷ Services alone, without components", spread(against_flat).median),)

            yield Pair(ours, floor, facts)

    return opening


def _measurement(count: int, rounds: Rounds, *, checked: bool) -> Measurement:
    return Measurement(
        f"resource_{count}",
        f"our preview with {count} adapters ÷ a static program with the same resources",
        _opening(count),
        goal=1.1,
        rounds=rounds,
        checked=checked,
    )


MEASUREMENTS = (
    _measurement(10, Rounds(7, 21), checked=True),
    _measurement(100, Rounds(7, 15), checked=False),
    _measurement(1000, Rounds(7, 7), checked=False),
)
