"""A first `up` of 200 adapters of 100 servers, and its `destroy`, against the same with one write at the end.

The floor writes the state once: after a crash nothing would know what was done. One undoes the other,
so both are measured in the same rounds.
"""

from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager

from bench.bed import Bed, servers
from bench.measurement import Measurement, Opening, Pair, Rounds
from bench.sampling import Samples
from bench.stage import AS_IT_IS, FAST_SETUP, stage

SERVERS = 100
TYPES = 2
ROUNDS = Rounds(6, 6)
"""With fewer, no interval holds the true median in 95 of 100 cases."""


def _opening(measured: str) -> Opening:
    @contextmanager
    def opening(bed: Bed) -> Iterator[Pair]:
        with servers(bed, SERVERS, 0.0, TYPES) as asked, stage(bed, f"first-{measured}") as project:
            project.configure("made", asked)
            beside = Samples()

            def both(how: Mapping[str, str]) -> dict[str, float]:
                """Seconds of both operations."""
                return {
                    operation: project.discovering("made", operation, how).operation
                    for operation in ("up", "destroy")
                }

            def take(how: Mapping[str, str], others: list[float]) -> Callable[[], float]:
                def sample() -> float:
                    times = both(how)
                    seconds = times.pop(measured)
                    others.extend(times.values())
                    return seconds

                return sample

            # What compiles modules and fills caches: the fast way takes a third of the time.
            both(FAST_SETUP)
            yield Pair(
                take(AS_IT_IS, beside.subject),
                take(FAST_SETUP, beside.floor),
                warm=True,
                beside={DESTROY.name: beside},
            )

    return opening


def _measurement(name: str, what: str, measured: str, *beside: Measurement) -> Measurement:
    return Measurement(
        name,
        f"{what} of {SERVERS * TYPES} adapters of {SERVERS} servers ÷ the same with one write at the end",
        _opening(measured),
        goal=1.5,
        rounds=ROUNDS,
        checked=False,
        beside=beside,
    )


DESTROY = _measurement("destroy", "`destroy`", "destroy")
MEASUREMENTS = (_measurement("first_up", "first `up`", "up", DESTROY), DESTROY)
