"""What finding the adapters out costs a preview, against one that has them written down."""

from collections.abc import Iterator
from contextlib import contextmanager

from bench.bed import Bed, servers
from bench.measurement import Measurement, Opening, Pair, Rounds
from bench.stage import FAST_SETUP, stage

LATENCY = 0.1
TYPES = 2


def _opening(count: int) -> Opening:
    @contextmanager
    def opening(bed: Bed) -> Iterator[Pair]:
        with servers(bed, count, LATENCY, TYPES) as asked, stage(bed, f"discovery-{count}") as project:
            project.configure("live", asked)
            project.configure("written", None)
            project.discovering("live", "up", FAST_SETUP)
            project.hard_coded("written", "nested", count, TYPES, "up", FAST_SETUP)
            yield Pair(
                lambda: project.discovering("live").whole,
                lambda: project.hard_coded("written", "nested", count, TYPES).whole,
            )

    return opening


MEASUREMENTS = (
    Measurement(
        "discovery_1",
        "preview that asks 1 server, which answers after 100 ms ÷ preview of the same resources hard-coded",
        _opening(1),
        goal=1.05,
        rounds=Rounds(7, 21),
    ),
    Measurement(
        "discovery_100",
        "preview that asks 100 servers, which answer after 100 ms ÷ preview of the same resources hard-coded",
        _opening(100),
        goal=1.10,
        rounds=Rounds(7, 15),
        checked=False,
    ),
)
