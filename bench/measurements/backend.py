"""What it costs that a file backend rewrites the whole state at every step of an update."""

from collections.abc import Iterator, Mapping
from contextlib import contextmanager

from bench.bed import Bed
from bench.measurement import Fact, Measurement, Opening, Pair, Rounds
from bench.stage import AS_IT_IS, FAST_SETUP, stage

TYPES = 2


def _opening(count: int) -> Opening:
    @contextmanager
    def opening(bed: Bed) -> Iterator[Pair]:
        with stage(bed, f"backend-{count}") as project:
            project.configure("made", None)
            size = 0

            def made(how: Mapping[str, str] = AS_IT_IS) -> float:
                """A first update, everything created; then it is all taken away again, unmeasured."""
                nonlocal size
                took = project.hard_coded("made", "flat", count // TYPES, TYPES, "up", how)
                size = max(path.stat().st_size for path in (project.root / "state").rglob("made.json"))
                project.hard_coded("made", "flat", 0, TYPES, "up", FAST_SETUP)
                return took.operation

            def facts() -> tuple[Fact, ...]:
                return (Fact("state", size / 1024, "KB"),)

            yield Pair(made, lambda: made(FAST_SETUP), facts)

    return opening


MEASUREMENTS = tuple(
    Measurement(
        f"backend_{count}",
        f"first update with {count} Services on a file backend ÷ the same with one write at the end",
        _opening(count),
        rounds=Rounds(7, 7),
        checked=False,
    )
    for count in (50, 100, 200)
)
