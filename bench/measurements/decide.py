"""What the decision costs, in multiples of reading the JSON that it is about; it must grow no faster."""

import gc
import json
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager

from bench.bed import Bed
from bench.measurement import Measurement, Opening, Pair, Rounds
from bench.programs.answering import FIRST_PORT
from dittoinfra.decide.brake import refusals
from dittoinfra.decide.stack_rules import decide_stack, servers_to_declare
from dittoinfra.model import Answered, RememberedAdapter, ReportedAdapter
from dittoinfra.settings import ServerSettings, StackSettings

TYPES = 10
LEAST_SECONDS = 0.05
"""For one sample: what takes a millisecond is done often enough to be timed."""


def _opening(count: int) -> Opening:
    @contextmanager
    def opening(bed: Bed) -> Iterator[Pair]:
        del bed
        types = [f"proto{index}" for index in range(TYPES)]
        servers = [
            ServerSettings.model_validate({"name": f"server-{number:05}"}) for number in range(count // TYPES)
        ]
        heard = tuple(
            ReportedAdapter(kind, FIRST_PORT + index, enabled=True, running=True)
            for index, kind in enumerate(types)
        )
        memory = {
            server.name: {
                kind: RememberedAdapter(kind, FIRST_PORT + index) for index, kind in enumerate(types)
            }
            for server in servers
        }
        polls = {server.name: (Answered(heard),) for server in servers}
        body = json.dumps(
            [
                {"type": each.type, "port": each.port, "enabled": True, "running": True}
                for _ in servers
                for each in heard
            ]
        )

        def decide() -> None:
            decision = decide_stack(servers, memory, polls)
            servers_to_declare(servers, decision)
            refusals(decision, servers, StackSettings())

        def read() -> None:
            json.loads(body)

        yield Pair(lambda: _each(decide), lambda: _each(read))

    return opening


def _each(work: Callable[[], None]) -> float:
    """Seconds of one time, from as many as take long enough; the collector may come afterwards."""
    gc.collect()
    gc.disable()
    try:
        times, began = 0, time.perf_counter()
        while (passed := time.perf_counter() - began) < LEAST_SECONDS or not times:
            work()
            times += 1
        return passed / times
    finally:
        gc.enable()


MEASUREMENTS = tuple(
    Measurement(
        f"decide_{count}",
        f"the decision on {count} adapters ÷ reading them from JSON",
        _opening(count),
        rounds=Rounds(15, 31),
    )
    for count in (100, 1000, 10_000)
)
