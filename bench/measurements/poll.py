"""How long it takes to ask many servers, in multiples of what one of them takes to answer."""

import http.client
import json
import time
from collections.abc import Iterator
from contextlib import contextmanager

from bench.bed import Bed, BenchError, process, servers
from bench.measurement import Fact, Floor, Measurement, Opening, Pair, Rounds
from dittoinfra.settings import StackSettings

LATENCY = 0.1
MOST_MEMORY = 100.0


def _opening(count: int) -> Opening:
    @contextmanager
    def opening(bed: Bed) -> Iterator[Pair]:
        connections = StackSettings().max_concurrent_polls
        command = ["-m", "bench.programs.polling", str(connections)]
        with (
            servers(bed, count, LATENCY) as asked,
            process(command, bed.folder, bed.environment()) as polling,
        ):
            assert polling.stdin is not None  # noqa: S101 - both are pipes of our own
            assert polling.stdout is not None  # noqa: S101 - both are pipes of our own
            to, said = polling.stdin, polling.stdout
            to.write(json.dumps(asked.ports) + "\n")
            memory = 0.0

            def phase() -> float:
                nonlocal memory
                to.write("poll\n")
                to.flush()
                heard = json.loads(said.readline())
                if heard["outcomes"] != {"Answered": count}:
                    raise BenchError(f"not every server answered: {heard['outcomes']}")
                memory = heard["memory"]
                return float(heard["seconds"])

            def one() -> float:
                return _latency(asked.ports[0])

            def facts() -> tuple[Fact, ...]:
                open_at_once = asked.counted()["most_open"]
                return (
                    Fact("memory of the process", memory, "MB", MOST_MEMORY),
                    Fact("connections at once", open_at_once, "", min(connections, count)),
                )

            yield Pair(phase, one, facts)

    return opening


def _latency(port: int) -> float:
    """What one server takes for a login and a list, with nothing of ours around it."""
    began = time.perf_counter()
    connection = http.client.HTTPConnection("127.0.0.1", port, timeout=30)
    for method, path, body in (
        ("POST", "/api/v1/auth/login", "{}"),
        ("GET", "/api/v1/adapters/ports", None),
    ):
        connection.request(method, path, body)
        json.loads(connection.getresponse().read())
    connection.close()
    return time.perf_counter() - began


def _measurement(count: int, goal: float | None) -> Measurement:
    return Measurement(
        f"poll_{count}",
        f"asking {count} servers, which answer after 100 ms ÷ login and list of one of them",
        _opening(count),
        goal=goal,
        floor=Floor.CLOCK,
        rounds=Rounds(7, 21),
    )


MEASUREMENTS = (
    _measurement(1, None),
    _measurement(10, None),
    _measurement(100, 3.0),
    _measurement(1000, 6.0),
)
