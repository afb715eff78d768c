"""What `dittoinfra watch` costs while nothing happens, with the interval that it chooses itself."""

import time
from collections.abc import Iterator
from contextlib import contextmanager

from bench.bed import Bed, servers
from bench.measurement import Fact, Floor, Measurement, Opening, Pair, Rounds
from bench.stage import FAST_SETUP, stage
from bench.watching import watching

LATENCY = 0.02
SETTLING = 15.0
"""Seconds after the first run: by then the cost of a poll is measured, and every server is logged in."""
MOST_GROWTH = 3.0
"""Megabytes over all samples: more polls than that must not need more memory."""


def _opening(count: int, types: int, window: float) -> Opening:
    @contextmanager
    def opening(bed: Bed) -> Iterator[Pair]:
        with (
            servers(bed, count, LATENCY, types) as asked,
            stage(bed, f"idle-{count}") as project,
        ):
            project.configure("idle", asked)
            with watching(project, ["idle"], more=FAST_SETUP) as watch:
                time.sleep(SETTLING)
                asked.counted(forget=True)
                began, memory = time.monotonic(), watch.memory()

                def share() -> float:
                    before, at = watch.processor_seconds(), time.monotonic()
                    time.sleep(window)
                    return (watch.processor_seconds() - before) * 100 / (time.monotonic() - at)

                def facts() -> tuple[Fact, ...]:
                    seen, took = asked.counted(), time.monotonic() - began
                    return (
                        Fact("polls", seen["requests"]),
                        Fact("seconds between two polls of a server", count * took / seen["requests"], "s"),
                        Fact("connections at once", seen["most_open"]),
                        Fact("memory", watch.memory(), "MB"),
                        Fact("memory more than at the beginning", watch.memory() - memory, "MB", MOST_GROWTH),
                    )

                yield Pair(share, None, facts)

    return opening


def _measurement(count: int, types: int, goal: float, window: float) -> Measurement:
    return Measurement(
        f"idle_{count}",
        f"processor time of `watch` over {count} servers",
        _opening(count, types, window),
        goal=goal,
        unit="% of a processor",
        floor=Floor.CLOCK,
        rounds=Rounds(7, 7),
        checked=False,
    )


# A thousand servers without adapters: asking is what is measured, not a first update of 2,000 Services.
MEASUREMENTS = (_measurement(20, 2, 1.0, 6.0), _measurement(1000, 0, 5.0, 6.0))
