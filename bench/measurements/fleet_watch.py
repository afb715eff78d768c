"""Many stacks of many servers under one `dittoinfra watch`: what it needs, and how that grows.

At the end all of them are previewed by one command, as far as minutes allow: once.
"""

import time
from collections.abc import Iterator
from contextlib import contextmanager

from bench.bed import Bed, Servers, need_files, servers
from bench.measurement import Fact, Floor, Measurement, Opening, Pair, Rounds
from bench.measurements.fleet import cost_of
from bench.stage import FAST_SETUP, Stage, stage
from bench.watching import FILES, Watching, watching

SERVERS = 100
"""Of each stack."""
LATENCY = 0.02
SETTLING = 45.0
"""Seconds after the first runs: the longest interval, by whose end every server is logged in, and a half."""
WINDOW = 5.0
OUTAGE = 60.0


def _opening(stacks: int) -> Opening:
    @contextmanager
    def opening(bed: Bed) -> Iterator[Pair]:
        need_files(stacks * SERVERS + FILES)
        with (
            # Without adapters, so that a first update takes seconds; asking them costs the same.
            servers(bed, stacks * SERVERS, LATENCY, types=0) as asked,
            stage(bed, f"watch-fleet-{stacks}") as project,
        ):
            names = [f"fleet-{number:03}" for number in range(stacks)]
            project.configure_many(names, asked)
            began = time.monotonic()
            with watching(project, names, more=FAST_SETUP) as watch:
                first = time.monotonic() - began
                processor = watch.processor_seconds()
                time.sleep(SETTLING)
                asked.counted(forget=True)
                since = time.monotonic()

                def facts() -> tuple[Fact, ...]:
                    seen, took = asked.counted(), time.monotonic() - since
                    between = len(asked.ports) * took / max(1, seen["requests"])
                    return (
                        Fact("until the first run of every stack was over", first, "s"),
                        Fact("processor time until then", processor, "s"),
                        Fact("requests a second to all servers", seen["requests"] / took),
                        Fact("seconds between two polls of a server", between, "s"),
                        Fact("connections at once", seen["most_open"]),
                        Fact("open files", watch.open_files()),
                        Fact("memory", watch.memory(), "MB"),
                        *_outage(watch, asked),
                        *_preview(watch, project, asked),
                    )

                yield Pair(lambda: watch.processor_share(WINDOW), None, facts, warm=True)

    return opening


def _outage(watch: Watching, asked: Servers) -> tuple[Fact, ...]:
    """A tenth of the servers stops answering for a while; the others must not notice."""
    count = len(asked.ports)
    for number in range(0, count, 10):
        asked.mute(number)
    asked.counted(forget=True)
    at = time.monotonic()
    used = watch.processor_share(OUTAGE)
    seen, took, memory = asked.counted(), time.monotonic() - at, watch.memory()
    for number in range(0, count, 10):
        asked.serve(number, 0)
    answered = max(1, seen["requests"] - seen["unanswered"])
    return (
        Fact("with a tenth of the servers silent", used, "% of a processor"),
        Fact("requests a second that got no answer then", seen["unanswered"] / took),
        Fact("seconds between two polls of the others", 0.9 * count * took / answered, "s"),
        Fact("memory then", memory, "MB"),
    )


def _preview(watch: Watching, project: Stage, asked: Servers) -> tuple[Fact, ...]:
    """One preview of one stack, and one of all of them, after the watch."""
    watch.end()
    one = cost_of(project, "preview", "fleet-000")
    asked.counted(forget=True)
    every = cost_of(project, "preview", "--all")
    return (
        Fact("`preview` of one stack, one round", one.seconds, "s"),
        Fact("`preview` of all stacks, one round", every.seconds, "s"),
        Fact("processor time of that", every.processor, "s"),
        Fact("memory of all its processes", every.memory, "MB"),
        Fact("its connections at once", asked.counted()["most_open"]),
    )


def _measurement(stacks: int) -> Measurement:
    return Measurement(
        f"watch_fleet_{stacks}",
        f"processor time of one `watch` over {stacks} stacks of {SERVERS} servers",
        _opening(stacks),
        unit="% of a processor",
        floor=Floor.CLOCK,
        rounds=Rounds(6, 6),
        checked=False,
    )


MEASUREMENTS = tuple(_measurement(stacks) for stacks in (10, 20, 30, 100))
