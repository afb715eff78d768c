"""Whether the memory of `dittoinfra watch` stays flat, poll after poll."""

from collections.abc import Iterator
from contextlib import contextmanager

from bench.bed import Bed, servers
from bench.measurement import Fact, Measurement, Opening, Pair, Rounds
from bench.stage import FAST_SETUP, stage
from bench.watching import watching

SERVERS = 20
POLLS = 3200
"""Between two looks at the memory. All of them are as many as in an hour at the interval that `watch` would
choose, and more than a connection is kept for: each server sees at least two."""
ROUNDS = 8
"""After the first look and a round that does not count: the last look is at 10 times as many polls."""
MOST_GROWTH = 3.0
"""Megabytes between the first look and the last one."""


def opening_of(polls: int) -> Opening:
    """A watch whose memory is looked at after each so many polls."""

    @contextmanager
    def opening(bed: Bed) -> Iterator[Pair]:
        with servers(bed, SERVERS, 0.0) as asked, stage(bed, "soak") as project:
            project.configure("soak", asked)
            # More often than it would by itself: this is about the number of polls, not about time.
            with watching(project, ["soak"], "--interval", "60ms", more=FAST_SETUP) as watch:
                asked.counted(forget=True)
                looks: list[float] = []

                def look() -> float:
                    wanted = polls * (len(looks) + 1)
                    watch.until(f"poll {wanted}", lambda: asked.counted()["requests"] >= wanted)
                    looks.append(watch.memory())
                    return looks[-1]

                first = look()

                def facts() -> tuple[Fact, ...]:
                    return (
                        Fact(f"memory after {polls} polls", first, "MB"),
                        Fact(f"memory after {polls * len(looks)} polls", looks[-1], "MB"),
                        Fact("memory more than after the first", looks[-1] - first, "MB", MOST_GROWTH),
                        Fact("connections opened", asked.counted()["connections"]),
                        Fact("open files", watch.open_files()),
                    )

                yield Pair(look, lambda: first, facts)

    return opening


MEASUREMENTS = (
    Measurement(
        "soak",
        f"memory of `watch` over {SERVERS} servers after {2 * POLLS} to {10 * POLLS} polls ÷ after {POLLS}",
        opening_of(POLLS),
        goal=1.03,
        rounds=Rounds(ROUNDS, ROUNDS),
        checked=False,
    ),
)
