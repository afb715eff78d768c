"""What `dittoinfra watch` costs while nothing happens."""

import time
from collections.abc import Iterator
from contextlib import contextmanager

from bench.bed import Bed, servers
from bench.measurement import Fact, Floor, Measurement, Pair, Rounds
from bench.stage import stage
from bench.watching import watching

SERVERS = 100
LATENCY = 0.1
WINDOW = 30.0
"""Seconds of one sample: as long as the interval, so that every server is asked once in it."""

HOUR = 3600.0


@contextmanager
def _opening(bed: Bed) -> Iterator[Pair]:
    with servers(bed, SERVERS, LATENCY) as asked, stage(bed, "idle") as project:
        project.configure("idle", asked)
        with watching(project, ["idle"]) as watch:

            def hour() -> float:
                before = watch.processor_seconds()
                time.sleep(WINDOW)
                return (watch.processor_seconds() - before) * HOUR / WINDOW

            def facts() -> tuple[Fact, ...]:
                return (Fact("connections at once", asked.counted()["most_open"]),)

            asked.counted(forget=True)
            yield Pair(hour, None, facts)


MEASUREMENTS = (
    Measurement(
        "idle",
        f"processor time of `watch` over {SERVERS} servers, asked every 30 s",
        _opening,
        unit="CPU s per hour",
        floor=Floor.CLOCK,
        rounds=Rounds(7, 7),
        checked=False,
    ),
)
