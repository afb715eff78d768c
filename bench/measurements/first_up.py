"""A first `up` of 200 adapters of 100 servers, and its `destroy`, against the same with one write at the end.

The floor writes the state once: a crash would leave everything that was done to nobody.
"""

from collections.abc import Iterator, Mapping
from contextlib import contextmanager

from bench.bed import Bed, servers
from bench.measurement import Measurement, Opening, Pair, Rounds
from bench.stage import AS_IT_IS, FAST_SETUP, stage

SERVERS = 100
TYPES = 2


def _opening(measured: str, before: str | None, after: str | None) -> Opening:
    @contextmanager
    def opening(bed: Bed) -> Iterator[Pair]:
        with servers(bed, SERVERS, 0.0, TYPES) as asked, stage(bed, f"first-{measured}") as project:
            project.configure("made", asked)

            def took(how: Mapping[str, str] = AS_IT_IS) -> float:
                """One operation; what has to come before it and after it is not measured."""
                if before is not None:
                    project.discovering("made", before, FAST_SETUP)
                seconds = project.discovering("made", measured, how).operation
                if after is not None:
                    project.discovering("made", after, FAST_SETUP)
                return seconds

            yield Pair(took, lambda: took(FAST_SETUP))

    return opening


def _measurement(name: str, what: str, opening: Opening) -> Measurement:
    return Measurement(
        name,
        f"{what} of {SERVERS * TYPES} adapters of {SERVERS} servers ÷ the same with one write at the end",
        opening,
        goal=1.5,
        rounds=Rounds(6, 6),
        checked=False,
    )


MEASUREMENTS = (
    _measurement("first_up", "first `up`", _opening("up", None, "destroy")),
    _measurement("destroy", "`destroy`", _opening("destroy", "up", None)),
)
