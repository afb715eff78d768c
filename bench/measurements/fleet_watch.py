"""Many stacks of many servers under one `dittoinfra watch`: what it needs, and how that grows."""

import time
from collections.abc import Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager

from bench.bed import PASSWORD_ENV, Bed, servers
from bench.measurement import Fact, Floor, Measurement, Opening, Pair, Rounds
from bench.stage import FAST_SETUP, Stage, stage
from bench.watching import watching

SERVERS = 100
"""Of each stack."""
LATENCY = 0.02
WINDOW = 5.0
OUTAGE = 60.0


def _opening(stacks: int) -> Opening:
    @contextmanager
    def opening(bed: Bed) -> Iterator[Pair]:
        with (
            # Without adapters, so that a first update takes seconds; asking them costs the same.
            servers(bed, stacks * SERVERS, LATENCY, types=0) as asked,
            stage(bed, f"fleet-{stacks}") as project,
        ):
            names = [f"fleet-{number:03}" for number in range(stacks)]
            urls = asked.urls()
            parts = [urls[number * SERVERS : (number + 1) * SERVERS] for number in range(stacks)]
            with ThreadPoolExecutor(2) as pool:
                list(pool.map(lambda name, some: _write(project, name, some), names, parts))
            began = time.monotonic()
            with watching(project, names, more=FAST_SETUP) as watch:
                first = time.monotonic() - began
                processor = watch.processor_seconds()
                time.sleep(2 * WINDOW)
                asked.counted(forget=True)
                since = time.monotonic()

                def share_over(seconds: float) -> float:
                    before, at = watch.processor_seconds(), time.monotonic()
                    time.sleep(seconds)
                    return (watch.processor_seconds() - before) * 100 / (time.monotonic() - at)

                def share() -> float:
                    return share_over(WINDOW)

                def outage() -> tuple[Fact, ...]:
                    """A tenth of the servers stops answering; the others must not notice."""
                    for number in range(0, stacks * SERVERS, 10):
                        asked.mute(number)
                    asked.counted(forget=True)
                    at = time.monotonic()
                    used = share_over(OUTAGE)
                    seen, took = asked.counted(), time.monotonic() - at
                    answered, answering = seen["requests"] - seen["unanswered"], 0.9 * stacks * SERVERS
                    return (
                        Fact("with a tenth of the servers silent", used, "% of a processor"),
                        Fact("requests a second that got no answer then", seen["unanswered"] / took),
                        Fact("seconds between two polls of the others", answering * took / answered, "s"),
                        Fact("memory then", watch.memory(), "MB"),
                    )

                def facts() -> tuple[Fact, ...]:
                    seen, took = asked.counted(), time.monotonic() - since
                    return (
                        Fact("until the first run of every stack was over", first, "s"),
                        Fact("processor time until then", processor, "s"),
                        Fact("requests a second to all servers", seen["requests"] / took),
                        Fact(
                            "seconds between two polls of a server",
                            stacks * SERVERS * took / max(1, seen["requests"]),
                            "s",
                        ),
                        Fact("connections at once", seen["most_open"]),
                        Fact("open files", watch.open_files()),
                        Fact("memory", watch.memory(), "MB"),
                        *outage(),
                    )

                yield Pair(share, None, facts)

    return opening


def _write(project: Stage, stack: str, urls: Sequence[str]) -> None:
    blocks = [
        {
            "name": f"server-{index:03}",
            "namespace": "files",
            "api": {"url": url, "username": "bench", "passwordEnv": PASSWORD_ENV},
        }
        for index, url in enumerate(urls)
    ]
    project.write(stack, {"dittoinfra:servers": blocks, "kubernetes:renderYamlToDirectory": "rendered"})


def _measurement(stacks: int) -> Measurement:
    return Measurement(
        f"watch_fleet_{stacks}",
        f"processor time of one `watch` over {stacks} stacks of {SERVERS} servers",
        _opening(stacks),
        unit="% of a processor",
        floor=Floor.CLOCK,
        rounds=Rounds(7, 7),
        checked=False,
    )


MEASUREMENTS = (_measurement(10), _measurement(30), _measurement(100))
