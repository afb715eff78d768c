"""What `dittoinfra watch` costs while nothing happens, with the interval that it chooses itself."""

import time
from collections.abc import Iterator
from contextlib import contextmanager

from bench.bed import Bed, need_files, servers
from bench.measurement import Fact, Floor, Measurement, Opening, Pair, Rounds
from bench.stage import FAST_SETUP, stage
from bench.watching import FILES, watching

LATENCY = 0.02
WINDOW = 15.0
"""Seconds of one sample."""
MOST_GROWTH = 3.0
"""Megabytes over all samples: more polls than that must not need more memory."""


def _opening(count: int, types: int, settling: float) -> Opening:
    @contextmanager
    def opening(bed: Bed) -> Iterator[Pair]:
        need_files(count + FILES)
        with (
            servers(bed, count, LATENCY, types) as asked,
            stage(bed, f"idle-{count}") as project,
        ):
            project.configure("idle", asked)
            with watching(project, ["idle"], more=FAST_SETUP) as watch:
                time.sleep(settling)
                asked.counted(forget=True)
                began, memory = time.monotonic(), watch.memory()

                def facts() -> tuple[Fact, ...]:
                    seen, took = asked.counted(), time.monotonic() - began
                    return (
                        Fact("polls", seen["requests"]),
                        Fact("seconds between two polls of a server", count * took / seen["requests"], "s"),
                        Fact("connections at once", seen["most_open"]),
                        Fact("memory", watch.memory(), "MB"),
                        Fact("memory more than at the beginning", watch.memory() - memory, "MB", MOST_GROWTH),
                    )

                yield Pair(lambda: watch.processor_share(WINDOW), None, facts, warm=True)

    return opening


def _measurement(count: int, types: int, goal: float, settling: float) -> Measurement:
    """`settling` seconds after the first run every server is logged in, and the cost of a poll is known."""
    return Measurement(
        f"idle_{count}",
        f"processor time of `watch` over {count} servers",
        _opening(count, types, settling),
        goal=goal,
        unit="% of a processor",
        floor=Floor.CLOCK,
        rounds=Rounds(6, 6),
        checked=False,
    )


# A thousand servers without adapters: asking is what is measured, not a first update of 2,000 Services.
MEASUREMENTS = (_measurement(20, 2, 1.0, 20.0), _measurement(1000, 0, 5.0, 45.0))
